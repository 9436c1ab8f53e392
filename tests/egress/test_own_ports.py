from pathlib import Path

from engine.assembly.homes import announce
from engine.assembly.sessions import Bounds, open_bounded_browser, open_place
from engine.domain.policy import Policy, Scope
from engine.guard.guard import PolicyGuard
from engine.settings import Settings
from tests.egress.layers import nobody
from tests.pages import Pages, serve


async def test_no_page_reaches_a_server_of_ours_whatever_the_policy_lists(pages: Pages, tmp_path: Path) -> None:
    """The admin of the same home says its port, in whatever process it runs; another server on loopback is reached."""
    settings = Settings(home=tmp_path, environment={"PATH": "/usr/bin:/bin"})
    async with serve() as admin, serve() as other:
        announce(settings, int(admin.url.rpartition(":")[2]))
        tries = "".join(f"fetch('{each.url}/x', {{mode: 'no-cors'}}).catch(() => 0);" for each in (admin, other))
        pages["/"] = f"<script>{tries}</script><img src='{admin.url}/y'>"
        policy = Policy(scope=Scope(navigate=(pages.url, admin.url, other.url)))
        async with (
            open_bounded_browser(settings, policy) as bounded,
            open_place(bounded, Bounds(PolicyGuard(policy, pages.url), nobody, pages.url, tmp_path)) as place,
        ):
            await place.session.open(pages.url)
        assert other.hits and not admin.hits
