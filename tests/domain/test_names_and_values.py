"""Names and properties that a new pool can have: each held against what real OpenZFS took or refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from poolwright.domain.dataset_properties import is_user_property
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.names import dataset_name_problem, pool_name_problem
from poolwright.domain.setting_problems import setting_problems
from poolwright.domain.version import ZfsVersion

V232 = ZfsVersion(2, 3, 2)
ROWS = [
    tuple(line.split("\t"))
    for line in Path(__file__).with_name("names-and-values-of-our-machine.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
KINDS = sorted({row[0] for row in ROWS})
# What OpenZFS takes and we refuse, with the reason. Nothing it refuses may pass.
STRICTER = {
    "pool": (
        *("ashift=", "altroot=", "version=", "dedupditto="),  # fields of the pool, of one import, of old pools
        *("compatibility=/", "compatibility=.."),  # files by path are not what the next administrator looks for
    ),
    "filesystem": (
        *("version=", "userquota@", "groupquota@"),  # set afterwards, by whoever needs it
        *("compress=", "rdonly=", "recsize=", "refreserv=", "reserv="),  # other names that no tool prints back
        *("com.example:note=line", "com.example:note=\t", "com.example:note=\x1b", "com.example:note=\udcff"),
        *(":x=", "-x:y", "_x:y", ".x:y"),  # names that other tools stumble over
        "quota=64K",  # less than a dataset needs on disks of larger sectors
        "checksum=noparity",  # for tests of OpenZFS itself
    ),
    "volume": ("volthreading=",),
    "root": (),
}
# What it refuses and we let pass: set once the pool is there, or looked at by the script on the machine itself.
LATER = ("bootfs=POOL", "cachefile=/nowhere", "compatibility=nosuchfile", "compatibility=openzfs-2.4")
STRICTER_NAMES = {
    "pool name": ("c0", "c1tank", "c9", "ta nk", "tank ", "root", "etc", "dev", "proc", "sys", "usr"),
    "filesystem name": ("a b", "a ", "-a", "a--b "),
    "volume name": ("a b", "v ", "-v"),
}


def design_of(kind: str, given: list[str]) -> Design:
    settings = tuple(Setting(name=name, value=value) for name, _, value in (text.partition("=") for text in given))
    plain = Design(key="k", name="n", pool_name="POOL", version=V232)
    if kind == "pool":
        return replace(plain, pool_settings=settings)
    if kind == "below-encrypted":
        above = (Setting(name="encryption", value="on"), Setting(name="keyformat", value="passphrase"))
        return replace(plain, datasets=(Dataset(name="enc", settings=above), Dataset(name="enc/t", settings=settings)))
    name, size = "" if kind == "root" else "t", 8 << 20 if kind == "volume" else None
    return replace(plain, datasets=(Dataset(name=name, settings=settings, volume_bytes=size),))


def problems_of(kind: str, given: list[str]) -> tuple[str, ...]:
    if kind == "pool name":
        found = pool_name_problem(given[0], V232)
    elif kind.endswith(" name"):
        found = dataset_name_problem("q", given[0])
    else:
        return setting_problems(design_of(kind, given))
    return () if found is None else (found,)


def is_stricter(kind: str, given: list[str]) -> bool:
    if kind in STRICTER_NAMES:
        return given[0].startswith(STRICTER_NAMES[kind])
    if "encryption=" in given[0] or kind == "below-encrypted":
        return any(text.startswith(("copies=3", "pbkdf2iters=")) for text in given)
    starts = (*STRICTER.get(kind, ()), "mountpoint=/x", "mountpoint=/a/a")  # with .. or longer than 1023 bytes
    return any(text.startswith(start) for text in given for start in starts)


@pytest.mark.parametrize("kind", KINDS)
def test_that_nothing_passes_that_openzfs_refuses(kind: str) -> None:
    refused = [json.loads(row[1]) for row in ROWS if row[0] == kind and row[2] == "no"]
    passed = [given for given in refused if not problems_of(kind, given)]
    assert [g for g in passed if kind != "pool" or not (g[0].startswith(LATER) or is_user_property(g[0]))] == []


@pytest.mark.parametrize("kind", KINDS)
def test_that_what_openzfs_takes_passes_but_for_known_reasons(kind: str) -> None:
    taken = [(json.loads(row[1]), row) for row in ROWS if row[0] == kind and row[2] == "yes"]
    refused = [(given, problems_of(kind, given)) for given, _ in taken]
    assert [pair for pair in refused if pair[1] and not is_stricter(kind, pair[0])] == []


def test_that_long_values_are_refused_as_openzfs_does() -> None:
    for length, good in ((8191, True), (8192, False)):
        assert (setting_problems(design_of("filesystem", [f"org.x:note={'a' * length}"])) == ()) is good
