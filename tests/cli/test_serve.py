import asyncio
import hashlib
import os
import re
import signal
import sys
from pathlib import Path

import httpx


async def test_serve_prints_a_link_and_ends_on_a_signal(tmp_path: Path) -> None:
    """The link signs in once, a program's token always; Ctrl-C ends it within ten seconds, with exit code 130."""
    digest = hashlib.sha256(b"token").hexdigest()
    config = f'[[users]]\nname = "pat"\nroles = ["viewer"]\n[[tokens]]\nuser = "pat"\nsha256 = "{digest}"\n'
    (tmp_path / "config.toml").write_text(config)
    environment = {**os.environ, "CAPWRIGHT_HOME": str(tmp_path)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "engine.cli", "serve", "--port", "0",
        env=environment, stderr=asyncio.subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    try:
        line = (await asyncio.wait_for(process.stderr.readline(), 60)).decode()
        found = re.search(r"(http://127\.0\.0\.1:\d+)/admin/login\?link=(\S+)", line)
        assert found, line
        async with httpx.AsyncClient(base_url=found[1], headers={"origin": found[1]}, timeout=30) as client:
            assert (await client.post("/admin/login/link", data={"link": found[2]})).status_code == 303
            assert (await client.get("/admin")).status_code == 200
        async with httpx.AsyncClient(base_url=found[1], timeout=30) as program:
            for token, status in (("token", 200), ("other", 401)):
                asked = await program.post("/rpc/discovery.list", json={}, headers={"authorization": f"Bearer {token}"})
                assert asked.status_code == status
            process.send_signal(signal.SIGINT)
            assert await asyncio.wait_for(process.wait(), 10) == 130
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_a_taken_port_is_said(tmp_path: Path) -> None:
    """A sentence and exit code 2, not a traceback."""
    taken = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    async with taken:
        port = taken.sockets[0].getsockname()[1]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "engine.cli", "serve", "--port", str(port),
            env={**os.environ, "CAPWRIGHT_HOME": str(tmp_path)}, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        _, said = await process.communicate()
    assert process.returncode == 2 and f"Port {port} cannot be used" in said.decode()
