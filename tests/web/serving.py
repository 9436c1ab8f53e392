"""The admin over real HTTP, in a home of its own, with users who have passwords."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from argon2 import PasswordHasher

from engine.access.users import User
from engine.assembly.admin import Admin, admin_of
from engine.settings import Settings
from engine.web.app import PAGES, admin_app
from engine.web.page import Page
from engine.web.rendering import Pages
from engine.web.serving import _Quiet, frame_of, listening
from engine.web.visit import Frame

PASSWORD = "correct horse"


@cache
def password_hash() -> str:
    """Made once, and cheaper than the real ones: argon2 is slow on purpose."""
    return PasswordHasher(time_cost=1, memory_cost=64, parallelism=1).hash(PASSWORD)


@cache
def pages() -> Pages:
    """Templates compiled once."""
    return Pages()


def users() -> tuple[User, ...]:
    """One of each role, and a second manager."""
    named = {"vera": "viewer", "rick": "requester", "mona": "manager", "max": "manager", "olga": "operator"}
    return tuple(User.model_validate({"name": n, "password": password_hash(), "roles": [r]}) for n, r in named.items())


@dataclass
class Served:
    """A running admin."""

    url: str
    host: str
    admin: Admin
    frame: Frame
    links: list[str]

    def client(self, **more: Any) -> httpx.AsyncClient:
        """A browser's worth of cookies, sending Origin as browsers do."""
        headers = {"origin": self.url, **more.pop("headers", {})}
        return httpx.AsyncClient(base_url=self.url, headers=headers, follow_redirects=False, timeout=20, **more)

    @asynccontextmanager
    async def signed_in(self, name: str = "mona") -> AsyncIterator[httpx.AsyncClient]:
        """A client with a session."""
        token = self.frame.sessions.start(name, local=False)
        async with self.client(cookies={self.frame.cookie: token}) as client:
            yield client

    def form(self, client: httpx.AsyncClient, fields: Mapping[str, str]) -> dict[str, str]:
        """Fields with the token that the session's own forms carry."""
        from engine.access.sessions import form_token

        return {"form_token": form_token(client.cookies[self.frame.cookie]), **fields}


@asynccontextmanager
async def serve(
    home: Path, admin: Admin | None = None, table: tuple[Page, ...] = PAGES, **settings: Any
) -> AsyncIterator[Served]:
    """Serve a home until the block ends."""
    links: list[str] = []
    with listening(settings.pop("port", 0)) as listener:
        port = listener.getsockname()[1]
        environment = {"PATH": "/usr/bin:/bin", **settings.pop("environment", {})}
        admin = admin or admin_of(Settings(home=home, users=users(), environment=environment, **settings))
        frame = replace(frame_of(admin, port, links.append), pages=pages())
        host = f"127.0.0.1:{port}"
        config = uvicorn.Config(
            admin_app(frame, (host, f"localhost:{port}"), table), lifespan="off", ws="none", log_config=None, access_log=False,
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        server = _Quiet(config)
        frame.tell_link()
        running = asyncio.ensure_future(server.serve(sockets=[listener]))
        try:
            yield Served(f"http://{host}", host, admin, frame, links)
        finally:
            await admin.discoveries.close()
            server.should_exit = True
            await running
