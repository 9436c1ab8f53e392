"""Placeholders: `{{memberId}}` and `{{secret.NAME}}` in values, URLs, locators and expectations; plain text, no expressions."""

import re
from collections.abc import Mapping

PLACEHOLDER = re.compile(r"\{\{((?:secret\.)?[A-Za-z][A-Za-z0-9_]*)\}\}")
_SYNTAX = re.compile(r"[\\^$.*+?()\[\]{}|/]")


def escape(text: str) -> str:
    """The text as a regular expression that both Python and JavaScript (with the u flag) read alike."""
    return _SYNTAX.sub(r"\\\g<0>", text)


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with every placeholder that has a value replaced by it, as plain text."""
    return PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), template)


def fill_pattern(template: str, values: Mapping[str, str]) -> str:
    """The same for a regular expression: values are taken literally."""
    return PLACEHOLDER.sub(lambda match: escape(values[match[1]]) if match[1] in values else match[0], template)


def names_in(template: str) -> tuple[str, ...]:
    """Names of the placeholders, in order."""
    return tuple(match[1] for match in PLACEHOLDER.finditer(template))
