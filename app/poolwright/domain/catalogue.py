"""Disks one can buy, with what is known of each and when it was known."""

from dataclasses import dataclass

from poolwright.domain.disk import Media


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A disk of the catalogue.

    ``price`` is for one disk in ``currency``, seen on ``priced_on`` (ISO date); ``afr_percent`` is failures a year,
    ``watts`` the power under load; ``source`` says where price and facts come from. ``key`` is unique in a catalogue.
    """

    key: str
    vendor: str = ""
    model: str
    media: Media
    size_bytes: int
    logical_sector_bytes: int | None = None
    physical_sector_bytes: int | None = None
    rotation_rpm: int | None = None
    smr: bool | None = None
    transport: str | None = None
    power_loss_protection: bool | None = None
    price: float | None = None
    currency: str = ""
    priced_on: str = ""
    afr_percent: float | None = None
    watts: float | None = None
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """Products with unique keys, in the order they are shown."""

    products: tuple[Product, ...] = ()

    def product(self, key: str) -> Product | None:
        """Return the product of this key."""
        return next((product for product in self.products if product.key == key), None)
