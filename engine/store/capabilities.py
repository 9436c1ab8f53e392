"""Capabilities as files: ID/VERSION.json under one folder, written whole or not at all, found by id, version or path."""

from pathlib import Path

import semver
from pydantic import ValidationError

from engine.domain.capability import Capability
from engine.errors import CapabilityInvalid, NotFound


class CapabilityStore:
    """The capabilities of one home."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, which: str) -> Capability:
        """`ID` (its newest version), `ID@VERSION`, or the path of a file. Raises NotFound and CapabilityInvalid."""
        path = self.find(which)
        name, _, _ = which.partition("@")
        return self.at(name, path.stem) if path == self.path(name, path.stem) else read(path)

    def find(self, which: str) -> Path:
        """The file of a capability. Raises NotFound."""
        path = Path(which)
        if path.suffix == ".json" and path.is_file():
            return path
        name, _, version = which.partition("@")
        versions = self.versions(name)
        if not versions:
            raise NotFound(
                f"There is no capability {which!r} in {self._folder}. `discover capability list` shows what there is."
            )
        if version and version not in versions:
            raise NotFound(f"{name} has no version {version}; it has {', '.join(versions)}.")
        return self.path(name, version or versions[-1])

    def versions(self, name: str) -> tuple[str, ...]:
        """Versions of one capability, oldest first."""
        found = [file.stem for file in self._folder.glob(f"{name}/*.json") if semver.Version.is_valid(file.stem)]
        return tuple(sorted(found, key=semver.Version.parse))

    def names(self) -> tuple[tuple[str, str], ...]:
        """ID and version of every file, by name, oldest version first; files that are none are passed over."""
        folders = sorted(folder.name for folder in self._folder.glob("*") if folder.is_dir())
        return tuple((name, version) for name in folders for version in self.versions(name))

    def list(self) -> tuple[Capability, ...]:
        """Every version of every capability. Raises CapabilityInvalid."""
        return tuple(self.at(name, version) for name, version in self.names())

    def at(self, name: str, version: str) -> Capability:
        """One version where it is kept. Raises CapabilityInvalid, also when the file says that it is another one."""
        path = self.path(name, version)
        found = read(path)
        if (found.id, found.version) != (name, version):
            raise CapabilityInvalid(f"{path} says that it is {found.id}@{found.version}; a version is not edited in place.")
        return found

    def keep(self, capability: Capability) -> Path:
        """Write a new version. Raises CapabilityInvalid when there is one of that number: versions are never overwritten."""
        path = self.path(capability.id, capability.version)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(written(capability))
        try:
            path.hardlink_to(part)
        except FileExistsError as error:
            raise CapabilityInvalid(f"{capability.id}@{capability.version} exists; a change makes a new version.") from error
        finally:
            part.unlink()
        return path

    def mark(self, capability: Capability) -> Path:
        """Write a version's review into its file; raises CapabilityInvalid when the file holds other content by now."""
        path = self.path(capability.id, capability.version)
        if read(path).digest != capability.digest:
            raise CapabilityInvalid(f"{path} was changed meanwhile; its review is in the database and not in the file.")
        part = path.with_suffix(".part")
        part.write_text(written(capability))
        part.replace(path)
        return path

    def path(self, name: str, version: str) -> Path:
        """Where a version is kept."""
        return self._folder / name / f"{version}.json"


def written(capability: Capability) -> str:
    """The text of a file."""
    return capability.model_dump_json(by_alias=True, indent=2, exclude_defaults=False) + "\n"


def read(path: Path) -> Capability:
    """Parse one file. Raises CapabilityInvalid naming file and field."""
    try:
        return Capability.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "file"
        raise CapabilityInvalid(f"{path}: {field}: {first['msg']}.") from error
