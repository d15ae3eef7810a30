"""Designs of datasets written in a word each."""

from tests.emit.pretend import small_design

from poolwright.domain.design import Dataset, Design, Setting

GIB = 1 << 30


def settings(text: str) -> tuple[Setting, ...]:
    """Return the settings that ``text`` lists: ``encryption=on keyformat=raw``."""
    pairs = [word.partition("=") for word in text.split()]
    return tuple(Setting(name=name, value=value) for name, _, value in pairs)


def dataset(name: str, told: str = "", volume_bytes: int | None = None) -> Dataset:
    return Dataset(name=name, settings=settings(told), volume_bytes=volume_bytes)


def tank(*datasets: Dataset, pool: str = "") -> Design:
    return small_design(datasets=datasets, pool_settings=settings(pool))
