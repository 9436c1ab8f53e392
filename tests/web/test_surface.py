import asyncio
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import status_code_conformance

from engine.access.sessions import form_token
from engine.assembly.discoveries import Discoveries
from engine.errors import UsageError
from engine.explore.requests import METHODS
from tests.web.exploring import explored
from tests.web.recorded import Recorded
from tests.web.serving import Served
from tests.web.surface import surface
from tests.web.test_edit import draft
from tests.web.test_live import ask

MOST = settings(
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    derandomize=False,
)


async def refused(*_: Any) -> Any:
    raise UsageError("No browser is started here.")


def every(served: Served, document: dict[str, Any], examples: int, number: int) -> int:
    """So many requests to each address; no 5xx, no status that is not meant. How many were sent."""
    sent = 0
    for found in schemathesis.openapi.from_dict(document).get_all_operations():

        @seed(number)
        @settings(MOST, max_examples=examples)
        @given(case=found.ok().as_strategy())
        def ask_once(case: Any) -> None:
            nonlocal sent
            sent += 1
            token = served.frame.sessions.start("mona", local=False)  # a fresh one: some of these requests sign out
            if isinstance(case.body, dict) and "form_token" in case.body:
                case.body = {**case.body, "form_token": form_token(token)}
            headers = {"cookie": f"{served.frame.cookie}={token}", "origin": served.url}
            response = case.call(base_url=served.url, headers=headers, allow_redirects=False, timeout=30)
            case.validate_response(response, checks=[not_a_server_error, status_code_conformance])

        ask_once()
    return sent


@pytest.mark.parametrize("examples", [4, pytest.param(60, marks=[pytest.mark.slow, pytest.mark.timeout(1200)])])
async def test_no_request_ends_in_a_fault(tmp_path: Path, examples: int) -> None:
    """Generated from the table of pages: every form, query, address and JSON request, on things that exist and that do not."""
    async with explored(tmp_path) as home:
        served = home.served
        object.__setattr__(served.admin, "discoveries", Discoveries(served.admin.settings, refused))
        run = Recorded(served.admin, "20260101-000000-aaaaaa")
        run.step()
        asked = ask(served, run.run_id)
        served.admin.reviewing.store.keep(draft())
        exploration = await home.bench.queue("run-1")
        known = {
            "run_id": (run.run_id, exploration), "approval_id": (asked.id,), "name": ("one", "run.json"), "number": ("0001",),
            "version": ("1.0.0",), "round": ("1",), "method": tuple(METHODS),
        }  # fmt: skip
        sent = await asyncio.to_thread(every, served, surface("", known), examples, 1)
    assert sent > 30 * examples
