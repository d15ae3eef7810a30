"""Numbers of the answer that people reckon with: they are true, and a thing has one of them."""

import re
from pathlib import Path

import pytest
from tests.command_line import answer_of, poolwright, printed, refused


@pytest.mark.parametrize("preset", ["database", "vm-images", "home-directories", "media-archive"])
def test_that_a_mirror_holds_blocks_of_any_size_that_fill_sectors_without_loss(preset: str) -> None:
    assert "room for" not in printed("recommend", "--disks", "2 x 1TB ssd", "--goal", "safety", "--preset", preset)


def test_that_the_capacity_asked_for_is_held_against_all_pools_together() -> None:
    text = printed("recommend", "--disks", "4 x 8TB, 4 x 16TB", "--goal", "space", "--capacity", "40TB")
    assert "capacity.planned-above-eighty" not in text.split("Side by side")[0]
    unlike = ("--disks", "8 x 4TB, 4 x 1.92TB ssd", "--preset", "vm-images", "--preset", "media-archive")
    assert "[capacity.planned-above-eighty]" not in printed("recommend", *unlike, "--capacity", "14TiB")
    assert printed("recommend", *unlike, "--capacity", "21TiB").count("21.0 TiB of 23.9 TiB is more than 80 %") == 1


def test_that_the_seconds_a_log_holds_are_those_of_its_bytes() -> None:
    flash = ("--disks", "8 x 8TB, 2 x 1.92TB nvme PLP", "--goal", "concurrent", "--preset", "vm-images")
    text = printed("roles", "--layout", "4*mirror:2x8TB", *flash, "--ram", "64GiB")
    line = next(line for line in text.splitlines() if "it holds" in line)
    assert "it holds 10 s of writes" in line
    assert "15 s at most" in line


def test_that_data_beyond_the_pool_do_not_fit() -> None:
    assert "It does not fit" in printed("usage", "--layout", "raidz2:8x8TB", "--data", "tank=400TiB", status=1)
    assert poolwright("usage", "--layout", "raidz2:8x8TB", "--data", "tank=400TiB", "--json").returncode == 1
    assert poolwright("usage", "--layout", "raidz2:8x8TB", "--data", "tank=40TiB").returncode == 0


@pytest.mark.parametrize(
    "options",
    [
        ("--dataset", "a", "reservation=20T", "--dataset", "b", "refreservation=25T"),
        ("--volume", "a=30TiB,64K", "--volume", "b=30TiB,64K"),
        ("--dataset", "a", "reservation=42T"),
    ],
)
def test_that_reservations_beyond_the_pool_are_refused_before_it_is_made(options: tuple[str, ...]) -> None:
    assert "set aside" in refused("script", "--layout", "raidz2:8x8TB", *options, status=1)
    asked = poolwright("recommend", "--disks", "8 x 8TB", "--goal", "safety", *options)
    assert "set aside" in asked.stderr
    enough = poolwright("script", "--layout", "raidz2:8x8TB", "--dataset", "a", "reservation=20T")
    assert "set aside" not in enough.stderr


def test_that_every_answer_tells_what_clients_get_and_names_what_is_without_the_network(tmp_path: Path) -> None:
    file = str(tmp_path / "d.json")
    asked = ("recommend", "--disks", "12 x 8TB", "--goal", "speed", "--network", "10GbE")
    text = printed(*asked, "--save-design", file)
    rates = [line for line in text.splitlines() if re.search(r"\d GB/s", line) and "1.25 GB/s" not in line]
    assert all("1.18 GB/s" in line for line in rates if "without the network" not in line)
    assert re.search(r" 1\.2 \(0\.\d+-1\.2\)", text)
    assert "sequential: reads 1.18 GB/s" in printed(*asked, "--layout", "stripe:12x8TB").split("Side by side")[0]
    listed = answer_of(*asked)["candidates"][0]
    saved = answer_of("predict", file)
    assert saved["seq_read"] == listed["predictions"]["seq_read"]
    assert saved["rand_read_iops"]["typical"] == listed["predictions"]["rand_read_iops"]["typical"]
    bought = answer_of("buy", "--disks", "6 x 8TB", "--network", "1GbE", "--capacity", "60TiB")
    assert bought["best"]["seq_read"] < 1.25e8


def test_that_of_two_pools_the_one_that_is_told_has_its_name(tmp_path: Path) -> None:
    file = str(tmp_path / "d.json")
    unlike = ("--disks", "8 x 4TB, 4 x 1.92TB ssd", "--preset", "vm-images", "--preset", "media-archive")
    printed("recommend", *unlike, "--save-design", file)
    for command in ("predict", "risk"):
        assert "pool tank; --pool takes another: tank-bulk" in poolwright(command, file).stderr
        assert "raidz2 of 8" in printed(command, file, "--pool", "tank-bulk")
    for command in ("roles", "growth"):
        assert "pool tank; --pool takes another: tank-bulk" in poolwright(command, file).stderr
        assert printed(command, file, "--pool", "tank-bulk") != printed(command, file)
    assert "pool tank-bulk, OpenZFS" in printed("growth", file, "--pool", "tank-bulk")
    assert (
        "means the main pool (--pool tank-bulk)"
        in poolwright("roles", file, "--pool", "tank-bulk", "--add", "log").stderr
    )


def test_that_a_pool_in_use_is_forecast_as_full_as_it_was_read(tmp_path: Path) -> None:
    disks = "\n".join(f"\t    ata-{letter}   ONLINE       0     0     0" for letter in "ABCD")
    (tmp_path / "nas.txt").write_text(
        "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n"
        f"\ttank        ONLINE       0     0     0\n\t  raidz2-0  ONLINE       0     0     0\n{disks}\n\n"
        "errors: No known data errors\n"
        "NAME   SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT\n"
        "tank  14.5T  13.2T  1.3T        -         -    40%    91%  1.00x    ONLINE  -\n"
    )
    pool = ("--from", str(tmp_path / "nas.txt"), "--pool", "tank")
    read, new = (answer_of("predict", *pool, *more)["seq_read"] for more in ((), ("--fill", "0")))
    assert read["typical"] < new["typical"] / 4
    assert "91 % full, in use" in read["origin"]
    assert "91 % full" in printed("predict", *pool)
    assert f"{read['typical'] / 1e6:.1f} MB/s" in printed("report", *pool)
