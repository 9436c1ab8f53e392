"""Templates: one Jinja environment a language, everything escaped, nothing undefined."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from engine.domain.template import PLACEHOLDER
from engine.web.language import LANGUAGES, TAGS, catalogue
from engine.web.sentences import Sentences
from engine.web.words import WORDS

FOLDER = Path(__file__).parent


class Pages:
    """Renders templates in the visitor's language."""

    def __init__(self) -> None:
        self._says = {language: catalogue(language).gettext for language in LANGUAGES}
        self._sentences = {language: Sentences(language) for language in LANGUAGES}
        self._environments = {language: _environment(language, self.told(language)) for language in LANGUAGES}

    def say(self, language: str) -> Callable[[str], str]:
        """Translates marked texts."""
        return self._says[language]

    def told(self, language: str) -> Callable[[str], str]:
        """Translates marked texts and what the engine says."""
        return lambda text: self._sentences[language].told(self._says[language](text) if text else "")

    def render(self, template: str, language: str, content: Mapping[str, Any]) -> str:
        """A template as HTML."""
        return self._environments[language].get_template(template).render(content)


def _environment(language: str, told: Callable[[str], str]) -> Environment:
    environment = Environment(
        loader=PackageLoader("engine.web"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
        trim_blocks=True,
        lstrip_blocks=True,
    )
    translations = catalogue(language)
    environment.install_gettext_translations(translations, newstyle=True)  # type: ignore[attr-defined]
    environment.globals |= {"say": translations.gettext, "languages": LANGUAGES, "tags": TAGS, **WORDS}
    environment.filters |= {
        "told": told,
        "said_parts": lambda parts: {name: told(value) if name == "place" else value for name, value in parts.items()},
        "time": time_element,
        "iso": iso,
        "slots": slots,
        "filled": filled,
        "seconds": seconds,
        "money": money,
        "short": short,
        "size": size,
    }
    return environment


def time_element(moment: datetime | float | None) -> Markup:
    """A `<time>` that static/times.js puts into the viewer's own zone. Numbers are seconds since the epoch."""
    if moment is None:
        return Markup("–")
    at = datetime.fromtimestamp(moment, UTC) if isinstance(moment, int | float) else moment.astimezone(UTC)
    return Markup('<time datetime="{}">{} UTC</time>').format(iso(at), f"{at:%Y-%m-%d %H:%M}")


def iso(moment: datetime | float) -> str:
    """A moment as machines read it, in UTC."""
    at = datetime.fromtimestamp(moment, UTC) if isinstance(moment, int | float) else moment.astimezone(UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds(value: float) -> str:
    """Elapsed time with at most one decimal: `0.4 s`, `3 min 20 s`."""
    if value < 60:
        return f"{value:.1f} s" if value < 10 else f"{value:.0f} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def money(micros: int | None) -> str:
    """Dollars, or a dash while unknown."""
    return "–" if micros is None else f"${micros / 1_000_000:,.{4 if micros % 10_000 else 2}f}"


def filled(text: str, parts: Mapping[str, object]) -> str:
    """A translated sentence with its parts."""
    return text % parts


def slots(text: str) -> Markup:
    """A template with its placeholders set apart: `{{memberId}}` becomes a chip."""
    pieces = PLACEHOLDER.split(text)
    chips = (
        Markup('<span class="slot">{}</span>').format(piece) if odd % 2 else escape(piece) for odd, piece in enumerate(pieces)
    )
    return Markup("").join(chips)


def short(text: str, limit: int = 120) -> str:
    """One line of bounded length."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"


def size(count: int) -> str:
    """Bytes for people."""
    if count < 10_000:
        return f"{count:,} B"
    return f"{count / 1024:,.1f} KiB" if count < 1 << 20 else f"{count / (1 << 20):,.1f} MiB"
