"""Permits as the guard makes them."""

from engine.domain.action import Action
from engine.domain.secret import Secrets
from engine.domain.verdict import ApprovalNeeded, Facts, Permit
from engine.guard.guard import PolicyGuard
from engine.guard.policy_file import default_policy

TARGET = "http://127.0.0.1:9"


def permitted(action: Action, facts: Facts) -> Permit:
    """A permit for whatever it is."""
    guard = PolicyGuard(default_policy(TARGET, Secrets()), TARGET, Secrets())
    return guard.grant(ApprovalNeeded(action=action, facts=facts, rule="risk[0]", why="asked"), "ap-1")
