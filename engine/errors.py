"""Every exception the engine raises; each exists because some caller treats it differently.

CapwrightError
├── UsageError               the caller asked for something that cannot be; exit 2
│   ├── SettingsInvalid      config.toml or an environment variable does not parse
│   ├── PolicyInvalid        a policy file does not parse
│   ├── CapabilityInvalid    a capability file does not parse or breaks its own rules
│   ├── NotFound             no run, capability or approval of that name
│   └── RequestRefused       a request of the core was refused; carries the typed code
├── BrowserError             exit 7
│   ├── BrowserMissing       no browser on this machine
│   ├── BrowserGone          it crashed, was killed or stopped answering
│   ├── TargetUnreachable    the site did not answer
│   ├── StaleRef             the ref is not in the latest snapshot, or no longer one element
│   └── ActionFailed         the page did not let the action happen (covered, disabled, read-back differs)
├── ModelError               exit 6
│   ├── ModelUnavailable     no key, refused key, no such model, no connection
│   ├── ModelRateLimited     429 that outlived its retries
│   ├── ModelTimeout         no whole answer in time
│   └── ModelGarbled         an answer that is no decision, after the one repair
├── DistillRefused           the trajectory makes no capability that would be safe to keep; exit 8
├── EvidenceUnwritable       evidence cannot be written, so no effect may follow; exit 5
├── StoreError
│   ├── StoreNewer           the database was written by a newer version
│   ├── IllegalTransition    a state change that the table of legal edges does not hold
│   ├── LeaseLost            another owner took over; nothing more may be written
│   ├── IntegrityChanged     sealed bytes are not what was recorded
│   └── QuotaExceeded        the installation's room for sealed artifacts is used up
├── TreeRefused              a folder holds what may not be sealed: links, devices, odd names, too much
├── HostFault                the host cannot go on with an exploration; carries the stop code
└── DeadlineExceeded         our own deadline fired
"""

from typing import Literal


class CapwrightError(Exception):
    """Root; `str()` is a sentence that says what went wrong, where, and what to do next."""


class UsageError(CapwrightError):
    """The caller asked for something that cannot be."""


class SettingsInvalid(UsageError):
    """config.toml or an environment variable does not parse."""


class PolicyInvalid(UsageError):
    """A policy file does not parse; the message names file, line or field."""


class CapabilityInvalid(UsageError):
    """A capability file does not parse or breaks its own rules."""


class NotFound(UsageError):
    """No run, capability or approval of that name."""


class RequestRefused(UsageError):
    """A request of the core was refused: `code` is one of the typed errors, `field` names the parameter."""

    def __init__(self, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.field = field


class BrowserError(CapwrightError):
    """Something about the browser or the target."""


class BrowserMissing(BrowserError):
    """No browser was found; the message says how to get one."""


class BrowserGone(BrowserError):
    """The browser or its renderer crashed, was killed, or stopped answering."""


class TargetUnreachable(BrowserError):
    """The target did not answer, or answered with a network error."""


class StaleRef(BrowserError):
    """The ref is not in the latest snapshot of its frame, or no longer names exactly one element."""


class ActionFailed(BrowserError):
    """The page did not let the action happen: covered, disabled, detached, or read back differently."""


class ModelError(CapwrightError):
    """A model call that gave no decision."""


class ModelUnavailable(ModelError):
    """No key, a refused key, an unknown model, or no connection."""


class ModelRateLimited(ModelError):
    """The provider's rate limit outlived the retries."""


class ModelTimeout(ModelError):
    """No whole answer within the deadline."""


class ModelGarbled(ModelError):
    """The answer was no valid decision, also after the one repair question."""


class DistillRefused(CapwrightError):
    """The trajectory makes no capability that would be safe to keep."""


class EvidenceUnwritable(CapwrightError):
    """Evidence cannot be written, so no effect may follow."""


class StoreError(CapwrightError):
    """The database refused or cannot be used."""


class StoreNewer(StoreError):
    """The database was written by a newer version of the engine."""


class IllegalTransition(StoreError):
    """A state change that the table of legal edges does not hold."""


class LeaseLost(StoreError):
    """Another owner holds the lease; nothing more may be written under the old epoch."""


class IntegrityChanged(StoreError):
    """Sealed bytes are not what was recorded."""


class QuotaExceeded(StoreError):
    """The installation's room for sealed artifacts is used up."""


class TreeRefused(CapwrightError):
    """A folder holds what may not be sealed; `kind` says whether it is foul play or only too much."""

    def __init__(self, kind: Literal["foreign", "limit"], message: str) -> None:
        super().__init__(message)
        self.kind: Literal["foreign", "limit"] = kind


class HostFault(CapwrightError):
    """The host cannot go on with an exploration: `code` is the stop code, `detail` the stop detail or None."""

    def __init__(self, code: str, message: str, detail: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.detail = detail


class DeadlineExceeded(CapwrightError):
    """One of our own deadlines fired."""
