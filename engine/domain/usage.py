"""What the model of a run was asked and what it cost."""

from typing import Literal

from engine.domain.frozen import Frozen


class Usage(Frozen):
    """Model use of a run. `usd_micros` is None while unknown: never 0 for want of a price."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd_micros: int | None = None
    usd_source: Literal["reported", "estimated", "unknown", "pending"] = "unknown"

    def plus(self, other: "Usage") -> "Usage":
        """Both together; unknown money stays unknown, an estimate makes the sum an estimate."""
        first = self.requests == 0 and self.usd_micros is None
        if first:
            return other
        known = self.usd_micros is not None and other.usd_micros is not None
        sources = {self.usd_source, other.usd_source}
        return Usage(
            requests=self.requests + other.requests,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            usd_micros=(self.usd_micros or 0) + (other.usd_micros or 0) if known else None,
            usd_source="unknown" if not known else "reported" if sources == {"reported"} else "estimated",
        )
