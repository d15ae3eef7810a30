"""Numbers of the answer that people reckon with: they are true, and a thing has one of them."""

import pytest
from tests.command_line import poolwright


def told(*args: str) -> str:
    done = poolwright(*args)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("preset", ["database", "vm-images", "home-directories", "media-archive"])
def test_that_a_mirror_holds_blocks_of_any_size_that_fill_sectors_without_loss(preset: str) -> None:
    assert "room for" not in told("recommend", "--disks", "2 x 1TB ssd", "--goal", "safety", "--preset", preset)


def test_that_the_capacity_asked_for_is_held_against_all_pools_together() -> None:
    text = told("recommend", "--disks", "4 x 8TB, 4 x 16TB", "--goal", "space", "--capacity", "40TB")
    assert "capacity.planned-above-eighty" not in text.split("Side by side")[0]


def test_that_the_seconds_a_log_holds_are_those_of_its_bytes() -> None:
    flash = ("--disks", "8 x 8TB, 2 x 1.92TB nvme PLP", "--goal", "concurrent", "--preset", "vm-images")
    text = told("roles", "--layout", "4*mirror:2x8TB", *flash, "--ram", "64GiB")
    line = next(line for line in text.splitlines() if "it holds" in line)
    assert "it holds 10 s of writes" in line
    assert "15 s at most" in line


def test_that_data_beyond_the_pool_do_not_fit() -> None:
    done = poolwright("usage", "--layout", "raidz2:8x8TB", "--data", "tank=400TiB")
    assert done.returncode == 1
    assert "It does not fit" in done.stdout
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
    done = poolwright("script", "--layout", "raidz2:8x8TB", *options)
    assert done.returncode == 1
    assert "set aside" in done.stderr
    enough = poolwright("script", "--layout", "raidz2:8x8TB", "--dataset", "a", "reservation=20T")
    assert "set aside" not in enough.stderr
