"""Sequential rates of named drives as people measured them, for disks whose model is known and whose rate is not.

The same figures as in the tables `disk_rates` (strangers' drives), `device_rates` (thesis) and `ashift_effect` (MacZFS
blog), which name the sources; a test compares. A model that is missing here has the rates usual for its size.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from poolwright.domain.disk import Disk, Media
from poolwright.domain.units import MB, MIB
from poolwright.predict.drives import spellings
from poolwright.texts import first_of

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRates:
    """One model by the ``names`` that drives print: sequential rates in bytes/s, None where nobody measured.

    ``table`` and ``row`` say which row of the shipped tables holds them.
    """

    names: tuple[str, ...]
    media: Media
    read: float
    write: float | None
    table: str
    row: str

    @property
    def words(self) -> str:
        return f"{self.names[0]} (table {self.table})"


def _model(table: str, row: str, media: Media, read: float, write: float | None, *names: str) -> ModelRates:
    return ModelRates(names=names, media=media, read=read, write=write, table=table, row=row)


_HDD, _SSD, _NVME = Media.HDD, Media.SSD, Media.NVME
KNOWN = (
    _model("disk_rates", "ST18000NE000", _HDD, 224.0 * MB, 203.0 * MB, "ST18000NE000"),
    _model("disk_rates", "WD140EDFZ", _HDD, 216.0 * MB, 199.0 * MB, "WD140EDFZ"),
    _model("disk_rates", "ST16000NM001G", _HDD, 250.0 * MB, 250.0 * MB, "ST16000NM001G"),
    _model("disk_rates", "ST4000VN008", _HDD, 188.7 * MB, 167.8 * MB, "ST4000VN008"),
    _model("disk_rates", "WD30EFRX", _HDD, 112.2 * MB, None, "WD30EFRX"),
    _model("disk_rates", "PM983 960 GB", _NVME, 3000.0 * MB, None, "MZQLB960HAJR"),  # for machines
    _model("disk_rates", "WD Blue SN570 1 TB", _NVME, 3508.0 * MB, None, "WDS100T3B0C", "SN570 1TB"),  # for machines
    _model("disk_rates", "Intel Optane 900p 280 GB", _NVME, 2097.0 * MB, 2097.0 * MB, "SSDPED1D280GA"),  # for machines
    _model("disk_rates", "Crucial MX500 500 GB", _SSD, 470.4 * MB, 357.5 * MB, "CT500MX500SSD1"),  # for machines
    _model("device_rates", "Seagate ST6000NM0034", _HDD, 160.0 * MIB, 130.0 * MIB, "ST6000NM0034"),  # for machines
    _model("ashift_effect", "30EZRSDTL", _HDD, 118.7 * MIB, 81.85 * MIB, "WD30EZRS"),  # for machines
    _model("ashift_effect", "20EADS", _HDD, 95.81 * MIB, 67.54 * MIB, "WD20EADS"),  # for machines
    _model("ashift_effect", "20EARS", _HDD, 98.97 * MIB, 71.05 * MIB, "WD20EARS"),  # for machines
)


@lru_cache(maxsize=1 << 11)
def find_rates(model: str | None) -> ModelRates | None:
    """Return the rates of a model as any tool spells it (vendor in front, suffix behind); None where unmeasured."""
    words = (model or "").upper().split()
    numbers = spellings(model or "")
    for known in KNOWN:
        for name in known.names:
            if name in numbers or (" " in name and set(name.split()) <= set(words)):
                return known
    return None


def model_media(disk: Disk) -> Media | None:
    """Return what the data of a disk lie on: as known of it, else of its model."""
    if disk.media is not None:
        return disk.media
    known = find_rates(disk.model)
    return None if known is None else known.media


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """What disks of known models give on an average (geometric mean): bytes/s, and in words of which models."""

    media: Media
    read: float
    write: float
    words: str


def rates_by_model(  # for machines
    disks: Sequence[Disk], media: Media, usual: Callable[[Disk], tuple[float, float]]
) -> Together | None:
    """Return the mean rates of the ``media`` among ``disks``, ``usual`` for those whose model nobody measured.

    None where no model is known. Where only reads were measured, writes follow in the usual proportion.
    """
    alike = [disk for disk in disks if model_media(disk) in (media, None)]
    return _mean(alike, media, usual) if any(find_rates(disk.model) for disk in alike) else None


def _mean(disks: Sequence[Disk], media: Media, usual: Callable[[Disk], tuple[float, float]]) -> Together:
    reads, writes = [], []
    named: dict[str, None] = {}
    for disk in disks:
        known = find_rates(disk.model)
        read, write = usual(disk)
        if known is not None:
            read, write = known.read, known.read * write / read if known.write is None else known.write
            named[known.words] = None
        reads.append(read)
        writes.append(write)
    words = list(named)

    return Together(media=media, read=_geometric(reads), write=_geometric(writes), words=first_of(words, _MOST_NAMED))


def _geometric(values: Sequence[float]) -> float:
    if min(values) == max(values):
        return values[0]
    return math.exp(sum([math.log(value) for value in values]) / len(values))
