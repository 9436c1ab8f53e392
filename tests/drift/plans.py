"""Which trials there are: frozen seeds, every operator at steps where it makes sense, stacks of 2, 4 and 8."""

import random
from collections.abc import Iterator, Mapping

from tests.drift.flows import Hook, Ready
from tests.drift.operators import OPERATORS, Kind
from tests.drift.trial import Plan, Way

SEEDS: Mapping[str, tuple[int, ...]] = {"development": tuple(range(1, 41)), "reported": tuple(range(1001, 1041))}
KINDS: tuple[Kind, ...] = ("must pass", "pass or abort", "must abort")
ROUNDS: Mapping[Kind, int] = {"must pass": 5, "pass or abort": 3, "must abort": 11}
STACKS = (2, 4, 8)
OTHERS: tuple[Way, ...] = ("codegen", "copied CSS", "absolute XPath")
AHEAD = frozenset({"amount changed on the way"})
WIDE_ONCE = frozenset(
    {"redesign", "slow first answer", "first answer 503", "rendered 5 s late", "rendered 1 s late", "rendered 0.1 s late"}
)


def commit(ready: Ready) -> int:
    """The number of the step that writes, -1 for none."""
    return len(ready.hooks) - 1 if ready.flow.effects else -1


def places(ready: Ready, name: str) -> list[int]:
    """The steps of a flow at which an operator is tried."""
    wanted = OPERATORS[name].steps
    found = [number for number, hook in enumerate(ready.hooks) if name in hook.fits and tried_at(ready, hook, number, wanted)]
    if name == "session ended":  # somebody must have been signed in, and the site must be asked again
        return (
            [number for number in found if ready.flow.signed_in and number == max(commit(ready), 0)]
            if ready.flow.effects
            else []
        )
    if name == "amount changed on the way":
        return found if ready.name == "payment" else []
    if name == "amount changed after typing":
        return [number for number in found if "{{secret." not in ready.hooks[number].value]
    return found


def tried_at(ready: Ready, hook: Hook, number: int, wanted: tuple[str, ...]) -> bool:
    """Whether this kind of step is among those wanted."""
    return ("commit" in wanted and number == commit(ready)) or hook.action in wanted


def singles(
    ready: Mapping[str, Ready], seeds: tuple[int, ...], kinds: tuple[Kind, ...], way: Way = "capwright"
) -> Iterator[Plan]:
    """One operator a trial. The seed chooses the step."""
    for seed in seeds:
        for flow in ready.values():
            for name, operator in OPERATORS.items():
                at = places(flow, name) if operator.kind in kinds else []
                if at:
                    yield Plan(flow.name, way, seed, ((name, random.Random(f"{seed} {flow.name} {name}").choice(at)),))


def stacked(ready: Mapping[str, Ready], seeds: tuple[int, ...], size: int, way: Way = "capwright") -> Iterator[Plan]:
    """`size` different operators that must pass, each at a step of its own choice."""
    for seed in seeds:
        for flow in ready.values():
            dice = random.Random(f"{seed} {flow.name} {size}")
            able = [name for name, operator in OPERATORS.items() if operator.kind == "must pass" and places(flow, name)]
            dice.shuffle(able)
            chosen = [
                name for name in able if name not in WIDE_ONCE or name == next(each for each in able if each in WIDE_ONCE)
            ]
            yield Plan(flow.name, way, seed, tuple((name, dice.choice(places(flow, name))) for name in chosen[:size]))


def thirds(ready: Mapping[str, Ready], seeds: tuple[int, ...]) -> list[Plan]:
    """Everybody else's locators: a third of the single operators, and stacks of four."""
    plans: list[Plan] = []
    for way in OTHERS:
        plans += random.Random(0).sample(every := [*singles(ready, seeds, tuple(KINDS), way)], len(every) // 3)
        plans += stacked(ready, seeds, 4, way)
    return plans


def all_plans(ready: Mapping[str, Ready], which: str, rounds: int = 12, kinds: tuple[Kind, ...] = KINDS) -> list[Plan]:
    """Every trial of a set, round by round, each round shuffled: any beginning is a fair sample."""
    plans: list[Plan] = []
    for number, seed in enumerate(SEEDS[which][:rounds]):
        one = [*singles(ready, (seed,), tuple(kind for kind in kinds if number < ROUNDS[kind]))]
        if number < ROUNDS["must pass"] and kinds == KINDS:
            one += [plan for size in STACKS for plan in stacked(ready, (seed,), size)]
        if number == 1 and kinds == KINDS:
            one += thirds(ready, (seed,))
        random.Random(seed).shuffle(one)
        plans += one
    return plans
