"""A short slice of the drift benchmark: the right effect once, or none and a typed ending."""

from pathlib import Path

from engine.browser.launch import Browser
from tests.drift.flows import open_sites, ready
from tests.drift.operators import OPERATORS
from tests.drift.plans import stacked
from tests.drift.report import wilson
from tests.drift.trial import Plan, attempt

SLICE = (
    *((name, 4) for name in ("tag swapped", "test id removed", "hidden twin", "redesign", "open shadow root")),
    *((name, 1) for name in ("case, spaces and quotes", "id renamed", "name removed", "siblings reordered")),
    *((name, 4) for name in ("same place, other meaning", "another form action", "session ended")),
    ("amount changed after typing", 1), ("labels swapped with names", 1),
)  # fmt: skip
GOOD = {"must pass": {"PASS"}, "pass or abort": {"PASS", "SAFE-ABORT"}, "must abort": {"SAFE-ABORT"}}


async def test_a_slice_of_drift_is_survived_or_stopped(browser: Browser, tmp_path: Path) -> None:
    """One flow, one operator a trial, and stacks: by the server's log every trial ends as its operator's kind says."""
    async with open_sites() as sites:
        made = await ready(browser, sites, "order", tmp_path)
        untouched = await attempt(browser, sites, made, Plan("order", "capwright", 1, ()))
        assert untouched.verdict == "PASS", untouched
        for name, step in SLICE:
            tried = await attempt(browser, sites, made, Plan("order", "capwright", 1, ((name, step),)))
            assert tried.applied and tried.verdict in GOOD[OPERATORS[name].kind], tried
        for plan in stacked({"order": made}, (2,), 4):
            assert (await attempt(browser, sites, made, plan)).verdict != "WRONG"
        # The judge can tell: an XPath types into the field that has the place, and no longer the meaning, of the one meant.
        swapped = Plan("order", "absolute XPath", 1, (("labels swapped with names", 0),))
        assert (await attempt(browser, sites, made, swapped)).verdict == "WRONG"


def test_intervals_are_wilsons() -> None:
    """Known values of the interval."""
    assert [round(bound, 1) for bound in wilson(95, 100)] == [88.8, 97.8]
    assert wilson(0, 0) == (0.0, 100.0)
