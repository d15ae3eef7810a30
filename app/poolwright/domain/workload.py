"""What the pool is for: one of four goals, and details under it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from poolwright.domain.money import MixedCurrenciesError, Money, total
from poolwright.domain.reserve import ReservedPartition
from poolwright.domain.retention import DailyChange, Retention
from poolwright.domain.units import zero_is_unknown
from poolwright.texts import N_


class Goal(StrEnum):
    """The three scenarios of the thesis (chapter 6), and the most space."""

    SAFETY = N_("safety")
    CONCURRENT = N_("concurrent")
    SPEED = N_("speed")
    SPACE = N_("space")


class Allowance(StrEnum):
    PARTITIONS = "partitions"  # disks cut into partitions that share their heads
    KINDS = "kinds"  # vdevs of different redundancy in one pool
    SHINGLED = "smr-parity"  # shingled (SMR) disks in raidz or dRAID
    WIDE = "wide-raidz"  # raidz beyond the widths that a rebuild should read


class Sharing(StrEnum):
    LOCAL = "local"
    NFS = "nfs"
    SMB = "smb"
    ISCSI = "iscsi"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A goal with what is known of the I/O under it; None is unknown.

    Shares are per cent; sizes and rates are bytes and bytes/s; ``growth_percent`` is per year. Where the pool holds
    several kinds of data, ``preset`` names the one that demands most and ``presets_beside`` the others.
    """

    goal: Goal
    preset: str | None = None
    read_percent: int | None = None
    sequential_percent: int | None = None
    io_size_bytes: int | None = None
    sync_write_percent: int | None = None
    clients: int | None = None
    typical_file_bytes: int | None = None
    compressible: bool | None = None
    duplicate_factor: float | None = None
    working_set_bytes: int | None = None
    growth_percent: int | None = None
    network_bytes_per_second: int | None = None
    sharing: Sharing | None = None
    volumes: bool = False  # zvols rather than files
    presets_beside: tuple[str, ...] = ()

    @property
    def uses(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for key in (self.preset, *self.presets_beside) if key is not None))

    def __post_init__(self) -> None:
        zero_is_unknown(self, "io_size_bytes", "clients", "typical_file_bytes", "duplicate_factor")
        zero_is_unknown(self, "network_bytes_per_second")


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a design must keep to. None means no limit or no wish.

    ``money`` is for all disks together, ``price_per_disk`` that of a disk without a price of its own, said on
    ``price_on`` (ISO date); sums are told in ``currency``. ``bays`` counts slots for disks of
    any role.
    ``import_on`` names the oldest system that must be able to import the pool: an OpenZFS series such as ``2.1``,
    ``freebsd-13``, or ``grub2`` where the boot loader reads it. ``most_yearly_loss`` is a probability (0 to 1),
    rates are bytes/s of sequential I/O; ``buy_most`` is how many disks may be bought (None: as money and bays admit).
    ``ram_bytes``, ``ups`` (an uninterruptible power supply) and ``system`` (its key: `domain.version`) are the
    machine's, as it is or will be.
    ``allow`` names what a recommendation has only where it is wished. ``reserve`` is room beside the data on each data
    disk: a ranking counts without it, and the design that is made carries it. ``keep`` is how many snapshots are kept
    (``keep_there``: in a copy) of data that ``change`` so much a day; the wish for space is then for the data alone.
    """

    least_usable_bytes: int | None = None
    survive: int | None = None
    spares: int | None = None
    bays: int | None = None
    money: Money | None = None
    price_per_disk: Money | None = None
    price_on: str = ""
    currency: str | None = None
    ram_bytes: int | None = None
    ups: bool | None = None
    system: str | None = None
    import_on: str | None = None
    most_yearly_loss: float | None = None
    most_rebuild_hours: float | None = None
    least_read_bytes_per_second: int | None = None
    least_write_bytes_per_second: int | None = None
    buy_most: int | None = None
    allow: tuple[Allowance, ...] = ()
    reserve: tuple[ReservedPartition, ...] = ()
    keep: Retention | None = None
    keep_there: Retention | None = None
    change: DailyChange | None = None

    def __post_init__(self) -> None:
        zero_is_unknown(self, "ram_bytes", "least_usable_bytes")
        zero_is_unknown(self, "least_read_bytes_per_second", "least_write_bytes_per_second")

    @property
    def wanted_bytes(self) -> int | None:
        """Return the least usable bytes with room for the snapshots of so much data; None without a wish."""
        least = self.least_usable_bytes
        if least is None or self.keep is None or self.change is None:
            return least
        return least + round(self.keep.held(least, self.change).typical)

    @property
    def reckoned_in(self) -> str | None:
        """Return the currency of sums: the one that was chosen, else that of the money or of the price of a disk."""
        amounts = (amount for amount in (self.money, self.price_per_disk) if amount is not None)
        return self.currency or next((amount.currency for amount in amounts if amount.currency is not None), None)

    def in_currency(self, currency: str | None) -> "Budget":
        """Return it with the currency in which sums are reckoned, also of amounts that were said without one."""

        def named(amount: Money | None) -> Money | None:
            if amount is None or currency is None or amount.currency is not None:
                return amount
            return replace(amount, currency=currency)

        return replace(self, currency=currency, money=named(self.money), price_per_disk=named(self.price_per_disk))

    def with_money_of(self, other: "Budget") -> "Budget":
        return replace(
            self,
            money=other.money,
            price_per_disk=other.price_per_disk,
            price_on=other.price_on,
            currency=other.currency,
            ram_bytes=other.ram_bytes,
            ups=other.ups,
        )

    def sum_of(self, amounts: Iterable[Money]) -> Money:
        """Return the sum of prices: in the budget's currency, or in their own where they share another.

        Raises MixedCurrenciesError where they are of several currencies.
        """
        known = list(amounts)
        try:
            return total(known, self.reckoned_in)
        except MixedCurrenciesError:
            if len({amount.currency for amount in known}) > 1:
                raise
            return total(known)
