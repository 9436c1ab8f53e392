"""One trial: a fresh context, a changed page, our locators or others, and the server's word on what happened."""

import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from playwright.async_api import BrowserContext, Page, Request, Route
from playwright.async_api import Error as PlaywrightError

from engine.assembly.sessions import BoundedBrowser, Bounds, open_place
from engine.browser.element import Element
from engine.browser.gate import route_layer
from engine.browser.launch import Browser
from engine.domain.policy import Policy
from engine.domain.secret import Secret, Secrets
from engine.domain.step import Outcome
from engine.domain.verdict import ApprovalNeeded, Facts, Permit
from engine.guard.guard import PolicyGuard
from engine.guard.passes import Passes
from engine.guard.policy_file import default_policy
from engine.replay.place import Place
from engine.replay.proof import run_inputs
from engine.replay.replay import Replay
from tests.distill.flows import MEMBER, SECRETS
from tests.drift.flows import Hook, Ready, Sites, truth
from tests.drift.operators import OPERATORS, SCRIPT

Verdict: TypeAlias = Literal["PASS", "SAFE-ABORT", "WRONG"]
Way: TypeAlias = Literal["capwright", "codegen", "copied CSS", "absolute XPath"]
SERVER = frozenset({"slow first answer", "first answer 503"})
STEP_SECONDS = 10.0
GIVING_UP_SECONDS = 2.5
"""Where a stop is expected the page does not change any more, and waiting longer tells nothing."""


@dataclass(frozen=True)
class Plan:
    """What one trial changes: each operator at the number of a step of the flow."""

    flow: str
    way: Way
    seed: int
    operators: tuple[tuple[str, int], ...]

    @property
    def key(self) -> str:
        """Its name in the results."""
        return json.dumps([self.flow, self.way, self.seed, self.operators])

    @property
    def names(self) -> tuple[str, ...]:
        """The operators."""
        return tuple(name for name, _step in self.operators)


@dataclass(frozen=True)
class Tried:
    """What came of it; `applied` are the operators that the page really underwent."""

    key: str
    verdict: Verdict
    ending: str
    said: str
    applied: tuple[str, ...]
    did: str
    millis: float

    def line(self) -> str:
        """For the file of results."""
        return json.dumps(asdict(self))


class Yes:
    """A person who approves everything: what stops a trial is never a no."""

    async def ask(self, needed: ApprovalNeeded, step: int) -> Permit:
        """Yes."""
        return Permit(action=needed.action, facts=needed.facts, rule=needed.rule, approval_id=f"step {step}")

    def redeem(self, permit: Permit, facts: Facts, step: int) -> str | None:
        """Good."""
        return None


@dataclass
class Meddled(Replay):
    """A replay in which the page, or the session, changes between finding an element and acting on it."""

    ends_at: int = -1

    async def _act(self, permit: Permit, number: int, element: Element | None) -> Outcome:
        await meddle(self.place.session.page, self.ends_at == acting_number(self))
        return await super()._act(permit, number, element)


def acting_number(replay: Replay) -> int:
    """How many hooks the replay has passed: extracts count each value, opening the page none."""
    assert replay.current is not None
    before = replay.capability.steps[: replay.capability.steps.index(replay.current)]
    return sum(len(step.extract) if step.action == "extract" else int(step.target is not None) for step in before)


async def meddle(page: Page, end_session: bool) -> None:
    """What happens right before a step."""
    if end_session:
        await page.context.clear_cookies()
    await page.evaluate("window.__drift?.act()")


def script(ready: Ready, plan: Plan) -> str:
    """The init script with this trial's operators."""
    placed = [{"name": name, "page": ready.hooks[step].page, "at": ready.hooks[step].stamp} for name, step in plan.operators]
    elsewhere = "/elsewhere" if ready.flow.site == "depot" else f"/members/{MEMBER}/notes"
    return f"{SCRIPT}({json.dumps({'operators': placed, 'seed': plan.seed * 7919 + 17, 'elsewhere': elsewhere})})"


async def prepare(context: BrowserContext, ready: Ready, plan: Plan, sites: Sites, applied: set[str]) -> None:
    """Cookies, operators and slow or failing first answers."""
    cookies = await sites.session(ready.flow)
    if cookies:
        await context.add_cookies(cookies)  # type: ignore[arg-type]
    if plan.operators:
        await context.expose_binding("__drifted", lambda _source, name: applied.add(name))
    await context.add_init_script(script(ready, plan))
    for name in SERVER & set(plan.names):
        await context.route("**/*", once(name, applied))


def once(name: str, applied: set[str]) -> Any:
    """A route that meets the first document with a delay of 1.5 s or with 503."""

    async def meet(route: Route, request: Request) -> None:
        if not request.is_navigation_request() or request.method != "GET" or name in applied:
            await route.fallback()
            return
        applied.add(name)
        if name == "first answer 503":
            await route.fulfill(status=503, headers={"retry-after": "1"}, body="busy", content_type="text/html")
            return
        await asyncio.sleep(1.5)
        await route.fallback()

    return meet


def policy(url: str) -> Policy:
    """The default policy, whose questions at dialogs are answered in advance: the replay's own desk is what is tried."""
    given = default_policy(url)
    return given.model_copy(update={"dialog_handling": given.dialog_handling.model_copy(update={"confirm": "accept"})})


@asynccontextmanager
async def place(browser: Browser, url: str, folder: Path) -> AsyncIterator[Place]:
    """The product's own session: guard, write gate, actor, desk; without the proxy, for nothing leaves the machine here."""
    secrets = Secrets(tuple(Secret(name, value, (url,), clear=True) for name, value in SECRETS.items()))
    guard = PolicyGuard(policy(url), url, secrets)
    yes = Yes()
    bounds = Bounds(guard, yes.ask, url, folder, replaying=True)
    async with (
        route_layer(browser.playwright, files=False) as routes,
        open_place(BoundedBrowser(browser, Passes(guard.policy), routes), bounds) as opened,
    ):
        yield Place(opened.session, guard, yes, opened.actor, opened.desk)


async def by_product(
    browser: Browser, sites: Sites, ready: Ready, plan: Plan, applied: set[str]
) -> tuple[str, str, dict[str, Any]]:
    """Ending, explanation, outputs of a replay."""
    url = sites.url(ready.flow.site)
    ends_at = next((step for name, step in plan.operators if name == "session ended"), -1)
    seconds = STEP_SECONDS if all(OPERATORS[name].kind == "must pass" for name in plan.names) else GIVING_UP_SECONDS
    with tempfile.TemporaryDirectory(prefix="capwright-drift-") as folder:
        async with place(browser, url, Path(folder)) as where:
            await prepare(where.session.context, ready, plan, sites, applied)
            start = f"{url}{ready.flow.start}"
            replay = Meddled(ready.capability, run_inputs(ready.capability), where, start, 60.0, seconds, ends_at=ends_at)
            result = await replay.run()
    if ends_at >= 0:
        applied.add("session ended")
    return result.ending, f"{result.step}: {result.explanation}"[:300], dict(result.outputs)


async def by_locators(
    browser: Browser, sites: Sites, ready: Ready, plan: Plan, applied: set[str]
) -> tuple[str, str, dict[str, Any]]:
    """The same flow with one locator a step, as it was copied when the flow was done."""
    context = await browser.playwright.new_context()
    read: dict[str, Any] = {}
    try:
        await prepare(context, ready, plan, sites, applied)
        page = await context.new_page()
        page.on("dialog", lambda dialog: dialog.accept())
        await page.goto(f"{sites.url(ready.flow.site)}{ready.flow.start}")
        timeout = 1000 * (8.0 if "rendered 5 s late" in plan.names else GIVING_UP_SECONDS)
        for number, hook in enumerate(ready.hooks):
            ending = ("session ended", number) in plan.operators
            applied |= {"session ended"} if ending else set()
            await meddle(page, ending)
            await perform(page, hook, plan.way, timeout, read)
        await page.wait_for_load_state(timeout=timeout)
        await page.wait_for_timeout(100)
    except PlaywrightError as error:
        return "error", str(error).splitlines()[0][:300], {}
    finally:
        await context.close()
    return "ok", "", read


async def perform(page: Page, hook: Hook, way: Way, timeout: float, read: dict[str, Any]) -> None:
    """One step by one locator."""
    found = page.locator(hook.ways[way])
    value = hook.value
    for name, secret in SECRETS.items():
        value = value.replace(f"{{{{secret.{name}}}}}", secret)
    if hook.action == "type":
        await found.fill(value, timeout=timeout)
    elif hook.action == "select":
        await found.select_option(label=value, timeout=timeout)
    elif hook.action == "extract":
        read[hook.value] = await found.inner_text(timeout=timeout)
    else:
        await found.click(timeout=timeout)


async def attempt(browser: Browser, sites: Sites, ready: Ready, plan: Plan) -> Tried:
    """Run it and judge it by the server."""
    site, applied = ready.flow.site, set[str]()
    await sites.session(ready.flow)
    before, start = len(sites.effects(site)), time.monotonic()
    run = by_product if plan.way == "capwright" else by_locators
    ending, said, outputs = await run(browser, sites, ready, plan, applied)
    did = tuple(sites.effects(site)[before:])
    millis = round((time.monotonic() - start) * 1000, 1)
    return Tried(
        plan.key,
        judged(ready, sites, plan.way, ending, did, outputs),
        ending,
        said,
        tuple(sorted(applied)),
        str(did)[:300],
        millis,
    )


def judged(ready: Ready, sites: Sites, way: Way, ending: str, did: Any, outputs: dict[str, Any]) -> Verdict:
    """PASS: exactly the right effect, once, or exactly the right values; SAFE-ABORT: none and a typed ending; else WRONG."""
    effects, values = truth(ready.flow, sites)
    if not effects:
        right = outputs == (values if way == "capwright" else {name: plain(value) for name, value in values.items()})
        return "SAFE-ABORT" if ending != "ok" and not did else "PASS" if right and not did else "WRONG"
    if did == effects:
        return "PASS"
    return "SAFE-ABORT" if not did and ending != "ok" else "WRONG"


def plain(value: Any) -> str:
    """An output as the page shows it."""
    return f"${float(value['amount']):,.2f}" if isinstance(value, dict) else str(value)
