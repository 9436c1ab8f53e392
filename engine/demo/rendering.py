"""Templates: each tenant's own folder first, then what all share."""

import secrets
from datetime import date
from decimal import Decimal
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined

from engine.demo.seed import BUSINESS_DATE
from engine.demo.tenants import Tenant

_TEMPLATES = Path(__file__).parent / "templates"


def templates_for(tenant: Tenant) -> Environment:
    """The environment that renders this tenant's pages."""
    folders = (_TEMPLATES / tenant.name, _TEMPLATES / "shared")
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader(folder) for folder in folders]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["money"] = money
    environment.filters["day"] = day
    columns = {table: tenant.headers(table) for table in tenant.columns}
    environment.globals.update(tenant=tenant.name, words=dict(tenant.words), columns=columns, today=BUSINESS_DATE, fresh=fresh)
    return environment


def money(amount: Decimal) -> str:
    """`$1,204.55`, or `-$12.00`."""
    sign = "-" if amount < 0 else ""
    return f"{sign}${abs(amount):,.2f}"


def day(when: date) -> str:
    """`May 29, 2026`."""
    return f"{when:%b} {when.day}, {when.year}"


def fresh() -> str:
    """An element id that no page had before."""
    return f"lk-{secrets.token_hex(4)}"
