"""Whatever the text, lsblk's reader returns disks or says what is wrong."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.machine.lsblk.read import read_lsblk

ORIGIN = Origin(kind=OriginKind.READ, source="lsblk")
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
