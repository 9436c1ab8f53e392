"""Keeps page text apart from everything else in a prompt: a block with a nonce, and no look-alike of its marks inside.

What is taken out of page text: control characters, zero-width and bidirectional-control characters, and the invisible tag
characters (joiners stay between two letters of a script that needs them). What is broken by a backslash inside it: runs of
two or more opening or closing angle brackets of any kind, and the marks by which chat templates tell speakers apart (inside,
because a server that looks for `</s>` finds it behind a backslash, too).
"""

import re
import unicodedata

INVISIBLE = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f"
    "\\u3164\\ufeff\\ufff9-\\ufffb\\U000e0000-\\U000e0fff]"
)
JOINERS = re.compile("[\u200c\u200d]+")
BRACKETS = re.compile(r"[<＜﹤‹«〈《⟨⟪≪⋘˂ᐸ❮❰>＞﹥›»〉》⟩⟫≫⋙˃ᐳ❯❱]{2,}")
SPEAKERS = re.compile(
    r"<[|｜]|[|｜]>|</?s>|<(?=/?(?:start_of_turn|end_of_turn|bos|eos|system|user|assistant|think|thinking)\b)|\[(?=/?(?:INST|SYS)\])",
    re.IGNORECASE,
)


def defused(text: str) -> str:
    """Page text that can neither hide something nor pass for a mark of ours or of a chat template."""
    seen = JOINERS.sub(_joined, INVISIBLE.sub("", text.replace("\r\n", "\n")))
    seen = BRACKETS.sub(lambda run: "\\".join(run.group()), seen)
    return SPEAKERS.sub(lambda mark: f"{mark.group()[0]}\\{mark.group()[1:]}", seen)


def line(text: str, limit: int = 200) -> str:
    """Page text as a part of one line."""
    flat = " ".join(defused(text).split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"


def block(label: str, nonce: str, text: str) -> str:
    """A block that only the holder of this call's nonce could have opened or closed; `text` is defused already."""
    return f"<<<{label} {nonce}>>>\n{text}\n<<<END {label} {nonce}>>>"


def _joined(run: re.Match[str]) -> str:
    """One joiner where it shapes letters, or joins two pictographs; none elsewhere."""
    around = run.string[max(0, run.start() - 1) : run.start()], run.string[run.end() : run.end() + 1]
    shapes = all(side and not side.isascii() and unicodedata.category(side)[0] in "LMS" for side in around)
    return run.group()[0] if shapes else ""
