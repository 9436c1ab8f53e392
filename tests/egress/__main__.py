"""`python -m tests.egress`: the whole matrix, HTTP and HTTPS, per control layer, written into BENCHMARKS.md."""

import asyncio
import re
import sys
import tempfile
from pathlib import Path

from tests.egress.layers import LAYERS
from tests.egress.matrix import leaks
from tests.egress.vectors import VECTORS

REPORT = Path(__file__).parents[2] / "BENCHMARKS.md"
SCHEMES = ("http", "https")


async def measure() -> dict[str, dict[str, frozenset[str]]]:
    """Scheme → layer → vectors that reached the forbidden server."""
    with tempfile.TemporaryDirectory() as folder:
        both = await asyncio.gather(*(leaks(VECTORS, scheme, LAYERS, Path(folder)) for scheme in SCHEMES))
    found = dict(zip(SCHEMES, both, strict=True))
    for scheme, layers in found.items():
        for layer, vectors in layers.items():
            sys.stderr.write(f"{scheme:5} {layer:14} {len(vectors):3} of {len(VECTORS)} reached E\n")
    return found


def section(found: dict[str, dict[str, frozenset[str]]]) -> str:
    """The section as Markdown."""
    lines = [
        "## Egress", "",
        f"{len(VECTORS)} ways out of a page, tried against a server that logs every TCP connection, byte and UDP datagram,",
        "once per control layer. A vector counts when anything at all arrived. `nothing` shows that the vectors are alive;",
        "`product` is what runs. Chromium's managed URL blocklist is not measured: it can only be set machine-wide.",
        "Command: `make egress`.", "",
        "| Reached the forbidden server | " + " | ".join(LAYERS) + " |",
        "| --- |" + " ---: |" * len(LAYERS),
    ]  # fmt: skip
    lines += [f"| {scheme} | " + " | ".join(str(len(found[scheme][layer])) for layer in LAYERS) + " |" for scheme in SCHEMES]
    lines += ["", "| Vector | " + " | ".join(LAYERS) + " |", "| --- |" + " --- |" * len(LAYERS)]
    for vector in VECTORS:
        lines.append(f"| {vector} | " + " | ".join(_cell(found, layer, vector) for layer in LAYERS) + " |")
    return "\n".join(lines) + "\n"


def _cell(found: dict[str, dict[str, frozenset[str]]], layer: str, vector: str) -> str:
    hit = [scheme for scheme in SCHEMES if vector in found[scheme][layer]]
    return "both" if len(hit) == len(SCHEMES) else hit[0] if hit else "·"


def write(text: str) -> None:
    """Replace the section, or add it."""
    old = REPORT.read_text() if REPORT.exists() else "# Benchmarks\n"
    pattern = re.compile(r"^## Egress\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    new = pattern.sub(lambda _old: text + "\n", old) if pattern.search(old) else f"{old.rstrip()}\n\n{text}"
    REPORT.write_text(new.rstrip() + "\n")


def main() -> int:
    """Measure, write, and fail when anything got past the product."""
    found = asyncio.run(measure())
    write(section(found))
    escaped = {vector for scheme in SCHEMES for layer in ("proxy", "product") for vector in found[scheme][layer]}
    sys.stderr.write(f"Past the proxy or the product: {', '.join(sorted(escaped)) or 'nothing'}\n")
    return 1 if escaped else 0


if __name__ == "__main__":
    sys.exit(main())
