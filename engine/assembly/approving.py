"""Who is asked about risky steps: the terminal, the inbox, or nobody."""

import asyncio
import getpass
import sys
import uuid
from collections.abc import Callable
from typing import Literal, TypeAlias

from engine.access.approvals import AskingApprover, DenyingApprover, Desk, InboxApprover, RunOf
from engine.assembly.homes import database
from engine.domain.clearance import Approver
from engine.domain.verdict import ApprovalNeeded, Permit, Refusal
from engine.guard.guard import PolicyGuard
from engine.guard.writes import Ask
from engine.settings import Settings
from engine.store.approvals import ApprovalStore

Asking: TypeAlias = Literal["ask", "inbox", "deny"]
AnyApprover: TypeAlias = DenyingApprover | AskingApprover | InboxApprover


def approver_of(
    settings: Settings,
    asking: Asking | None,
    guard: PolicyGuard,
    run_id: str,
    capability: str = "",
    tell: Callable[[str], None] = lambda _line: None,
) -> AnyApprover:
    """The approver of one run. Without a choice: the terminal where somebody sits at one, else nobody."""
    chosen = asking or ("ask" if sys.stdin is not None and sys.stdin.isatty() else "deny")
    if chosen == "deny":
        return DenyingApprover()
    run = RunOf(run_id, guard.policy.digest, process=uuid.uuid4().hex, capability=capability)
    desk = Desk(guard, ApprovalStore(database(settings)), run)
    if chosen == "ask":
        return AskingApprover(desk, at_the_terminal)
    return InboxApprover(desk, tell=lambda asked, seconds: tell(waiting(asked, seconds)))


def waiting(asked: str, seconds: float) -> str:
    """What a person must do."""
    return f"Waiting up to {seconds:.0f} s for a person: discover approvals approve {asked}"


def redeeming(approver: Approver) -> Ask:
    """Ask about a request that is being held, and use the answer up at once: it is still the request that was asked about."""

    async def ask(needed: ApprovalNeeded, step: int) -> Permit | Refusal:
        answer = await approver.ask(needed, step)
        why = approver.redeem(answer, needed.facts, step) if isinstance(answer, Permit) else None
        return Refusal(action=needed.action, rule=needed.rule, why=why) if why else answer

    return ask


async def at_the_terminal(needed: ApprovalNeeded, step: int) -> str | None:
    """Show the question, read one line; the name of who said yes."""
    place = f'{needed.facts.role} "{needed.facts.name}"' if needed.facts.role else ""
    sys.stderr.write(
        f"\nStep {step} needs your approval: {needed.action.action} {place} on {needed.facts.page_url}\n{needed.why}\n"
    )
    sys.stderr.write("Approve this one step? [y/N] ")
    sys.stderr.flush()
    line = await asyncio.to_thread(sys.stdin.readline)
    return getpass.getuser() if line.strip().lower() in ("y", "yes") else None
