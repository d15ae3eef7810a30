"""The text of the guarded script: golden, nothing destructive in it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.emit.pretend import STAMP, disk, small_design, vdev

from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.script import guarded_script

GOLDEN = Path(__file__).parent / "golden" / "small_office.sh"


def text_of(design: Design) -> str:
    return guarded_script(design, STAMP, predicted=((5978594476032, None),))


def large_design() -> Design:
    disks = tuple(disk(n, model='it\'s a "$(model)" `x`', vendor="V\nW") for n in range(30))
    root = (Setting(name="mountpoint", value="/srv/a b"), Setting(name="org.x:note", value="$(x) `y` \"z\" 'w' \\"))
    return small_design(
        name="Hostile $(name)\n`x`",
        disks=disks,
        vdevs=(
            vdev(VdevKind.RAIDZ, range(8), parity=2),
            vdev(VdevKind.RAIDZ, range(8, 16), parity=2),
            vdev(VdevKind.MIRROR, (16, 17, 18), vdev_class=VdevClass.SPECIAL),
            vdev(VdevKind.STRIPE, (19,), vdev_class=VdevClass.LOG),
            vdev(VdevKind.STRIPE, (20, 21), vdev_class=VdevClass.CACHE),
            vdev(VdevKind.STRIPE, (22,), vdev_class=VdevClass.SPARE),
        ),
        datasets=(Dataset(name="", settings=root),),
        pool_settings=(Setting(name="bootfs", value="tank"),),
    )


def test_that_the_golden_script_is_what_is_written() -> None:
    assert text_of(small_design()) == GOLDEN.read_text(encoding="utf-8")


def test_that_nothing_at_run_time_can_move_the_device_folders() -> None:
    told = re.findall(r"^.*\b(?:dev_by_id|sys_block)=.*$", text_of(small_design()), re.MULTILINE)
    assert told == ["readonly dev_by_id=/dev/disk/by-id", "readonly sys_block=/sys/class/block"]


def test_that_the_environment_is_asked_for_the_log_only() -> None:
    text = text_of(small_design())
    assert set(re.findall(r"\$\{([A-Z_]+):?-", text)) == {"POOLWRIGHT_LOG", "BASH_VERSION", "SHELLOPTS", "PATH"}


def test_that_zeros_are_written_by_one_function_and_only_where_overwriting_was_agreed_to() -> None:
    code = [line for line in text_of(large_design()).splitlines() if not line.lstrip().startswith("#")]
    functions: dict[str, list[str]] = {}
    for line in code:
        if opened := re.match(r"([a-z_]+)\(\) \{", line):
            functions[opened[1]] = []
        elif functions:
            functions[list(functions)[-1]].append(line)

    def calling(word: str) -> list[str]:
        return [name for name, lines in functions.items() if any(re.search(rf"(^|[\s;|&(]){word}", x) for x in lines)]

    assert calling("of=") == ["write_zeros"]
    assert calling("write_zeros") == ["clear_ends"]
    assert calling("clear_ends") == ["clear_agreed"]
    assert calling("clear_agreed") == ["make_partitions"]
    assert functions["clear_agreed"][1] == '  for i in ${used_disks[@]+"${used_disks[@]}"}; do'
    asks = "\n".join(functions["prepare"])
    assert asks.index("have_agreed") < asks.index("make_partitions")


@pytest.mark.parametrize("word", ["labelclear", "zpool destroy", "zfs destroy", "mkfs", "rm ", "eval"])
def test_that_no_destructive_command_is_in_the_script(word: str) -> None:
    code = [line for line in text_of(large_design()).splitlines() if not line.lstrip().startswith("#")]
    assert not [line for line in code if re.search(rf"(^|[\s;|&(]){re.escape(word)}", line)]


def test_that_wipefs_only_looks() -> None:
    lines = [line for line in text_of(large_design()).splitlines() if re.search(r"\bwipefs\b", line)]
    calls = [line for line in lines if "$(wipefs" in line]
    assert calls
    assert all("wipefs -n " in line for line in calls)


def test_that_force_is_written_only_with_its_reason() -> None:
    assert "zpool create -f" not in text_of(small_design())
    uneven = replace(small_design(), vdevs=(vdev(VdevKind.MIRROR, (0, 1)), vdev(VdevKind.STRIPE, (2,))))
    text = text_of(uneven)
    assert "  write zpool create -f " in text
    assert "# zpool wants -f because a bare disk and mirror of 2 differ in redundancy." in text
