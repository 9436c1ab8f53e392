"""What of a draft can be proved by replaying it: all of it, or everything before the first step that commits something."""

from engine.domain.capability import Capability, Condition


def run_inputs(capability: Capability) -> dict[str, str]:
    """The run's own inputs, as the examples of the schema hold them; secrets are left out."""
    fields = capability.inputs.get("properties", {})
    return {
        name: str(field["examples"][0]) for name, field in fields.items() if not field.get("x-secret") and "examples" in field
    }


def provable(capability: Capability) -> Capability:
    """The capability itself when it commits nothing; else the part before its first commit, whose element must be there.

    A proof never repeats an effect: nobody approved a second one.
    """
    first = next((number for number, step in enumerate(capability.steps) if step.effect == "commit"), None)
    if first is None:
        return capability
    commit = capability.steps[first]
    seen = (Condition(kind="visible", target=commit.target),) if commit.target else ()
    return capability.model_copy(update={"steps": capability.steps[:first], "checkpoint": seen, "outputs": {"type": "object"}})
