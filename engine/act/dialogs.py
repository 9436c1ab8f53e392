"""Answers every JavaScript dialog as the policy says; one that needs a person is dismissed and the step asks again."""

from engine.domain.policy import DialogHandling
from engine.domain.verdict import Permit

Expected = tuple[str, str, bool]


class DialogDesk:
    """The session's answerer: knows the policy and which permit is being carried out.

    A dialog that opens while an approved action runs belongs to what the person approved. Any other one whose type needs
    approval is dismissed at once, so that no page ever waits for a person, and `wanted` tells the actor to ask and act again.
    """

    def __init__(self, handling: DialogHandling) -> None:
        self._handling = handling
        self._permit: Permit | None = None
        self.wanted = ""

    def begin(self, permit: Permit) -> None:
        """An action starts."""
        self._permit = permit
        self.wanted = ""

    def end(self) -> str:
        """The action is over; what a person must be asked about, or an empty string."""
        self._permit = None
        wanted, self.wanted = self.wanted, ""
        return wanted

    async def answer(self, kind: str, message: str, _url: str) -> bool:
        """Whether to accept."""
        answer = getattr(self._handling, kind, "dismiss")
        if answer != "require_approval":
            return bool(answer == "accept")
        if self._permit is not None and self._permit.approval_id is not None:
            return True
        self.wanted = f"{kind} dialog: {message[:500]}"
        return False
