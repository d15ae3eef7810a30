"""The catalogue that ships with the program: the drives of the failure statistics, with their old street prices."""

from functools import cache

from poolwright.domain.catalogue import Catalogue, Product
from poolwright.domain.disk import Media
from poolwright.domain.units import label_bytes
from poolwright.drive_library import load_drive_book
from poolwright.inventory.catalogue import product_key
from poolwright.predict.drives import PRICE_MONTH


@cache
def shipped_catalogue() -> Catalogue:
    """Return the hard disks of the drive statistics that have a price; people replace prices by those of today.

    Prices are those of 2024-09 in USD. Power and failure rate are left to the models, which know both with a band.
    """
    found = []
    for record in load_drive_book().records:
        if record.price is None or record.terabytes is None:
            continue
        found.append(
            Product(
                key=product_key(record.model),
                model=record.model,
                media=Media.HDD,
                size_bytes=label_bytes(record.terabytes * 1000),
                price=record.price,
                priced_on=PRICE_MONTH,
                source=f"{record.source}, street price",
            )
        )
    return Catalogue(products=tuple(found))
