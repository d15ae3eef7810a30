"""Encrypted datasets: which hold keys, what is told of the others, and what must be kept of each key."""

from typing import Any

import pytest
from tests.cases import cases
from tests.domain.written import dataset, tank

from poolwright.domain.encryption import encryption_problems, encryption_roots, kept_words, lacks_key

NO_ENCRYPTION = "compatibility=grub2 leaves encryption out, and datasets are encrypted"
ROOT = "encryption=on keyformat=passphrase"


@pytest.mark.parametrize(("datasets", "problems"), cases(__file__, "datasets"))
def test_that_encryption_is_told_what_it_lacks_and_where(datasets: list[list[Any]], problems: list[str]) -> None:
    assert list(encryption_problems(tank(*(dataset(*told) for told in datasets)))) == problems


@pytest.mark.parametrize(
    ("pool", "problem"),
    [
        ("feature@encryption=disabled", "feature@encryption is disabled, and datasets are encrypted"),
        ("feature@encryption=enabled", None),
        ("compatibility=openzfs-2.1-linux", None),
        ("compatibility=openzfs-2.1-linux,grub2", NO_ENCRYPTION),
        ("compatibility=legacy", "compatibility=legacy leaves encryption out, and datasets are encrypted"),
        ("compatibility=freebsd-11.2", "compatibility=freebsd-11.2 leaves encryption out, and datasets are encrypted"),
        ("comment=disabled", None),
    ],
)
def test_that_a_pool_without_the_feature_holds_nothing_encrypted(pool: str, problem: str | None) -> None:
    assert encryption_problems(tank(dataset("", ROOT), pool=pool)) == (() if problem is None else (problem,))
    assert encryption_problems(tank(dataset("a"), pool=pool)) == ()


def test_that_each_key_is_told_with_what_must_be_kept() -> None:
    design = tank(
        dataset("", ROOT),
        dataset("a"),
        dataset("b", "encryption=on keyformat=raw keylocation=file:///etc/b.key"),
        dataset("c", "keyformat=hex keylocation=https://keys/c"),
        dataset("d", "encryption=off"),
    )
    roots = encryption_roots(design)
    assert [(r.dataset, r.keyformat, r.keylocation, r.typed, r.key_file) for r in roots] == [
        ("", "passphrase", "prompt", True, None),
        ("b", "raw", "file:///etc/b.key", False, "/etc/b.key"),
        ("c", "hex", "https://keys/c", False, None),
    ]
    never = "without it the data are lost."
    elsewhere = "in two places off this machine, not in the pool"
    outlives = "where it outlives this machine and whoever types it"
    assert kept_words(design) == (
        f"tank opens with a passphrase typed at a prompt. Keep the passphrase {outlives}: {never}",
        f"tank/b opens with a raw key at file:///etc/b.key. Keep copies of /etc/b.key {elsewhere}: {never}",
        f"tank/c opens with a hex key at https://keys/c. Keep the hex {outlives}: {never}",
    )
    lacking = tank(dataset("a", "encryption=on"), dataset("a/b"), dataset("c", ROOT))
    assert [lacks_key(lacking, name) for name in ("", "a", "a/b", "c")] == [False, True, False, False]
