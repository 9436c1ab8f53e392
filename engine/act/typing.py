"""Typing with read-back: fields that mask, format or eat characters are noticed, not trusted."""

import re
from decimal import Decimal

from engine.browser.element import Element
from engine.errors import ActionFailed


async def put(element: Element, text: str, shown: str) -> None:
    """Replace a field's content with `text` and check that it took. `shown` stands for the text in messages (a secret's name).

    A field that reformats (a phone number, an amount) counts as taken when letters and digits agree. Raises ActionFailed.
    """
    await element.fill(text)
    if taken(await element.value(), text):
        return
    await element.type_keys(text)
    held = await element.value()
    if not taken(held, text):
        seen = "something else" if shown != text else repr(held[:200])
        raise ActionFailed(f"{element.what} holds {seen} after typing {shown!r}: the field changes what is typed.")


def taken(held: str, text: str) -> bool:
    """Whether the field holds what was typed, apart from how the field writes it."""
    return held == text or (significant(held) == significant(text) and significant(text) != "")


def kept(held: str, text: str) -> bool:
    """Whether a field that was left may have made this of what was typed: a number or a date written otherwise."""
    if taken(held, text) or not significant(text):
        return True
    if letters(text) and not NUMBER.search(text):
        return False
    wanted, seen = numbers(text), numbers(held)
    phone = len(significant(text)) >= 7 and significant(held).endswith(significant(text))
    dated = len(wanted) >= 3 and letters(text) == "" and bool(seen) and seen <= wanted
    return phone or dated or (seen == wanted and letters(text) in ("", letters(held)))


NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def numbers(text: str) -> set[Decimal]:
    """The numbers in a text."""
    return {Decimal(each.replace(",", "")) for each in NUMBER.findall(text)}


def letters(text: str) -> str:
    """Its letters, case folded."""
    return "".join(character for character in text.casefold() if character.isalpha())


def significant(text: str) -> str:
    """Letters and digits only, case folded."""
    return "".join(character for character in text.casefold() if character.isalnum())
