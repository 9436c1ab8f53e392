"""Closed sets in words: every state, ending and code that a page shows, marked for the catalogues."""

from collections.abc import Mapping

from engine.web.language import marked

STATUSES: Mapping[str, str] = {
    "running": marked("running"),
    "done": marked("done"),
    "not_distilled": marked("done, no draft"),
    "stuck": marked("stuck"),
    "limit": marked("limit reached"),
    "policy": marked("stopped by the policy"),
    "model": marked("model failed"),
    "browser": marked("browser failed"),
    "interrupted": marked("interrupted"),
    "fault": marked("fault"),
    "cut": marked("cut off"),
}
STATES: Mapping[str, str] = {
    "draft": marked("draft"),
    "approved": marked("approved"),
    "rejected": marked("rejected"),
    "superseded": marked("superseded"),
    "revoked": marked("revoked"),
    "tampered": marked("changed after review"),
    "unreadable": marked("not readable"),
}
RISKS: Mapping[str, str] = {
    "read_only": marked("reads only"),
    "reversible": marked("changes, reversible"),
    "irreversible": marked("changes for good"),
}
EFFECTS: Mapping[str, str] = {
    "read": marked("reads"),
    "idempotent": marked("harmless to repeat"),
    "commit": marked("has an effect"),
}
VERDICTS: Mapping[str, str] = {
    "permit": marked("permitted"),
    "refusal": marked("refused"),
    "approval_needed": marked("asked a person"),
}
ACTIONS: Mapping[str, str] = {
    "navigate": marked("open"),
    "click": marked("click"),
    "type": marked("type"),
    "select": marked("choose"),
    "press": marked("press a key"),
    "wait": marked("wait"),
    "widen": marked("look closer"),
    "extract": marked("read"),
    "done": marked("done"),
    "stuck": marked("stuck"),
    "hover": marked("point at"),
    "upload": marked("upload"),
    "scroll": marked("scroll"),
    "switch_tab": marked("switch tab"),
    "go_back": marked("go back"),
}
ASKED: Mapping[str, str] = {
    "pending": marked("waits"),
    "approved": marked("approved"),
    "denied": marked("denied"),
    "expired": marked("expired"),
    "void": marked("withdrawn"),
    "consumed": marked("approved and used"),
}
WORDS: Mapping[str, Mapping[str, str]] = {
    "STATUSES": STATUSES, "STATES": STATES, "RISKS": RISKS, "EFFECTS": EFFECTS, "VERDICTS": VERDICTS, "ACTIONS": ACTIONS,
    "ASKED": ASKED,
}  # fmt: skip
