"""Runs that were never run: written by the real recorder, with whatever a page or a model might have said."""

import time
from datetime import UTC, datetime
from typing import Any

from engine.assembly.admin import Admin
from engine.domain.action import Click, Decision, Done, Type
from engine.domain.brief import Message
from engine.domain.observation import DialogSeen, Download
from engine.domain.run import Goal, RunResult
from engine.domain.secret import Secrets
from engine.domain.step import Outcome, RequestSeen, Step, TargetSeen, Value
from engine.domain.usage import Usage
from engine.domain.verdict import Facts
from engine.guard.policy_file import default_policy
from engine.pipeline import RunStarted
from engine.record.evidence import Evidence
from engine.record.recorder import RunRecorder
from tests.web.permits import permitted

TARGET = "http://127.0.0.1:9"
PIXEL = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffc0000b080320050001011100ffd9")
"""No picture, but the frame header of one of 1280 by 800."""


class Recorded:
    """One run of a home, written step by step."""

    def __init__(self, admin: Admin, run_id: str, goal: str = "Do it") -> None:
        self.admin, self.run_id = admin, run_id
        self.evidence = Evidence(admin.settings.evidence / run_id, lambda head: admin.runs.set_manifest_head(run_id, head))
        self.recorder = RunRecorder(self.evidence, lambda text: text)
        asked = Goal(text=goal, target=TARGET)
        policy = default_policy(TARGET, Secrets())
        admin.runs.start(run_id, asked, model="embedded", evidence=str(self.evidence.folder))
        self.recorder.begin(
            RunStarted(run_id=run_id, goal=asked, model="embedded", policy=policy, policy_digest=policy.digest, engine="0")
        )
        self.count = 0
        self.written: dict[int, float] = {}

    def step(self, said: str = "fine", **outcome: Any) -> Step:
        """One more step, of which everything that a page or a model can say says `said`."""
        self.count += 1
        snapshot = self.recorder.keep(f"- button {said!r} [ref=e1]\n".encode(), "yaml")
        screenshot = self.recorder.keep(PIXEL, "jpg")
        facts = Facts(page_url=f"{TARGET}/?{said}", role="button", name=said, link=said, form_action=said, submits=True)
        action = Type(ref="e1", text=said) if self.count % 2 else Click(ref="e1")
        step = Step(
            number=self.count,
            at=datetime.now(UTC),
            url=f"{TARGET}/{said}",
            title=said,
            fingerprint="f",
            snapshot=snapshot,
            screenshot=screenshot,
            decision=Decision(reason=said, action=action),
            verdict=permitted(action, facts),
            usage=Usage(requests=self.count, usd_micros=1200 * self.count, usd_source="reported"),
            outcome=Outcome(
                **{
                    "ok": True,
                    "problem": said,
                    "held": said,
                    "appeared": (said,),
                    "dialogs": (DialogSeen(type="confirm", message=said, answer=said),),
                    "requests": (RequestSeen(method="POST", url=said, status=200),),
                    "values": (Value(name=said, raw=said),),
                    "target": TargetSeen(role="button", name=said, text=said, box=(10, 20, 300, 40)),
                    **outcome,
                }
            ),
        )
        self.recorder.step(step)
        self.written[step.number] = time.time()
        return step

    def say(self, text: str) -> None:
        """One message of the transcript."""
        self.recorder.append(Message(role="assistant", content=text, step=1))

    def download(self, name: str, content: bytes) -> Download:
        """A file that the browser received."""
        (self.evidence.folder / "downloads" / name).write_bytes(content)
        return Download(name=name, path=f"downloads/{name}", size=len(content), sha256="0" * 64)

    def end(self, said: str = "Done.") -> None:
        """How it ended."""
        result = RunResult(
            run_id=self.run_id,
            status="not_distilled",
            stop_reason="done",
            explanation=said,
            outputs=(Value(name="output", raw=said),),
            steps=self.count,
            evidence=str(self.evidence.folder),
        )
        self.recorder.finish(result)
        self.admin.runs.finish(result)


__all__ = ["Done", "Recorded"]
