"""`python -m engine.demo --tenant harbor --port 4010`: serve one tenant until interrupted."""

import argparse
import asyncio
import contextlib

from engine.demo import TENANTS, TellerConsole, serve_forever


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(prog="engine.demo", description=__doc__)
    parser.add_argument("--tenant", choices=sorted(TENANTS), default="harbor")
    parser.add_argument("--port", type=int, default=4010)
    parser.add_argument("--ops-port", type=int, default=0)
    asked = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve_forever(asked.tenant, asked.port, asked.ops_port, _announce))


def _announce(console: TellerConsole) -> None:
    print(f"teller console {console.url}\noperations log {console.ops_url}/__ops", flush=True)


if __name__ == "__main__":
    main()
