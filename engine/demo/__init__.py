"""The teller console: a small bank back office without an API, in three tenants, to discover and to test against."""

from engine.demo.ops import Operation
from engine.demo.server import TellerConsole, serve_forever
from engine.demo.sessions import DEMO_PASSWORD, DEMO_USER
from engine.demo.tenants import TENANTS

__all__ = ["DEMO_PASSWORD", "DEMO_USER", "TENANTS", "Operation", "TellerConsole", "serve_forever"]
