"""The three languages: catalogues read once at start, chosen by cookie or by what the browser asks for."""

from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path

from babel.core import negotiate_locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations

LANGUAGES: Mapping[str, str] = {"en": "English", "zh_TW": "繁體中文", "ja": "日本語"}
TAGS: Mapping[str, str] = {"en": "en", "zh_TW": "zh-Hant-TW", "ja": "ja"}
ALIASES = {"en": "en", "zh": "zh_TW", "zh_hant": "zh_TW", "zh_hk": "zh_TW", "zh_hant_tw": "zh_TW", "ja": "ja", "ja_jp": "ja"}
LOCALES = Path(__file__).parent / "locales"

Say = Callable[[str], str]


def marked(text: str) -> str:
    """Marks a text for the catalogues; it is translated where it is shown."""
    return text


def catalogue(language: str) -> Translations:
    """The translations of one language; English is what the pages are written in."""
    file = LOCALES / language / "LC_MESSAGES" / "admin.po"
    if not file.is_file():
        return Translations()
    compiled = BytesIO()
    with file.open("rb") as source:
        write_mo(compiled, read_po(source, locale=language))
    compiled.seek(0)
    return Translations(compiled)


def chosen(cookie: str | None, accepted: str) -> str:
    """The language of the switch, else the best of `Accept-Language`, else English."""
    if cookie is not None and cookie in LANGUAGES:
        return cookie
    asked = sorted((_weighed(part) for part in accepted.split(",") if part.strip()), key=lambda pair: -pair[1])
    tags = [tag for tag, weight in asked if weight > 0]
    found: str | None = negotiate_locale(tags, list(LANGUAGES), sep="_", aliases=ALIASES)
    return found or "en"


def _weighed(part: str) -> tuple[str, float]:
    tag, _, quality = part.strip().partition(";q=")
    try:
        weight = float(quality) if quality else 1.0
    except ValueError:
        weight = 0.0
    name = tag.strip().lower().replace("-", "_")
    return ALIASES.get(name, name), weight
