"""Sealed artifacts: what may be sealed, what is read back, what is refused."""

import os
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.sealed import Entry, Manifest
from engine.errors import IllegalTransition, IntegrityChanged, NotFound, QuotaExceeded, RequestRefused, TreeRefused
from engine.store.artifacts import ArtifactStore
from engine.store.database import Database
from engine.store.trees import copy_tree, read_tree, remove_tree

DAY = 86_400_000
NAMES = st.from_regex(r"[a-zA-Zäé. ]{1,6}", fullmatch=True).filter(lambda name: bool(name.strip(".")))


class Home:
    """A store with a time of its own."""

    def __init__(self, tmp_path: Path, **options: int) -> None:
        self.at = tmp_path
        self.time = 1_000
        self.database = Database.open(tmp_path / "a.db")
        self.store = ArtifactStore(self.database, tmp_path / "artifacts", lambda: self.time, **options)

    def seal(self, name: str = "r1-b0-a0", **files: bytes) -> None:
        """Seal a folder with these files; `__` in a name is a slash, `_` a dot."""
        source = self.at / f"source-{name}"
        source.mkdir()
        for path, content in files.items():
            at = source / path.replace("__", "/").replace("_", ".")
            at.parent.mkdir(parents=True, exist_ok=True)
            at.write_bytes(content)
        self.store.seal("run", name, source, read_tree(source), lambda: None)

    def place(self, name: str = "r1-b0-a0") -> Path:
        """Where its bytes are."""
        return self.at / "artifacts" / "run" / name


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Empty."""
    return Home(tmp_path)


def test_what_was_sealed_is_read_back(home: Home) -> None:
    """Manifest, digest, bytes, a verified copy; equal base names have different ids."""
    home.seal(a_txt=b"one", sub__a_txt=b"two")
    artifact = home.store.find("run", "r1-b0-a0")
    assert [file.path for file in artifact.files] == ["a.txt", "sub/a.txt"]
    assert [file.name for file in artifact.files] == ["a.txt", "a.txt"]
    contents = [home.store.read("run", "r1-b0-a0", file.file_id)[1] for file in artifact.files]
    assert contents == [b"one", b"two"]
    home.store.copy("run", "r1-b0-a0", home.at / "copy")
    assert read_tree(home.at / "copy").digest == artifact.digest


def test_the_order_is_that_of_raw_bytes() -> None:
    """Capitals before small letters, a dot before a slash, umlauts last: as their UTF-8 bytes are."""
    paths = ["ä", "b", "B", "a/b", "a.b", "a"]
    manifest = Manifest.of([Entry(path, "file") for path in paths])
    assert [entry.path for entry in manifest.entries] == ["B", "a", "a.b", "a/b", "b", "ä"]


@given(st.lists(st.tuples(st.text(min_size=1, max_size=8), st.integers(0, 99)), max_size=6))
def test_a_manifest_reads_back_as_it_was(entries: list[tuple[str, int]]) -> None:
    """Any names; the digest depends on every field."""
    try:
        manifest = Manifest.of([Entry(path, "file", size, "ab") for path, size in entries])
        assert Manifest.parse(manifest.text).digest == manifest.digest
    except UnicodeEncodeError:
        return
    if entries:
        changed = Manifest.of([Entry(path, "file", size + 1, "ab") for path, size in entries])
        assert changed.digest != manifest.digest


def mutate(place: Path) -> None:
    """One byte, same size."""
    (place / "a.txt").write_bytes(b"onE")


def grow(place: Path) -> None:
    """One byte more."""
    (place / "a.txt").write_bytes(b"one!")


def vanish(place: Path) -> None:
    """No file."""
    (place / "a.txt").unlink()


def link(place: Path) -> None:
    """The same bytes, behind a link."""
    (place / "a.txt").rename(place.parent / "elsewhere")
    (place / "a.txt").symlink_to(place.parent / "elsewhere")


def hard_link(place: Path) -> None:
    """A second name, through which it could be changed."""
    os.link(place / "a.txt", place.parent / "second")


def pipe(place: Path) -> None:
    """Something that would never end."""
    (place / "a.txt").unlink()
    os.mkfifo(place / "a.txt")


def folder_link(place: Path) -> None:
    """The whole folder is elsewhere."""
    place.rename(place.with_name("moved"))
    place.symlink_to(place.with_name("moved"))


@pytest.mark.parametrize("harm", [mutate, grow, vanish, link, hard_link, pipe, folder_link])
def test_any_difference_is_refused(home: Home, harm: Callable[[Path], None]) -> None:
    """On listing and on reading, and a copy is not made of it either."""
    home.seal(a_txt=b"one")
    (file,) = home.store.find("run", "r1-b0-a0").files
    harm(home.place())
    with pytest.raises(IntegrityChanged):
        home.store.verified("run", "r1-b0-a0")
    with pytest.raises(IntegrityChanged):
        home.store.read("run", "r1-b0-a0", file.file_id)
    if harm is not hard_link:
        with pytest.raises(IntegrityChanged):
            home.store.copy("run", "r1-b0-a0", home.at / "copy")


def test_an_extra_file_is_a_difference(home: Home) -> None:
    """Not only what is listed counts."""
    home.seal(a_txt=b"one")
    (home.place() / "b.txt").write_text("more")
    with pytest.raises(IntegrityChanged):
        home.store.verified("run", "r1-b0-a0")


@pytest.mark.parametrize(("size", "fits"), [(16 * 2**20 - 1, True), (16 * 2**20, True), (16 * 2**20 + 1, False)])
def test_files_are_read_up_to_16_mib(home: Home, size: int, fits: bool) -> None:
    """A byte more is file_too_large; it is sealed all the same."""
    home.seal(a_txt=b"x" * size)
    (file,) = home.store.find("run", "r1-b0-a0").files
    if fits:
        assert len(home.store.read("run", "r1-b0-a0", file.file_id)[1]) == size
        return
    with pytest.raises(RequestRefused) as caught:
        home.store.read("run", "r1-b0-a0", file.file_id)
    assert caught.value.code == "file_too_large"


def test_time_takes_the_bytes_and_never_the_row(home: Home) -> None:
    """After 30 days the folder goes, a pinned one stays; row, digest and manifest remain."""
    home.seal("r1-b0-a0", a_txt=b"one")
    home.seal("r1-b1-a0", a_txt=b"two")
    home.store.pin("run", "r1-b1-a0")
    home.time += 30 * DAY - 1
    assert home.store.prune() == 0
    home.time += 1
    assert home.store.prune() == 1
    assert not home.place().exists()
    assert home.store.find("run", "r1-b0-a0").pruned
    with pytest.raises(NotFound, match="removed when their time"):
        home.store.verified("run", "r1-b0-a0")
    assert home.store.verified("run", "r1-b1-a0")
    for statement in ("DELETE FROM artifacts", "UPDATE artifacts SET digest = 'x'"):
        with pytest.raises(IllegalTransition), home.database.write() as connection:
            connection.execute(statement)


def test_the_quota_is_for_the_whole_installation(tmp_path: Path) -> None:
    """What does not fit leaves neither row nor folder; pruning makes room."""
    home = Home(tmp_path, quota_bytes=10)
    home.seal("one", a_txt=b"12345678")
    with pytest.raises(QuotaExceeded):
        home.seal("two", a_txt=b"123")
    with pytest.raises(NotFound):
        home.store.find("run", "two")
    assert sorted(path.name for path in home.place("one").parent.iterdir()) == ["one"]
    home.time += 30 * DAY
    home.store.prune()
    home.seal("three", a_txt=b"1234567890")


def test_a_folder_that_changes_while_it_is_sealed_is_refused(home: Home) -> None:
    """The manifest was read, then a byte changed."""
    source = home.at / "s"
    source.mkdir()
    (source / "a").write_text("before")
    manifest = read_tree(source)
    (source / "a").write_text("after!")
    with pytest.raises(IntegrityChanged):
        home.store.seal("run", "x", source, manifest, lambda: None)


def test_what_a_crash_left_is_swept(home: Home) -> None:
    """Half written folders go; a folder without a row is replaced."""
    home.seal(a_txt=b"one")
    (home.place().parent / "r1-b1-a0.123.part").mkdir()
    (home.place("r1-b1-a0")).mkdir()
    home.store.sweep("run")
    home.seal("r1-b1-a0", a_txt=b"two")
    assert sorted(path.name for path in home.place().parent.iterdir()) == ["r1-b0-a0", "r1-b1-a0"]
    assert home.store.verified("run", "r1-b1-a0")


@pytest.mark.parametrize("name", ["../x", ".hidden", "a/b", ".."])
def test_names_stay_inside(home: Home, name: str) -> None:
    """No name of an artifact leads out of its folder."""
    with pytest.raises(NotFound):
        home.store.seal("run", name, home.at, Manifest(()), lambda: None)


def test_what_is_no_file_or_folder_is_not_sealed(tmp_path: Path) -> None:
    """Links, pipes, sockets, second names and names that are no text."""
    outside = tmp_path / "outside"
    outside.write_text("x")
    makers: list[Callable[[Path], object]] = [
        lambda at: (at / "l").symlink_to(outside),
        lambda at: (at / "d").symlink_to(tmp_path),
        lambda at: os.mkfifo(at / "p"),
        lambda at: os.link(outside, at / "h"),
        lambda at: Path(os.fsdecode(os.fsencode(at) + b"/\xff")).write_text("x"),
    ]
    for number, make in enumerate(makers):
        at = tmp_path / str(number)
        at.mkdir()
        make(at)
        with pytest.raises(TreeRefused) as caught:
            read_tree(at)
        assert caught.value.kind == "foreign"
    at = tmp_path / "sock"
    at.mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(at / "s"))
        with pytest.raises(TreeRefused):
            read_tree(at)


def test_4096_entries_are_the_most(tmp_path: Path) -> None:
    """One more is too much, and not foul play."""
    for number in range(4096):
        (tmp_path / str(number)).touch()
    assert len(read_tree(tmp_path).files) == 4096
    (tmp_path / "more").touch()
    with pytest.raises(TreeRefused) as caught:
        read_tree(tmp_path)
    assert caught.value.kind == "limit"


def test_removing_never_follows(tmp_path: Path) -> None:
    """A link is removed, what it points to stays."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/file").write_text("x")
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone/link").symlink_to(tmp_path / "kept")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    assert remove_tree(tmp_path / "gone")
    assert remove_tree(tmp_path / "link")
    assert remove_tree(tmp_path / "never")
    assert (tmp_path / "kept/file").read_text() == "x"


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(NAMES, st.binary(max_size=40), max_size=5))
def test_a_copy_is_the_same_tree(files: dict[str, bytes]) -> None:
    """Any names and bytes: read, copied, read again, the same digest."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "s"
        source.mkdir()
        for name, content in files.items():
            (source / name).write_bytes(content)
        manifest = read_tree(source)
        copy_tree(source, Path(folder) / "t", manifest)
        assert read_tree(Path(folder) / "t") == manifest
