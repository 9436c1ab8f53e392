import os
from pathlib import Path

import pytest

from tests.web.recorded import Recorded
from tests.web.serving import Served
from tests.web.visitors import Visitors

HOSTILE = [
    "<script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    '"><svg onload=window.pwned=1>',
    "javascript:window.pwned=1",
    "{{ 7*7 }}{% raw %}",
    "</pre></code></textarea><script>window.pwned=1</script>",
]


@pytest.fixture
def run(served: Served) -> Recorded:
    return Recorded(served.admin, "20260101-000000-aaaaaa")


async def test_files_are_inert(served: Served, run: Recorded) -> None:
    """Pictures under a sandbox, everything else as a download without a type that a browser would run."""
    step = run.step(
        downloads=(run.download("evil.svg", b"<svg onload='alert(1)'/>"), run.download("a.html", b"<script>1</script>"))
    )
    async with served.signed_in("vera") as client:
        for name in (
            *[each.path for each in step.outcome.downloads],
            "steps.jsonl",
            "run.json",
            step.snapshot,
            "manifest.jsonl",
        ):
            response = await client.get(f"/admin/runs/{run.run_id}/files/{name}")
            assert response.status_code == 200
            assert response.headers["content-type"] == "application/octet-stream"
            assert response.headers["content-disposition"].startswith("attachment")
            assert response.headers["content-security-policy"].startswith("sandbox")
            assert response.headers["x-content-type-options"] == "nosniff"
        picture = await client.get(f"/admin/runs/{run.run_id}/files/{step.screenshot}")
        assert picture.headers["content-type"] == "image/jpeg"
        assert picture.headers["content-security-policy"].startswith("sandbox")


async def test_what_only_calls_itself_a_picture_is_a_download(served: Served, run: Recorded) -> None:
    """The content decides, not the name."""
    run.evidence.write("screenshots/0009.jpg", b"<html><script>alert(1)</script>")
    async with served.signed_in("vera") as client:
        response = await client.get(f"/admin/runs/{run.run_id}/files/screenshots/0009.jpg")
        assert response.headers["content-type"] == "application/octet-stream"


@pytest.mark.parametrize(
    "name",
    [
        "../../state/capwright.sqlite",
        "..%2f..%2fstate%2fcapwright.sqlite",
        "%2e%2e/%2e%2e/state/sessions.json",
        "snapshots/%2e%2e/run.json",
        "%2e/run.json",
        "/etc/passwd",
        "//etc/passwd",
        "snapshots",
        "snapshots/",
        "nowhere.json",
        "run.json%00",
        "..\\..\\state",
        "{run}/run.json",
        "../{run}/run.json",
        "",
    ],
)
async def test_traversal_finds_nothing(served: Served, run: Recorded, name: str) -> None:
    """Only names of the manifest are served."""
    run.step()
    async with served.signed_in("vera") as client:
        path = name.replace("{run}", run.run_id)
        assert (await client.get(f"/admin/runs/{run.run_id}/files/{path}")).status_code == 404


async def test_links_and_other_runs_find_nothing(served: Served, run: Recorded, tmp_path: Path) -> None:
    """Symbolic and hard links, links on the way, and files of another run are 404 even when the manifest names them."""
    other = Recorded(served.admin, "20260101-000000-bbbbbb")
    step = other.step()
    secret = tmp_path / "outside.txt"
    secret.write_text("outside")
    folder = run.evidence.folder
    for name in ("soft.txt", "hard.txt", "downloads/inner/x.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        run.evidence.write(name, b"x")
        (folder / name).unlink()
    (folder / "soft.txt").symlink_to(secret)
    os.link(secret, folder / "hard.txt")
    (folder / "downloads" / "inner").rmdir()
    (folder / "downloads" / "inner").symlink_to(tmp_path)
    (tmp_path / "x.txt").write_text("outside")
    async with served.signed_in("vera") as client:
        for name in ("soft.txt", "hard.txt", "downloads/inner/x.txt", "screenshots/0001.jpg", step.snapshot):
            response = await client.get(f"/admin/runs/{run.run_id}/files/{name}")
            assert response.status_code == 404 and "outside" not in response.text, name
        assert (await client.get("/admin/runs/20260101-000000-cccccc/files/run.json")).status_code == 404


@pytest.mark.parametrize("said", HOSTILE)
async def test_what_pages_and_models_say_is_inert(served: Served, visitors: Visitors, run: Recorded, said: str) -> None:
    """Titles, texts, URLs, labels, reasons, dialogs, outputs, downloads' names: nothing of it becomes markup."""
    run.step(said)
    run.say(said)
    run.end(said)
    page = await visitors.page(served, "mona")
    own = f"/admin/runs/{run.run_id}"
    for path in (own, f"{own}/transcript", f"{own}/snapshots/0001", "/admin/runs"):
        await page.goto(f"{served.url}{path}")
        assert await page.evaluate("window.pwned") is None
        assert await page.locator("main script, main [onerror], main [onload], a[href^='javascript:']").count() == 0
    await page.goto(f"{served.url}/admin/runs/{run.run_id}")
    assert said in await page.inner_text("main")


async def test_broken_evidence_is_said(served: Served, run: Recorded) -> None:
    """The page verifies the chain and names the first bad entry."""
    run.step()
    run.end()
    async with served.signed_in("vera") as client:
        assert "each vouched for by the next" in (await client.get(f"/admin/runs/{run.run_id}")).text
        (run.evidence.folder / "steps.jsonl").write_text("{}\n")
        page = (await client.get(f"/admin/runs/{run.run_id}")).text
        assert "The chain is broken" in page and "steps.jsonl" in page


async def test_a_run_without_evidence_still_has_a_page(served: Served, run: Recorded) -> None:
    """Withheld or pruned: said, not a fault."""
    run.end()
    run.evidence.folder.rename(run.evidence.folder.with_name(".withheld"))
    async with served.signed_in("vera") as client:
        response = await client.get(f"/admin/runs/{run.run_id}")
        assert response.status_code == 200 and "it was withheld because it held a secret" in response.text


async def test_a_run_whose_process_is_gone_is_said_to_be_cut_off(served: Served, run: Recorded) -> None:
    """Nothing written for longer than the run may take."""
    run.step()
    async with served.signed_in("vera") as client:
        assert "cut off" not in (await client.get(f"/admin/runs/{run.run_id}")).text
        old = run.evidence.folder / "manifest.jsonl"
        os.utime(old, (1, 1))
        with served.admin.runs._database.write() as connection:
            connection.execute("UPDATE runs SET started_at = '2020-01-01T00:00:00+00:00'")
        assert "its process seems to be gone" in (await client.get(f"/admin/runs/{run.run_id}")).text


async def test_each_step_says_what_the_run_has_cost_so_far(served: Served, run: Recorded) -> None:
    """While it still runs, too: the second step has cost twice the first."""
    run.step()
    run.step()
    async with served.signed_in("vera") as client:
        page = (await client.get(f"/admin/runs/{run.run_id}")).text
    assert "Cost: $0.0012" in page and "Cost: $0.0024" in page
