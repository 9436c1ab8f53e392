"""Signing in: the form with a password field, in one page or two; a form that comes back means it was not accepted."""

from engine.decide.embedded.forms import submit_of
from engine.decide.embedded.ground import best
from engine.decide.embedded.intents import SignIn
from engine.decide.embedded.moves import Blocked, Do, Finished, Move, Turn
from engine.decide.embedded.scene import BUTTONS, LINKS, TEXT_FIELDS, Scene, Spot
from engine.decide.embedded.words import tokens
from engine.domain.action import Click, Press, Type

PASSWORDS = frozenset({"password", "pin", "pwd"})
SUBMIT = "sign in"
TRIES = 2


def password_field(scene: Scene) -> Spot | None:
    """The first field for a password."""
    return next((spot for spot in scene.of(TEXT_FIELDS) if PASSWORDS & set(tokens(spot.label))), None)


def asks_to_sign_in(scene: Scene) -> bool:
    """Whether the page is a sign-in form: a password field and a button that signs in."""
    return password_field(scene) is not None and best(scene.of(BUTTONS), "sign in").spot is not None


def sign_in(intent: SignIn, turn: Turn) -> Move:
    """Type both values, each in the field it fits, and press the form's button."""
    scene = turn.scene
    password = password_field(scene)
    user = user_field(scene, password)
    if not intent.asked and not turn.past.deeds and not asks_to_sign_in(scene):
        return Finished()
    if password is None and (user is None or turn.past.did(SUBMIT)):
        return _no_form(turn)
    if not intent.password or not intent.user:
        return Blocked("The goal says to sign in, but names no user and password; give them as secrets.")
    if rejected(turn):
        return Blocked(f"Signing in was not accepted. {scene.messages}".strip())
    since = turn.past.after(SUBMIT)
    wanted = ((user, intent.user, "user"), (password, intent.password, "password"))
    for spot, value, what in wanted:
        why = f"type the {what} in {spot}"
        if spot is not None and spot.node.ref is not None and not since.did(why):
            return Do(Type(ref=spot.node.ref, text=value), why)
    return _submit(scene, [spot for spot, _, _ in wanted if spot is not None])


def user_field(scene: Scene, password: Spot | None) -> Spot | None:
    """The field before the password; on a page without one, a field that is named for a user."""
    fields = scene.of(TEXT_FIELDS)
    if password is not None:
        before = [spot for spot in fields if spot.order < password.order]
        return before[-1] if before else None
    if not best(scene.of(BUTTONS), "sign in", "next", "continue").spot:
        return None
    return next((spot for spot in fields if {"username", "user", "email", "signin"} & set(tokens(spot.label))), None)


def rejected(turn: Turn) -> bool:
    """Whether the form is there again right after it was sent; after other work it is a session that ended."""
    sent = [deed for deed in turn.past.deeds if deed.why == SUBMIT and deed.ok]
    if not sent or turn.past.after(SUBMIT).deeds:
        return False
    latest = turn.whole.last
    return len(sent) >= TRIES or latest is None or latest.number == sent[-1].number


def _submit(scene: Scene, fields: list[Spot]) -> Move:
    found = submit_of(scene, fields, ("sign in", "submit", "continue", "next", "enter", "go"))
    if found.spot is not None and found.spot.node.ref is not None:
        return Do(Click(ref=found.spot.node.ref), SUBMIT)
    if found.rivals:
        return Blocked(found.problem("the button that signs in"))
    return Do(Press(ref=fields[-1].node.ref, key="Enter"), SUBMIT)


def _no_form(turn: Turn) -> Move:
    if turn.past.did(SUBMIT) or best(turn.scene.of(BUTTONS | LINKS), "sign out").spot:
        return Finished()
    entry = best(turn.scene.of(BUTTONS | LINKS), "sign in")
    if entry.spot is not None and entry.spot.node.ref is not None:
        return Do(Click(ref=entry.spot.node.ref), f"go to {entry.spot}")
    return Blocked("I see no place to sign in here.")
