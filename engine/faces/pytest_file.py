"""A capability as a test file that needs pytest and Playwright alone."""

from engine.domain.capability import Capability
from engine.faces.playwright_file import file_names, module, part, risky, secret, table
from engine.faces.source import quoted, sentence
from engine.replay.inputs import public, secret_names


def write(capability: Capability) -> str:
    """The whole file; inputs and secrets come from the environment. Raises CapabilityInvalid."""
    schema = public(capability.inputs)
    names = [*schema["properties"], *file_names(capability)]
    needed = {*schema.get("required", ()), *file_names(capability)}
    variables = {name: variable(name) for name in names} | {name: secret(name) for name in secret_names(capability.inputs)}
    must = [name for name in variables if name in needed or name in secret_names(capability.inputs)]
    rows = {name: f"{quoted(name)}: {quoted(variables[name])}," for name in variables}
    constants = [
        risky(capability),
        table("REQUIRED", [rows[name] for name in must]),
        *outputs(capability),
        table("OPTIONAL", [rows[name] for name in rows if name not in must], "dict[str, str]"),
    ]
    how = "\n".join(
        [
            f"    pytest {file_name(capability)}",
            f"Set {', '.join(variables.values())} first." if variables else "It has no inputs.",
        ]
    )
    return module(capability, "\n".join(constants), f"{part('test')}\n\n\n{test(capability)}", how)


def test(capability: Capability) -> str:
    """The one test."""
    checks = ["    assert run.outputs.keys() >= OUTPUTS.keys()"] if outputs(capability) else []
    name = f"def test_{capability.id.replace('-', '_')}(run: Run) -> None:"
    return "\n".join([name, f'    """{sentence(capability.title)}"""', "    play(run)", *checks])


def outputs(capability: Capability) -> list[str]:
    """The constant that names what must be read, if there is anything."""
    named = capability.outputs.get("required", ())
    kinds = {name: capability.outputs.get("properties", {}).get(name, {}).get("type", "any") for name in named}
    return [table("OUTPUTS", [f"{quoted(name)}: {quoted(str(kind))}," for name, kind in kinds.items()])] if kinds else []


def variable(name: str) -> str:
    """The environment variable of an input."""
    return f"CAPWRIGHT_INPUT_{name.upper()}"


def file_name(capability: Capability) -> str:
    """A name that pytest collects."""
    return f"test_{capability.id.replace('-', '_')}.py"
