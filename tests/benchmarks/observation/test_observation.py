"""The slice of the observation benchmark that every test run can afford: our figures against Playwright's whole snapshots."""

from engine.browser.session import Session
from engine.observe.tokens import tokens
from tests.benchmarks.observation.completeness import actionable, readable
from tests.benchmarks.observation.journey import journey
from tests.benchmarks.observation.measure import MAX_TOKENS, Ours


async def test_a_run_costs_a_fifth_of_whole_snapshots_and_loses_nothing(session: Session) -> None:
    """Over a run on the console: newly sent tokens at most 20 % of Playwright's snapshots, and nothing lost on any page."""
    ours = Ours()
    sent = whole = 0
    async for step in journey(session.page):
        look = await ours.look(session.page)
        sent += tokens(look.sent)
        whole += tokens(await session.page.aria_snapshot(mode="ai"))
        assert ours.snapshot
        assert actionable(ours.snapshot.root, MAX_TOKENS).lost == (), step
        assert readable(ours.snapshot.root, MAX_TOKENS).lost == (), step
    assert sent <= 0.2 * whole
