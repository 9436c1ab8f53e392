"""A request that the page is about to send, as far as a policy can speak of it."""

from pydantic import Field

from engine.domain.frozen import Frozen


class RequestFacts(Frozen):
    """What the route layer knows before a byte is sent; of a body only short named fields, for the person who is asked."""

    method: str
    url: str
    page_url: str = Field(default="", description="The window that it is for; empty for a frame, a worker, a page's own files")
    top: bool = Field(default=False, description="It fills a window, not a frame")
    repeated: bool = Field(default=False, description="A write that was let go, sent again since its server redirects it")
    fields: tuple[tuple[str, str], ...] = ()


class Passage(Frozen):
    """Whether bytes may go to an origin; `listed` says that the scope names this very host, so that it may be a private one."""

    allowed: bool
    listed: bool = False
    why: str = ""
