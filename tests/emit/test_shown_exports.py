"""Every form a design is written in: nothing in it is other than it looks, and shells and readers take it as it is."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.emit.exported import context_of
from tests.emit.functions import check_shell
from tests.emit.machines import macblog_design
from tests.emit.pretend import disk, small_design, vdev

from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.host import Host
from poolwright.domain.shown import is_plain_text
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.exports import EXPORTS, export_text
from poolwright.emit.script import FIXED_PART
from poolwright.store.design_file import to_json

TURNED = "report\u202egnp.exe\u2066\u200b\u3164"
CONTROL = "\x85\x80\x9b2J\ufeff\u2028"


def hostile() -> Design:
    disks = tuple(
        disk(n, model=f"{TURNED}{CONTROL}", serial=f"ZAD{n}\u202e", slot=f"{CONTROL}${{x}}''") for n in range(3)
    )
    note = (
        Setting(
            name="org.x:note",
            value=f"{TURNED}\x80\x85 ${{pkgs}} '' {{{{ x }}}} =1+1 \U0001f512\U000e0041",
            reason=TURNED,
        ),
    )
    return small_design(
        name=f"=cmd|{TURNED}{CONTROL}",
        host=Host(name=f"<b>{TURNED}</b>"),
        disks=disks,
        datasets=(*small_design().datasets, Dataset(name="x", settings=note)),
    )


@pytest.mark.parametrize("key", [form.key for form in EXPORTS])
def test_that_every_character_of_an_export_can_be_seen(key: str) -> None:
    text = written(key, hostile())
    odd = [line for line in text.split("\n") if not is_plain_text(line.replace("\t", ""))]
    assert odd == []


def test_that_the_exact_value_is_kept_behind_its_escapes() -> None:
    value = hostile().datasets[-1].settings[0].value
    assert any(
        setting["value"] == value
        for dataset in json.loads(written("json", hostile()))["design"]["datasets"]
        for setting in dataset["settings"]
    )
    script = written("sh", hostile())
    word = next(part for line in script.splitlines() for part in line.split(" -o ") if "org.x:note=" in part)
    word = word.removesuffix(" \\").strip()
    read = subprocess.run(
        ["bash", "-c", f'set -- {word.removeprefix("-o ")}; printf %s "$1"'], capture_output=True, check=True
    )
    assert read.stdout.decode() == f"org.x:note={value}"


def written(key: str, design: Design) -> str:
    return export_text(key, design, replace(context_of(design), design_text=to_json))


def designs() -> Iterator[Design]:
    """Yield designs of every kind, no two alike."""
    disks = tuple(disk(n) for n in range(24))
    kinds = [
        (vdev(VdevKind.STRIPE, (0,)),),
        (vdev(VdevKind.STRIPE, (0,)), vdev(VdevKind.STRIPE, (1,))),
        (vdev(VdevKind.MIRROR, (0, 1)),),
        (vdev(VdevKind.MIRROR, (0, 1, 2)), vdev(VdevKind.MIRROR, (3, 4, 5))),
        *((vdev(VdevKind.RAIDZ, range(5 + parity), parity=parity),) for parity in (1, 2, 3)),
        (vdev(VdevKind.RAIDZ, range(6), parity=2), vdev(VdevKind.RAIDZ, range(6, 12), parity=2)),
        (vdev(VdevKind.DRAID, range(12), parity=2, draid_data=4, draid_spares=1),),
        (vdev(VdevKind.RAIDZ, range(6), parity=2), vdev(VdevKind.MIRROR, (6, 7, 8), vdev_class=VdevClass.SPECIAL)),
        (vdev(VdevKind.MIRROR, (0, 1)), vdev(VdevKind.MIRROR, (2, 3), vdev_class=VdevClass.DEDUP)),
        (vdev(VdevKind.MIRROR, (0, 1)), vdev(VdevKind.STRIPE, (2, 3), vdev_class=VdevClass.LOG)),
        (vdev(VdevKind.MIRROR, (0, 1)), vdev(VdevKind.STRIPE, (2,), vdev_class=VdevClass.CACHE)),
    ]
    names = ("dd", "rm", "test", "if", "do", "for", "esac", "true", "a-b", "a.b", "a:b", "tank--", "x" * 60)
    for vdevs, name in zip(kinds, names, strict=True):
        yield small_design(disks=disks, vdevs=vdevs, pool_name=name)
    for name, value in (
        ("comment", "it's `$(x)` \\"),
        ("compatibility", "grub2"),
        ("cachefile", "none"),
        ("failmode", "panic"),
    ):
        yield small_design(pool_settings=(Setting(name=name, value=value),))
    for mountpoint in ("none", "/srv/a b", "/srv/$(x)", "/srv/’ä"):
        yield small_design(datasets=(Dataset(name="", settings=(Setting(name="mountpoint", value=mountpoint),)),))
    key = (Setting(name="encryption", value="on"), Setting(name="keyformat", value="passphrase"))
    yield small_design(datasets=(Dataset(name="", settings=key),))
    yield small_design(datasets=(Dataset(name="v", settings=key, volume_bytes=1 << 30),))
    yield small_design(ashift=13)
    yield replace(hostile(), pool_name="hostile")
    yield small_design(vdevs=(vdev(VdevKind.STRIPE, (0,)),), pool_settings=(), datasets=())
    yield macblog_design()
    yield replace(macblog_design(), pool_name="dd")
    yield small_design(datasets=tuple(Dataset(name=f"d{n}/e") for n in range(30)))
    yield small_design(datasets=(Dataset(name="dd"), Dataset(name="rm/if")), pool_settings=())


def own_part(script: str) -> str:
    """Return what a script says of its design, ended so that shellcheck can read it by itself."""
    used = ("dev_by_id", "sys_block", "designed_for-", "install-", "fixed_part_title", "fixed_part_sha256")
    words = " ".join(f'"${{{name}}}"' for name in used)
    own = script.partition(f"\n{FIXED_PART}")[0]
    return f"{own}\ndesign {words}\n}}\n"


@pytest.mark.slow
def test_that_shellcheck_finds_nothing_in_thirty_scripts_and_their_undos(tmp_path: Path) -> None:
    made = list(designs())
    assert len({str(design) for design in made}) >= 30
    files = []
    for number, design in enumerate(made):
        for key in ("sh", "undo"):
            path = tmp_path / f"{number}-{key}.sh"
            text = written(key, design)
            # The part that is the same in all of them takes most of the time: it is looked at in the first.
            path.write_text(text if number == 0 else own_part(text), encoding="utf-8")
            files.append(path)
    check_shell(*files)
