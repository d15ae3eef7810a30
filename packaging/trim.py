"""What the frozen program leaves out: plugins nobody loads, libraries nobody needs then, most of ICU's data."""

import re
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

Entry = tuple[str, str, str]  # destination, source, kind, as PyInstaller lists them

# Plugins of Qt that the window loads. GTK's theme alone brings 20 MB of libraries.
PLUGINS = re.compile(
    r"/plugins/(platforms/libq(xcb|offscreen|wayland)\.|xcbglintegrations/libqxcb-glx|imageformats/libq(svg|ico)\."
    r"|iconengines/|wayland-(shell-integration/libxdg-|decoration-client/)"
    r"|wayland-graphics-integration-client/libqt-plugin-wayland-egl"
    r"|platforminputcontexts/lib(compose|ibus)|platformthemes/libqxdgdesktopportal)"
)
# Modules of Qt that no page imports, and what of Python asks for OpenSSL, readline and the like.
MODULES = re.compile(
    r"PySide6/Qt(Network|OpenGL|OpenGLWidgets|Test|Qml|Quick|DBus|PrintSupport|Sql|Xml|Concurrent|Help|Designer)\w*\."
    r"|(^|/)(_ssl|_hashlib|readline|_curses\w*|_tkinter|_dbm|_gdbm|_crypt|nis|ossaudiodev|_test\w*|_xxsubint\w*)\."
    r"|_multiarray_tests\.|(^|/)_codecs_(?!cn)\w+\."
)
# Of the system's libraries only those that Python's own modules ask for come along: their names differ from one
# distribution to the next. The others are Qt's (`LIBRARIES` of the window's check names them, the package depends on
# them), and a C++ library older than the system's would keep its graphics drivers from loading.
FROM_SYSTEM = re.compile(r"^lib(python3|sqlite3|ffi|lzma|bz2|expat|mpdec|z|uuid|crypt|nsl|tirpc)[-.\d]*\.so")
# Sorting names (de, en, zh), normal forms and names of encodings are all that Qt asks ICU for.
ICU_KEPT = re.compile(
    r"(coll/(root|de|de_|de_AT|en|en_US|en_US_POSIX|zh|zh_Hans|zh_Hant|res_index|ucadata)\.(res|icu)|\w+\.nrm|cnvalias\.icu"
    r"|(root|pool|res_index|likelySubtags|supplementalData|keyTypeData)\.res)$"
)
DATA = re.compile(
    r"PySide6/Qt/(translations/(?!qtbase_(de|zh_CN)\.)|qml/|metatypes/|resources/)|/languages/.*\.(po|md)$"
    r"|pyqtgraph/(icons|colors)/|/py\.typed$|\.pyi$|\.dist-info/"
)


def kept(binaries: Iterable[Entry]) -> list[Entry]:
    """Return the binaries that are left: modules and plugins the program loads, and what those are linked with."""
    listed = list(binaries)
    roots = [each for each in listed if _is_root(each)]
    by_name = {Path(each[0]).name: each for each in listed}
    found = {each[0]: each for each in roots}
    waiting = [each[1] for each in roots]
    while waiting:
        for name in _needed(waiting.pop()):
            each = by_name.get(name)
            if each is not None and each[0] not in found and not _is_systems(each):
                found[each[0]] = each
                waiting.append(each[1])
    return [each for each in listed if each[0] in found]


def _is_root(entry: Entry) -> bool:
    name, kind = entry[0], entry[2]
    if "/plugins/" in name:
        return PLUGINS.search(name) is not None
    return (kind == "EXTENSION" and MODULES.search(name) is None) or name.startswith("libpython")


def _is_systems(entry: Entry) -> bool:
    """Tell whether a library is the system's, and there wherever a window can be opened."""
    return entry[1].startswith(("/lib/", "/usr/lib/")) and FROM_SYSTEM.match(Path(entry[0]).name) is None


def _needed(library: str) -> list[str]:
    told = subprocess.run(["objdump", "-p", library], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^\s*NEEDED\s+(\S+)", told, re.MULTILINE)


def lean_icu(library: Path, folder: Path) -> Path:
    """Return a library of ICU's data with only what Qt asks for, made in ``folder``; needs binutils and icu-devtools.

    ICU loads its data as one symbol, icudtNN_dat, and does without what is not in it
    (https://unicode-org.github.io/icu/userguide/icu_data/).
    """
    symbols = subprocess.run(["nm", "-D", "-S", library], capture_output=True, text=True, check=True).stdout
    found = re.search(r"^([0-9a-f]+) ([0-9a-f]+) \w (icudt(\d+)_dat)$", symbols, re.MULTILINE)
    if found is None:
        raise SystemExit(f"{library}: no data of ICU in it")
    at, size, symbol, version = int(found[1], 16), int(found[2], 16), found[3], found[4]
    folder.mkdir(parents=True, exist_ok=True)
    data, items, made = folder / f"icudt{version}l.dat", folder / "left-out.lst", folder / library.name
    data.write_bytes(_section(library, at, size))
    names = subprocess.run(["icupkg", "-l", data], capture_output=True, text=True, check=True).stdout.split()
    items.write_text("\n".join(name for name in names if not ICU_KEPT.fullmatch(name)) + "\n", encoding="utf-8")
    lean = folder / f"lean-{data.name}"
    subprocess.run(["icupkg", "-r", items, data, lean], check=True)
    source = folder / "data.s"
    source.write_text(
        f'.section .rodata\n.balign 16\n.global {symbol}\n.type {symbol}, %object\n{symbol}:\n.incbin "{lean.name}"\n'
        f".size {symbol}, . - {symbol}\n.section .note.GNU-stack\n",
        encoding="utf-8",
    )
    subprocess.run(["as", "-o", "data.o", source.name], cwd=folder, check=True)
    linked = ["ld", "-shared", "-soname", library.name, "-o", made.name, "data.o"]
    subprocess.run(linked, cwd=folder, check=True)
    return made


def _section(library: Path, at: int, size: int) -> bytes:
    """Return the bytes that lie at an address of the library when it is loaded."""
    told = subprocess.run(["objdump", "-p", library], capture_output=True, text=True, check=True).stdout
    for offset, address, length in re.findall(
        r"LOAD off\s+0x([0-9a-f]+) vaddr 0x([0-9a-f]+).*\n\s+filesz 0x([0-9a-f]+)", told
    ):
        begin = int(address, 16)
        if begin <= at and at + size <= begin + int(length, 16):
            with library.open("rb") as file:
                file.seek(int(offset, 16) + at - begin)
                return file.read(size)
    raise SystemExit(f"{library}: the data of ICU are not where they should be")


def kept_data(data: Sequence[Entry]) -> list[Entry]:
    """Return the data files that the program opens."""
    return [each for each in data if DATA.search(each[0]) is None]
