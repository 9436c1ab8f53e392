"""What a policy would say, and which line of it: the dry run behind `discover policy explain`."""

from engine.domain.policy import Policy
from engine.domain.url import UrlRefused, classify
from engine.guard.rules import STRENGTH, Places, Ruling, judge_allowed, judge_element, judge_page, judge_request


def explain(policy: Policy, *, url: str, action: str = "", role: str = "", name: str = "", method: str = "") -> Ruling:
    """The ruling on an action on a page, or with `method` on a request to that URL; `rule` is the line that decides."""
    rulings = [judge_page(Places.of(policy), url)]
    if action:
        rulings += [judge_allowed(policy, action), judge_element(policy, action, role, name)]
    place = classify(url)
    if method and not isinstance(place, UrlRefused):
        rulings.append(judge_request(policy, method, place))
    strongest = max(rulings, key=lambda ruling: STRENGTH[ruling.effect])
    return strongest if strongest.effect != "permit" else rulings[-1]


def summary(policy: Policy) -> tuple[str, ...]:
    """The policy in sentences: what `discover policy check` prints."""
    lines = [f"The browser may go to: {', '.join(policy.scope.navigate)}."]
    if policy.scope.load:
        lines.append(f"Pages may also load from: {', '.join(policy.scope.load)}.")
    lines.append(f"Planners may: {', '.join(policy.actions.allow) or 'nothing but look'}.")
    lines += [f"risk[{number}]: {_rule(policy, number)}" for number in range(len(policy.risk))]
    dialogs = policy.dialog_handling.model_dump()
    lines.append(f"Dialogs: {', '.join(f'{kind} {answer}' for kind, answer in dialogs.items())}.")
    if policy.login_forms:
        lines.append("A form with a password field is sent without asking.")
    lines += [f"The secret {name} is typed only on {', '.join(rule.origins)}." for name, rule in policy.secrets.items()]
    limits = policy.limits
    lines.append(f"A run ends after {limits.max_discovery_steps} steps or {limits.discovery_timeout_ms / 1000:g} s.")
    return tuple(lines)


def _rule(policy: Policy, number: int) -> str:
    rule = policy.risk[number]
    says = {"permit": "is permitted", "forbid": "is forbidden", "require_approval": "asks a person first"}[rule.effect]
    if request := rule.when.request:
        methods = "any request but GET and HEAD" if "*" in request.method else f"{' or '.join(request.method)}"
        return f"{methods} to a path under {request.path} {says}."
    what = rule.when.action or "any action"
    role = f" on a {rule.when.role}" if rule.when.role else ""
    name = f" named like /{rule.when.name}/" if rule.when.name else ""
    return f"{what}{role}{name} {says}."
