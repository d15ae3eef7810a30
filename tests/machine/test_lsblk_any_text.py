"""Whatever the text, lsblk's reader returns disks or says what is wrong."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolwright.domain.errors import UserError
from poolwright.domain.origin import Origin, OriginKind
from poolwright.machine.lsblk.read import read_lsblk

ORIGIN = Origin(kind=OriginKind.READ, source="lsblk")
KINDS = ("disk", "part", "lvm", "crypt", "raid1", "mpath", "loop", "rom", None)

names = st.sampled_from(
    ("sda", "sda1", "sdb", "nvme0n1", "nvme0n1p1", "md0", "dm-0", "mpatha", "loop0", "bcache0", "", "/dev/sdc", "é b")
)
values = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.lists(st.none() | st.text())


def devices(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.fixed_dictionaries(
        {"name": names, "kname": names | values},
        optional={
            "type": st.sampled_from(KINDS) | values,
            "size": st.integers(-1, 1 << 70) | st.sampled_from(("5.5T", "1,8T", "0B", "x")) | values,
            "log-sec": values,
            "phy-sec": values,
            "rota": values,
            "fstype": st.sampled_from(("zfs_member", "mpath_member", "linux_raid_member", "ext4", None)) | values,
            "label": values,
            "mountpoint": values,
            "mountpoints": values,
            "pkname": names,
            "wwn": st.sampled_from(("0x5", None)),
            "serial": st.sampled_from(("S", None)) | values,
            "pttype": values,
            "children": st.lists(inner, max_size=3) | values,
        },
    )


documents = st.fixed_dictionaries(
    {"blockdevices": st.lists(st.recursive(devices(st.none()), devices, max_leaves=8), max_size=5)}
)

TREE = """\
NAME        MAJ:MIN RM  SIZE RO TYPE  MOUNTPOINTS
sda           8:0    0   20G  0 disk
├─sda1        8:1    0    1G  0 part  /boot
└─sda2        8:2    0   19G  0 part
  └─vg-root 253:0    0   17G  0 lvm   /
"""
PAIRS = 'NAME="sda" TYPE="disk" SIZE="1" PKNAME=""\nNAME="sda1" TYPE="part" SIZE="1" PKNAME="sda"\n'
RAW = "NAME TYPE SIZE MODEL FSTYPE\nsda disk 5 X ext4\nsda1 part 5  \n"
JSON = json.dumps({"blockdevices": [{"name": "sda", "type": "disk", "size": 5, "children": [{"name": "sda1"}]}]})


def check(text: str) -> None:
    """Read ``text``; only UserError may come out, and what is read keeps its promises."""
    try:
        reading = read_lsblk(text, ORIGIN)
    except UserError:
        return
    keys = [disk.key for disk in reading.disks]
    assert len(keys) == len(set(keys))
    for disk in reading.disks:
        assert disk.path
        assert disk.size_bytes is None or 0 <= disk.size_bytes < 1 << 63


@pytest.mark.slow
@given(documents)
@settings(max_examples=200, deadline=None)
def test_that_any_json_of_lsblks_shape_is_read(document: object) -> None:
    check(json.dumps(document))


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_that_any_text_is_read_or_refused(text: str) -> None:
    check(text)


def damaged(sample: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return given(
        cut=st.integers(0, len(sample)),
        at=st.integers(0, len(sample)),
        noise=st.text(st.sampled_from(' \t\n\r"\\{}[]:,0159azKMG=/│├└─`|-#$\x00é'), max_size=6),
    )


@pytest.mark.parametrize("sample", [TREE, PAIRS, RAW, JSON], ids=["tree", "pairs", "raw", "json"])
@damaged(TREE)
@settings(max_examples=100, deadline=None)
def test_that_damaged_output_is_read_or_refused(sample: str, cut: int, at: int, noise: str) -> None:
    cut, at = min(cut, len(sample)), min(at, len(sample))
    check(sample[:cut])
    check(sample[:at] + noise + sample[at:])
    check(sample[:at] + noise + sample[at + len(noise) :])
