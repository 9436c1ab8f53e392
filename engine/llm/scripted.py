"""A model in memory that answers from a list: for tests, and for showing the engine without any endpoint."""

from collections.abc import Iterable

from engine.domain.usage import Usage
from engine.llm.protocol import Answer, Question, Rejection


class ScriptedModel:
    """Gives `replies` one after the other; a string is an answer that cost one request of ten and five tokens.

    `questions` is everything it was asked. Raises IndexError when it is asked more often than the script is long.
    """

    def __init__(self, replies: Iterable[str | Answer | Rejection], name: str = "scripted") -> None:
        self.questions: list[Question] = []
        self._replies = list(replies)
        self._name = name

    @property
    def name(self) -> str:
        """The name given to it."""
        return self._name

    async def answer(self, question: Question) -> Answer | Rejection:
        """The next reply."""
        self.questions.append(question)
        reply = self._replies[len(self.questions) - 1]
        if isinstance(reply, str):
            usage = Usage(requests=1, input_tokens=10, output_tokens=5, usd_micros=1, usd_source="reported")
            return Answer(text=reply, usage=usage, model=self._name)
        return reply
