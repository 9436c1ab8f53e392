"""Answers every JavaScript dialog as the policy says; one that needs a person is dismissed and the step asks again."""

import re

from engine.domain.capability import DialogExpected
from engine.domain.policy import DialogHandling
from engine.domain.verdict import Permit


class DialogDesk:
    """The session's answerer: knows the policy and which permit is being carried out.

    A dialog that opens while an approved action runs belongs to what the person approved. Any other one whose type needs
    approval is dismissed at once, so that no page ever waits for a person, and `wanted` tells the actor to ask and act again.
    In a replay (`strict`) a dialog is part of its step: one that it does not expect is dismissed and kept in `unexpected`.
    """

    def __init__(self, handling: DialogHandling, strict: bool = False) -> None:
        self._handling = handling
        self._strict = strict
        self._permit: Permit | None = None
        self._expected: DialogExpected | None = None
        self._wanted = ""
        self.unexpected = ""

    def expect(self, dialog: DialogExpected | None) -> None:
        """The dialog that belongs to the coming step; its placeholders are filled."""
        self._expected = dialog

    def begin(self, permit: Permit) -> None:
        """An action starts."""
        self._permit = permit
        self._wanted = ""

    def end(self) -> str:
        """The action is over; what a person must be asked about, or an empty string."""
        self._permit = None
        wanted, self._wanted = self._wanted, ""
        return wanted

    async def answer(self, kind: str, message: str, _url: str) -> bool:
        """Whether to accept."""
        answer = getattr(self._handling, kind, "dismiss")
        if self._strict:
            expected = self._expected
            if expected is None or expected.type != kind or not re.search(expected.message, " ".join(message.split())):
                self.unexpected = f"{kind} dialog: {message[:500]}"
                return False
            if expected.answer == "dismiss":
                return False
        if answer != "require_approval":
            return bool(answer == "accept")
        if self._permit is not None and self._permit.approval_id is not None:
            return True
        self._wanted = f"{kind} dialog: {message[:500]}"
        return False
