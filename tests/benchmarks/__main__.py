"""`python -m tests.benchmarks [NAME…]`: every benchmark in turn, each writes its own section of BENCHMARKS.md."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    """Run those that are named, else all; the number of those that failed."""
    found = sorted(
        path.stem for path in HERE.iterdir() if not path.stem.startswith("_") and (path.suffix == ".py" or path.is_dir())
    )
    wanted = sys.argv[1:] or [name for name in found if not name.startswith(("test_", "_"))]
    failed = [
        name for name in wanted if subprocess.run([sys.executable, "-m", f"tests.benchmarks.{name}"], check=False).returncode
    ]
    if failed:
        sys.stderr.write(f"Failed: {', '.join(failed)}\n")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
