"""Bounds and words that stand between two parts: units of failure, empty sums, layouts of many vdevs."""

import pytest

from poolwright.domain.design import Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.money import ask_one_currency, money, total
from poolwright.domain.outage import UnitKind, taking_units
from poolwright.domain.vdev import VdevClass, VdevKind, parse_layout, parse_spec


def mirror(keys: str) -> Vdev:
    return Vdev(kind=VdevKind.MIRROR, members=tuple(Member(disk_key=key) for key in keys))


def placed(**shelves: str) -> tuple[Disk, ...]:
    return tuple(Disk(key=key, enclosure=name, controller="c") for name, keys in shelves.items() for key in keys)


@pytest.mark.parametrize(
    ("shelves", "vdevs", "taking"),
    [
        ({"one": "abcd"}, ("ab", "cd"), []),
        ({"one": "ac", "two": "bd"}, ("ab", "cd"), []),
        ({"one": "ab", "two": "cd"}, ("ab", "cd"), ["one", "two"]),
        ({"one": "ab", "two": "cd", "three": "x"}, ("ab",), []),
        ({"one": "ab", "two": "c"}, ("abc",), []),
        ({"one": "ab", "two": "cd"}, ("ab", "c"), []),
    ],
)
def test_that_a_shelf_takes_a_pool_only_where_there_are_several(
    shelves: dict[str, str], vdevs: tuple[str, ...], taking: list[str]
) -> None:
    units = taking_units([mirror(keys) for keys in vdevs], placed(**shelves))
    assert [(unit.kind, unit.name) for unit in units] == [(UnitKind.ENCLOSURE, name) for name in sorted(taking)]


def test_that_a_sum_of_nothing_is_nothing_and_a_missing_currency_is_asked_for() -> None:
    assert (total([]), total([], "EUR")) == (money(0), money(0, "EUR"))
    assert ask_one_currency(None, None).endswith("such as 100 EUR.")
    assert ask_one_currency("USD", None).endswith("such as 100 USD.")
    assert ask_one_currency(None, "CHF").endswith("such as 100 CHF.")


def test_that_equal_vdevs_are_counted_and_sizes_asked_for() -> None:
    assert parse_layout(["3*mirror:2x6TB", "log/mirror:2x1TB"]) == (
        *(parse_spec("mirror:2x6TB"),) * 3, parse_spec("log/mirror:2x1TB"),
    )  # fmt: skip
    assert len(parse_layout(["100000*stripe:6TB"])) == 100_000
    asked: list[str] = []

    def size_of(role: VdevClass) -> int:
        asked.append(role.value)
        return 10**12

    found = parse_layout(["raidz2 of 8, 2 spares"], size_of=size_of)
    assert [(spec.vdev_class.value, spec.width, spec.sizes[0]) for spec in found] == [
        ("data", 8, 10**12), ("spare", 2, 10**12),
    ]  # fmt: skip
    assert asked == ["data", "spare"]
