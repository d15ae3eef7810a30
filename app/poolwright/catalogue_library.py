"""The catalogue that ships with the program: the drives of the failure statistics, and flash for log devices."""

from functools import cache

from poolwright.domain.catalogue import Catalogue, Product
from poolwright.domain.disk import Media
from poolwright.domain.money import money
from poolwright.domain.units import label_bytes
from poolwright.machine.catalogue import product_key
from poolwright.predict.drives import PRICE_MONTH
from poolwright.shipped import shipped
from poolwright.table_library import load_drive_book, load_shipped_tables
from poolwright.texts import _, per_language


@per_language
@cache
def shipped_catalogue() -> Catalogue:
    """Return the hard disks of the drive statistics that have a price; people replace prices by those of today.

    Prices are those of 2024-09 in USD; models of families announced before 2019 count as no longer sold. Power and
    failure rate are left to the models, which know both with a band.
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
                source=_("{source}, street price, condition unknown", source=record.source),
                sold=record.model.startswith(tuple(shipped("drives")["still_sold"])),
            )
        )
    return Catalogue(products=tuple(found))


@per_language
@cache
def shipped_flash() -> Catalogue:
    """Return flash with power-loss protection of which a price with its day is known: small drives for a log device.

    It is kept apart from `shipped_catalogue`, for nobody makes a pool of such drives.
    """
    table = load_shipped_tables().named("flash_prices")
    return Catalogue(
        products=tuple(
            Product(
                key=product_key(row.text("model")),
                model=row.text("model"),
                media=Media(row.text("media")),
                size_bytes=label_bytes(int(row.number_of("capacity_gb") or 0)),
                power_loss_protection=row.text("power_loss") == "yes",
                price=money(int(row.number_of("price_usd") or 0), "USD"),
                priced_on=table.date,
                source=_("{title}, price of the market", title=table.externals[0].title),
            )
            for row in table.rows
        )
    )
