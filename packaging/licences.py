"""The licences of all that a built folder holds, as one text: `python packaging/licences.py dist/poolwright`.

First a list, then the texts: of the Python packages as they came, of libraries of the system as its packages tell.
"""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

COMMON = Path("/usr/share/common-licenses")  # where Debian keeps the texts that many share
# Qt's wheels name their licence, and have no text of it.
SHARED_TEXTS = {"LGPL-3.0-only": ("LGPL-3", "GPL-3")}
LINE = "-" * 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Something of the folder: what it is called, under which licence it stands, and the words of that."""

    name: str
    licence: str
    texts: tuple[str, ...]


def distributions(name: str, seen: set[str]) -> Iterator[Distribution]:
    """Yield a package and all that it needs on this machine, each once."""
    if name in seen:
        return
    seen.add(name)
    found = distribution(name)
    yield found
    for words in found.requires or ():
        needed = Requirement(words)
        if needed.marker is None or needed.marker.evaluate({"extra": ""}):
            yield from distributions(needed.name.lower(), seen)


def of_package(found: Distribution) -> Part:
    told = found.metadata
    licence = told.get("License-Expression") or told.get("License", "").partition("\n")[0]
    if not licence:
        licence = next(c.rpartition(" :: ")[2] for c in told.get_all("Classifier", ()) if c.startswith("License"))
    files = [file for file in found.files or () if "licen" in file.name.lower() or "copying" in file.name.lower()]
    texts = [file.locate().read_text(encoding="utf-8", errors="replace") for file in files]
    shared = [(COMMON / name).read_text() for word in licence.split() for name in SHARED_TEXTS.get(word, ())]
    if not texts and not shared:
        sys.exit(f"licences: {told['Name']} has no text of its licence")
    return Part(name=f"{told['Name']} {found.version}", licence=licence, texts=(*texts, *shared))


def of_system(folder: Path, ours: set[str]) -> Iterator[Part]:
    """Yield the packages of the system that libraries of the folder come from, as far as it has packages."""
    seen: set[str] = set()
    for library in sorted(folder.rglob("lib*.so*")):
        if library.name in ours:
            continue
        done = subprocess.run(["dpkg-query", "-S", f"*/{library.name}"], capture_output=True, text=True, check=False)
        package = done.stdout.partition(":")[0]
        if package and package not in seen:
            seen.add(package)
            told = Path(f"/usr/share/doc/{package}/copyright").read_text(encoding="utf-8", errors="replace")
            yield Part(name=f"{package}, of the system", licence="see its text", texts=(told,))


def main(folder: Path) -> None:
    packages = list(distributions("poolwright", set()))
    ours = {file.name for found in packages for file in found.files or ()}
    python = Part(name=f"Python {sys.version.split()[0]}", licence="PSF-2.0", texts=(python_licence(),))
    parts = [*map(of_package, packages), python, *of_system(folder, ours)]
    print("What this folder holds, and its licences; their texts follow.\n")
    print("\n".join(f"  {part.name}: {part.licence}" for part in parts))
    for part in parts:
        print(f"\n{LINE}\n{part.name}: {part.licence}\n{LINE}\n")
        print("\n\n".join(text.strip() for text in part.texts))


def python_licence() -> str:
    """Return the licence of this Python: beside its library, or where a package of the system keeps it."""
    home = Path(sys.base_prefix)
    library = f"python{sys.version_info.major}.{sys.version_info.minor}"
    places = (home / "lib" / library / "LICENSE.txt", home / "LICENSE.txt", Path(f"/usr/share/doc/{library}/copyright"))
    return next(place for place in places if place.is_file()).read_text(encoding="utf-8", errors="replace")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
