"""A size means the same in every command: a disk is the one that is sold so, an amount of data is exact."""

import pytest
from tests.command_line import answer_of, printed

from poolwright.cli.main import run
from poolwright.domain.units import parse_drive_size
from poolwright.domain.vdev import parse_spec
from poolwright.machine.catalogue import read_catalogue

DRIVES = {
    "6TB": 6_001_175_126_016,
    "6 tb": 6_001_175_126_016,
    "960GB": 960_197_124_096,
    "3.84 TB": 3_840_755_982_336,
    "16TB": 16_000_900_661_248,
    "5.5TiB": 6_047_313_952_768,
    "16T": 16 << 40,
    "6001175126016": 6_001_175_126_016,
    "6000000000000": 6_000_000_000_000,
    "32GB": 32_000_000_000,
}
BARE = ("6", "960")


@pytest.mark.parametrize(("text", "size"), DRIVES.items())
def test_that_a_disk_has_the_same_bytes_wherever_it_is_typed(text: str, size: int) -> None:
    spec = f"raidz2:6x{text}"
    asked = {command: answer_of(command, "--vdev", spec)["vdev"] for command in ("capacity", "predict", "risk")}
    assert set(map(str, asked.values())) == {f"['raidz2:6x{size}']"}
    assert {disk["size_bytes"] for disk in answer_of("inventory", "--disks", f"6 x {text}")["disks"]} == {size}
    assert answer_of("predict", "--vdev", spec, "--disks", f"6 x {text}")["vdev"] == [f"raidz2:6x{size}"]
    product = read_catalogue(f"model,media,size_bytes\nA,hdd,{text}\n").products[0]
    assert product.size_bytes == size


@pytest.mark.parametrize("text", BARE)
def test_that_a_bare_number_is_no_disk_anywhere(capsys: pytest.CaptureFixture[str], text: str) -> None:
    for command in (
        ("capacity", "--vdev", f"mirror:2x{text}"),
        ("predict", "--vdev", f"mirror:2x{text}"),
        ("risk", "--vdev", f"mirror:2x{text}"),
        ("inventory", "--disks", f"2 x {text}"),
        ("recommend", "--disks", f"2x{text}", "--goal", "safety"),
        ("capacity", "--vdev", "mirror:2x6TB", "--then", f"replace:{text}"),
    ):
        assert run(list(command)) == 2, command
        told = capsys.readouterr().err
        assert f"{text} GB" in told, told
        assert f"{text} GiB" in told or f"{text} TiB" in told, told


def test_that_files_have_the_size_that_is_written() -> None:
    found = answer_of("capacity", "--vdev", "raidz2:6x6TB", "--members", "file")
    assert found["vdev"] == ["raidz2:6x6000000000000"]
    assert answer_of("capacity", "--vdev", "raidz2:6x6000000000000", "--members", "file") == found


def test_that_steps_of_growth_have_the_sizes_that_disks_are_sold_by() -> None:
    steps = ("--then", "attach:6TB@1 at 80%", "--then", "add:raidz2:8x6TB on 2048-03")
    found = answer_of("growth", "--layout", "raidz2:8x6TB", "--used", "12TiB", "--growth", "20", *steps)
    six = parse_drive_size("6TB")
    assert found["problem"] is None
    assert found["stages"][-1]["layout"] == [f"raidz2:9x{six}", f"raidz2:8x{six}"]
    assert parse_spec("raidz2:8x6TB").sizes == (six,) * 8


@pytest.mark.slow
def test_that_what_was_understood_is_told() -> None:
    asked = ("recommend", "--disks", "8 x 6TB", "--goal", "safety", "--network", "10G", "--capacity", "10 TB")
    found = answer_of(*asked)["understood"]
    assert (found["network_bytes_per_second"], found["least_usable_bytes"]) == (1_250_000_000, 10**13)
    assert "6,001,175,126,016 bytes" in found["disks"][0]
    assert "understood: --network 10G: 10 Gbit/s = 1.25 GB/s" in printed(*asked)
    assert "members of 6 TB (6,001,175,126,016 bytes)" in printed("capacity", "--vdev", "raidz2:8x6TB")
