"""Small whole capabilities for tests: read a balance, and pay an amount."""

from typing import Any

from engine.domain.capability import Capability

SENT = {"formMethod": "post", "formAction": "^/find$"}
START = {"id": "s1", "action": "navigate", "value": "/"}


def field(label: str, role: str = "textbox", **print_: str) -> dict[str, Any]:
    """The target of a labelled field."""
    locators = [{"by": "role", "role": role, "value": label}, {"by": "label", "value": label}]
    return {"description": f'{role} "{label}"', "locators": locators, "fingerprint": {"role": role, **print_}}


def button(name: str, *more: dict[str, Any], **print_: str) -> dict[str, Any]:
    """The target of a named button."""
    locators = [{"by": "role", "role": "button", "value": name}, *more]
    return {"description": f'button "{name}"', "locators": locators, "fingerprint": {"role": "button", **print_}}


def reading(**changed: Any) -> Capability:
    """Type a number, press Find, read the balance by row and column."""
    cell = {"by": "cell", "value": "Deposit", "column": "Balance"}
    content: dict[str, Any] = {
        "id": "read-balance",
        "version": "1.0.0",
        "title": "Read a balance",
        "description": "Finds a customer and reads the balance.",
        "target": "http://127.0.0.1:1",
        "inputs": {
            "type": "object",
            "properties": {"customer": {"type": "string"}, "pin": {"type": "string", "x-secret": True}},
            "required": ["customer", "pin"],
            "additionalProperties": False,
        },
        "outputs": {"type": "object", "properties": {"balance": {"type": "string"}}, "required": ["balance"]},
        "steps": [
            START,
            {"id": "s2", "action": "type", "target": field("Customer", **SENT), "value": "{{customer}}"},
            {"id": "s3", "action": "type", "target": field("PIN", inputType="password", **SENT), "value": "{{secret.pin}}"},
            {
                "id": "s4",
                "action": "click",
                "target": button("Find", **SENT),
                "expect": [{"kind": "text", "value": "Accounts"}],
            },
            {
                "id": "s5",
                "action": "extract",
                "extract": [
                    {
                        "output": "balance",
                        "kind": "cell",
                        "target": {
                            "description": 'cell "Balance" of "Deposit"',
                            "locators": [cell],
                            "fingerprint": {"role": "cell"},
                        },
                        "parser": {"type": "text"},
                    }
                ],
            },
        ],
        "checkpoint": [{"kind": "text", "value": "Accounts"}],
        "riskClass": "read_only",
    }
    return Capability.model_validate({**content, **changed})


def paying(**changed: Any) -> Capability:
    """Type an amount and press Pay: a commit."""
    content: dict[str, Any] = {
        "id": "pay",
        "version": "1.0.0",
        "title": "Pay an amount",
        "target": "http://127.0.0.1:1",
        "inputs": {"type": "object", "properties": {"amount": {"type": "string"}}, "required": ["amount"]},
        "outputs": {"type": "object", "properties": {}},
        "steps": [
            START,
            {
                "id": "s2",
                "action": "type",
                "target": field("Amount", formMethod="post", formAction="^/pay$"),
                "value": "{{amount}}",
                "effect": "idempotent",
            },
            {
                "id": "s3",
                "action": "click",
                "target": button("Pay", formMethod="post", formAction="^/pay$"),
                "effect": "commit",
            },
        ],
        "checkpoint": [{"kind": "text", "value": "Paid"}],
        "riskClass": "irreversible",
    }
    return Capability.model_validate({**content, **changed})
