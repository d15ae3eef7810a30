"""The catalogue of disks to buy, kept in the library."""

from dataclasses import replace
from pathlib import Path

import pytest

from poolwright.catalogue_library import shipped_catalogue
from poolwright.domain.catalogue import Catalogue, Product
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.money import money
from poolwright.store.database import Database
from poolwright.store.designs import Catalogues


def test_that_a_changed_catalogue_is_kept_and_can_be_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    first, *others = shipped_catalogue().products
    flash = Product(
        key="f", model="F", media=Media.NVME, size_bytes=1, smr=False, power_loss_protection=True, price=money("9.5")
    )
    changed = Catalogue(products=(replace(first, price=money("1.25", "EUR")), *others, flash))
    with Database.open(path) as database:
        assert Catalogues(database).load() is None
        Catalogues(database).save(changed)
    with Database.open(path) as database:
        assert Catalogues(database).load() == changed
        Catalogues(database).forget()
        assert Catalogues(database).load() is None


def test_that_two_products_of_one_key_leave_the_catalogue_as_it_was(tmp_path: Path) -> None:
    one = Product(key="a", model="A", media=Media.HDD, size_bytes=1)
    with Database.open(tmp_path / "library.sqlite") as database:
        kept = Catalogues(database)
        kept.save(Catalogue(products=(one,)))
        with pytest.raises(UserError, match="two products"):
            kept.save(Catalogue(products=(one, one)))
        assert kept.load() == Catalogue(products=(one,))
