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
RUN_STATES: Mapping[str, str] = {
    "pending_approval": marked("waits for approval"),
    "queued": marked("queued"),
    "preparing": marked("preparing"),
    "baseline_running": marked("scoring the baseline"),
    "exploring": marked("exploring"),
    "paused": marked("paused"),
    "finalizing": marked("finishing"),
    "terminal": marked("ended"),
    "complete": marked("complete"),
    "degraded": marked("ended early, degraded"),
    "budget_exhausted": marked("budget used up"),
    "rate_limited": marked("rate limited"),
    "failed": marked("failed"),
    "cancelled": marked("cancelled"),
    "interrupted": marked("interrupted"),
    "blocked": marked("blocked"),
}
CELL_STATES: Mapping[str, str] = {
    "planned": marked("planned"),
    "waiting_slot": marked("waits for a worker"),
    "preparing": marked("preparing"),
    "running": marked("running"),
    "sealing": marked("sealing"),
    "evaluating": marked("being scored"),
    "valid": marked("valid"),
    "invalid_solution": marked("not a solution"),
    "runtime_error": marked("runtime error"),
    "timeout": marked("out of time"),
    "no_output": marked("no output"),
    "tamper": marked("tampered"),
    "policy_violation": marked("against the policy"),
    "not_evaluated": marked("not scored"),
    "void": marked("void"),
    "infra_failed": marked("infrastructure failed"),
    "cancelled": marked("cancelled"),
    "skipped": marked("skipped"),
}
STOP_CODES: Mapping[str, str] = {
    "no_account": marked("No usable credential before the first call, or the provider refused all. Nothing was spent."),
    "budget_exhausted": marked("The next call did not fit into the budget. What was paid for is kept and scored."),
    "rate_limited": marked("The provider's rate or usage limit was reached. Try again later."),
    "isolation_unavailable": marked("The sandbox could not be had, so nothing was run in it."),
    "runtime_unsupported": marked("The runtime cannot do what was asked."),
    "cleanup_failed": marked("Something could not be removed for certain. New work waits until it is swept."),
    "integrity_changed": marked("Sealed content, the seed, the evaluator or an export is no longer what was recorded."),
    "winner_rejected": marked("Every finalist failed when it was scored a second time."),
    "evaluator_unavailable": marked("The winner, or three cells in a row, could not be scored."),
    "attempt_failed": marked("An attempt could not be started, or used up its retries."),
    "tool_violation": marked("An attempt used a tool outside its surface."),
    "other": marked("It ended for another reason; the operator finds it in the events."),
}
APPROVALS: Mapping[str, str] = {
    "pending": marked("waits"),
    "approved": marked("approved"),
    "denied": marked("denied"),
    "expired": marked("expired"),
    "withdrawn": marked("withdrawn"),
    "not_required": marked("not needed"),
}
TYPES: Mapping[str, str] = {
    "text": marked("text"),
    "integer": marked("whole number"),
    "decimal": marked("decimal number"),
    "currency": marked("amount of money"),
    "date": marked("date"),
    "email": marked("e-mail address"),
    "boolean": marked("yes or no"),
}
USD_SOURCES: Mapping[str, str] = {
    "reported": marked("reported"),
    "estimated": marked("estimated"),
    "unknown": marked("unknown"),
    "pending": marked("pending"),
}
CANCEL_CODES: Mapping[str, str] = {
    "approval_denied": marked("The approval was denied."),
    "approval_expired": marked("Nobody approved it in time."),
    "cancelled_by_user": marked("A person cancelled it."),
}
STOP_DETAILS: Mapping[str, str] = {
    "baseline_invalid": marked("The baseline did not score as valid."),
    "target_reached": marked("The target score was reached."),
    "experiments_used": marked("All experiments were used."),
    "plan_failed": marked("The next round could not be planned."),
    "grid_limit": marked("The grid is as large as it may be."),
    "quota_exceeded": marked("The room for sealed artifacts is used up."),
    "lease_lost": marked("Another process took the run over."),
    "store_unavailable": marked("The database could not be written."),
    "transcript_overflow": marked("A transcript grew too large."),
    "policy_violation": marked("An attempt left the policy's scope."),
    "proposal_failed": marked("No proposal could be made."),
    "attempt_uncertain": marked("It is not known how an attempt ended."),
    "evaluator_changed": marked("The evaluator is another than the one that was approved."),
    "root_changed": marked("What it starts from was changed."),
    "operator_stop": marked("An operator stopped it."),
}
ENDINGS: Mapping[str, str] = {
    "ok": marked("ok"),
    "input_invalid": marked("input does not fit"),
    "drift": marked("page changed"),
    "ambiguous": marked("ambiguous"),
    "checkpoint_failed": marked("ended elsewhere"),
    "output_invalid": marked("output does not fit"),
    "policy": marked("stopped by the policy"),
    "approval_needed": marked("needs approval"),
    "auth_expired": marked("signed out"),
    "dialog_unexpected": marked("unexpected dialog"),
    "target_error": marked("site error"),
    "timeout": marked("out of time"),
    "in_doubt": marked("in doubt"),
    "not_approved": marked("not approved"),
    "tampered": marked("changed after review"),
}
ROLES: Mapping[str, str] = {
    "viewer": marked("viewer"),
    "requester": marked("requester"),
    "manager": marked("manager"),
    "operator": marked("operator"),
}
SPEAKERS: Mapping[str, str] = {
    "system": marked("system"),
    "user": marked("engine"),
    "assistant": marked("model"),
    "tool": marked("tool"),
}
FOUND_NOW = marked("found now: %(count)s")
WORDS: Mapping[str, Mapping[str, str] | str] = {
    "FOUND_NOW": FOUND_NOW,
    "STATUSES": STATUSES, "STATES": STATES, "RISKS": RISKS, "EFFECTS": EFFECTS, "VERDICTS": VERDICTS, "ACTIONS": ACTIONS,
    "ASKED": ASKED, "RUN_STATES": RUN_STATES, "CELL_STATES": CELL_STATES, "STOP_CODES": STOP_CODES, "APPROVALS": APPROVALS,
    "USD_SOURCES": USD_SOURCES, "TYPES": TYPES, "CANCEL_CODES": CANCEL_CODES,
    "STOP_DETAILS": STOP_DETAILS, "ENDINGS": ENDINGS, "ROLES": ROLES, "SPEAKERS": SPEAKERS,
}  # fmt: skip
