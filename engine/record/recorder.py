"""Writes steps, messages, snapshots and the result of one run; all text passes the redactor first."""

import json
from collections.abc import Callable

from engine.domain.brief import Message
from engine.domain.frozen import Frozen
from engine.domain.step import Step
from engine.domain.verdict import Permit
from engine.record.evidence import Evidence

Redact = Callable[[str], str]


class RunRecorder:
    """The Recorder and Transcript of the loop."""

    def __init__(self, evidence: Evidence, redact: Redact) -> None:
        self._evidence = evidence
        self._redact = redact
        self._steps = 0

    def begin(self, run: Frozen) -> None:
        """Keep what was asked, before anything happens."""
        self._evidence.write("run.json", self._json(run, indent=2))
        self._evidence.flush()

    def intend(self, permit: Permit, step: int) -> None:
        """Say what is about to be done. Raises EvidenceUnwritable, and then it is not done."""
        intent = {"step": step, "intent": permit.model_dump(mode="json")}
        self._evidence.append("intents.jsonl", self._redact(json.dumps(intent, ensure_ascii=False)))
        self._evidence.flush()

    def step(self, step: Step) -> None:
        """Keep one whole turn of the loop, its downloads included."""
        for download in step.outcome.downloads:
            self._evidence.adopt(download.path)
        self._evidence.append("steps.jsonl", self._json(step).decode())
        self._steps = step.number
        self._evidence.flush()

    def append(self, message: Message) -> None:
        """Keep one message to or from a model."""
        self._evidence.append_item("transcript.json", self._json(message).decode())

    def keep(self, content: bytes, kind: str) -> str:
        """Keep what the observer saw of the coming step, `yaml` (masked) or `jpg` (covered); its relative path."""
        number = f"{self._steps + 1:04d}"
        if kind == "jpg":
            return self._evidence.write(f"screenshots/{number}.jpg", content)
        return self._evidence.write(f"snapshots/{number}.yaml", self._redact(content.decode()).encode())

    def finish(self, result: Frozen) -> None:
        """Keep how it ended; the last entry of the chain."""
        self._evidence.write("result.json", self._json(result, indent=2))
        self._evidence.flush()

    def _json(self, record: Frozen, indent: int | None = None) -> bytes:
        return self._redact(json.dumps(record.model_dump(mode="json"), ensure_ascii=False, indent=indent)).encode()
