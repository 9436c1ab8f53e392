"""Runs inside the peers' environment: Django's own admin with sixty users over HTTP; prints its address when it answers."""

import sys
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.conf import settings
from django.urls import path

settings.configure(
    DEBUG=True,
    SECRET_KEY="only for this process",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=[
        "django.contrib.admin",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
        "django.contrib.staticfiles",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ]
            },
        }
    ],
    STATIC_URL="/static/",
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
)
django.setup()
urlpatterns: list[object] = []


class Quiet(WSGIRequestHandler):
    """Does not write a log line a request."""

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing."""


def main() -> None:
    """Make the database, the users and the server, and serve until killed."""
    from django.contrib import admin
    from django.contrib.auth.models import User
    from django.contrib.staticfiles.handlers import StaticFilesHandler
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application

    call_command("migrate", verbosity=0)
    admin.autodiscover()
    urlpatterns.append(path("admin/", admin.site.urls))
    User.objects.create_superuser("admin", "admin@example.com", "admin-Pass-1")
    for number in range(60):
        name = f"user{number:02d}"
        User.objects.create(username=name, email=f"{name}@example.com", first_name=f"First{number}", last_name=f"Last{number}")
    server = make_server("127.0.0.1", 0, StaticFilesHandler(get_wsgi_application()), handler_class=Quiet)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


main()
