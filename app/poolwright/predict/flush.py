"""How long a device takes until a small write is safe: what every synchronous write waits for.

A drive that keeps its buffer in a power cut answers at once; any other has to write to its cells first, which takes as
long on NVMe as on SATA. A hard disk turns and seeks.
"""

from dataclasses import dataclass
from functools import lru_cache

from poolwright.domain.disk import Media
from poolwright.predict.iops import single_queue
from poolwright.predict.media import DiskRates
from poolwright.texts import marked, tell, told_once


@dataclass(frozen=True, slots=True, kw_only=True)
class Flush:
    """Seconds from a write of 4 KiB to the answer to the flush behind it: low, typical and high; ``source`` says whose.

    ``words`` name the device by what decides.
    """

    low: float
    typical: float
    high: float
    words: str
    source: str


_SOURCE = "rules/tables/flush_latency.csv"
# 158 µs: Intel 710 (FreeBSD r321928, diskinfo -wS); 65 µs: data sheet of the Intel DC S3700; their mean by proportion.
SSD_PROTECTED = Flush(
    low=50e-6, typical=100e-6, high=200e-6, words=marked("an SSD with power-loss protection"), source=_SOURCE
)
# 54 µs: Optane M10 (fdatasync, d-uzlov); data sheets of drives for servers say 10 to 30.
NVME_PROTECTED = Flush(
    low=15e-6, typical=40e-6, high=80e-6, words=marked("NVMe with power-loss protection"), source=_SOURCE
)
# Seven drives for desktops, SATA and NVMe alike: 0.83 to 6.9 ms, mean by proportion 1.6 ms.
UNPROTECTED = Flush(
    low=0.8e-3, typical=1.6e-3, high=7e-3, words=marked("flash without power-loss protection"), source=_SOURCE
)


@told_once
@lru_cache(maxsize=256)
def flush_of(device: DiskRates) -> Flush:
    """Return how long ``device`` takes to make a write safe.

    Where nobody knows whether flash has power-loss protection, it is anything between having and lacking it.
    """
    if device.media is Media.HDD:
        typical = 1.0 / single_queue(device)
        return Flush(
            low=typical / 1.5,
            typical=typical,
            high=typical * 1.5,
            words=tell("hard disks"),
            source=tell("one operation of a disk with one request at a time"),
        )
    kept = SSD_PROTECTED if device.media is Media.SSD else NVME_PROTECTED
    if device.power_loss_protected is not None:
        return kept if device.power_loss_protected else UNPROTECTED
    return Flush(
        low=kept.low,
        typical=(kept.typical * UNPROTECTED.typical) ** 0.5,
        high=UNPROTECTED.high,
        words=tell("flash of which nobody knows whether it has power-loss protection"),
        source=tell("{source}, between drives with and without power-loss protection", source=_SOURCE),
    )
