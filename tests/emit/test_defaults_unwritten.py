"""What OpenZFS does by itself is not written as if somebody had set it."""

import pytest
from tests.emit.pretend import small_design

from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.inheritance import SettingSource, effective_settings
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.emit.report_comparison import design_commands


def proposed(name: str, value: str) -> Setting:
    return Setting(name=name, value=value, reason="a rule says so", rule_id="property.some")


def design(*root: Setting, child: tuple[Setting, ...] = (), version: ZfsVersion = DEFAULT_VERSION) -> Design:
    datasets = (Dataset(name="", settings=root), Dataset(name="a/b", settings=child))
    return small_design(pool_settings=(), datasets=datasets, version=version)


def written(found: Design) -> str:
    return "\n".join(command.text for command in design_commands(found))


@pytest.mark.parametrize(
    "told", ["recordsize=128K", "recordsize=131072", "dedup=off", "checksum=on", "checksum=fletcher4", "sync=standard"]
)
def test_that_a_proposed_default_of_every_openzfs_is_not_written(told: str) -> None:
    name, _, value = told.partition("=")
    found = design(proposed(name, value))
    assert name not in written(found)
    (force,) = (e for e in effective_settings(found, found.datasets[0]) if e.name == name)
    assert (force.source, force.reason) == (SettingSource.DEFAULT, "a rule says so")


@pytest.mark.parametrize(
    ("told", "version"),
    [
        ("compression=lz4", "2.3.9"),  # off before 2.2
        ("compression=on", "2.3.9"),
        ("compression=off", "2.1.11"),
        ("relatime=on", "2.3.9"),  # off before 2.2
        ("xattr=sa", "2.3.9"),  # a directory before 2.3
        ("atime=off", "2.3.9"),
        ("acltype=posix", "2.3.9"),
        ("dnodesize=auto", "2.3.9"),
        ("casesensitivity=insensitive", "2.3.9"),
    ],
)
def test_that_what_differs_from_the_default_of_any_version_is_written(told: str, version: str) -> None:
    name, _, value = told.partition("=")
    assert told in written(design(proposed(name, value), version=ZfsVersion.parse(version)))


def test_that_a_default_somebody_asked_for_is_written() -> None:
    assert "recordsize=128K" in written(design(Setting(name="recordsize", value="128K")))


def test_that_a_child_gets_the_default_back_where_something_above_differs() -> None:
    child = (proposed("recordsize", "128K"), proposed("sync", "standard"))
    found = design(proposed("recordsize", "1M"), proposed("sync", "standard"), child=child)
    told = written(found)
    assert "-O recordsize=1M" in told
    assert "-o recordsize=128K" in told
    assert "sync=" not in told
