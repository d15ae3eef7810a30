"""What a host lets through: HBA, processor, network; told, or expected from the hosts of the measured tables."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from poolwright.domain.disk import Disk, Media
from poolwright.domain.host import Controller, Host
from poolwright.domain.units import MIB
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.predict import coefficients as fitted
from poolwright.predict.media import DiskRates

# Share of a link's nominal rate that is left for data: SAS and PCIe framing; Ethernet, IP and the sharing protocol.
HBA_EFFICIENCY = 0.85
NETWORK_EFFICIENCY = 0.94
# Of the hosts behind the factors of `coefficients` three told their cores, 2, 4 and 8: four in the geometric mean.
CORES_OF_FACTOR = 4
# Bytes/s that one core of the thesis machine (3.5 GHz, 2014) handles: 44 disks at 3700 MiB/s took 42 % of 8 cores with
# fletcher4; sha256 held reads at 1600 MiB/s (5.2, 5.4); lzjb wrote two thirds, gzip-1 a tenth of 3700 MiB/s (5.3.1).
CHECKSUM_PER_CORE = {"fletcher4": 1100.0 * MIB, "sha256": 200.0 * MIB}
COMPRESSION_PER_CORE = {"lzjb": 308.0 * MIB, "gzip": 46.0 * MIB}
# One core, AES-256-GCM in 32 KiB: time to decrypt and encrypt with AVX (OpenZFS 0.8.4 and later) and without it or
# before (openzfs/zfs pull request 9749). Most hosts have AVX; a rule asks.
ENCRYPTION_PER_CORE = {
    True: (32_768 / 21_532e-9, 32_768 / 31_245e-9),
    False: (32_768 / 605_206e-9, 32_768 / 751_444e-9),
}
FAST_ENCRYPTION_SINCE = ZfsVersion(0, 8, 4)
# Parity in vector code came with 0.7 (openzfs/zfs#5219 and before).
VECTOR_PARITY_SINCE = ZfsVersion(0, 7, 0)
CHECKSUMS = ("on", "off", "fletcher4", "sha256")
COMPRESSIONS = ("on", "off", "lz4", "zle", "lzjb", "gzip")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCaps:
    """What is told of a host; None is unknown. Rates are the nominal ones of the links, in bytes/s.

    ``vector_parity`` tells whether parity is worked out in vector code, as by OpenZFS since 0.7.
    """

    hba_bytes_per_second: float | None = None
    network_bytes_per_second: float | None = None
    cores: int | None = None
    vector_parity: bool | None = None


UNKNOWN_HOST = HostCaps()


def host_caps(host: Host, version: ZfsVersion | None = None, disks: Sequence[Disk] = ()) -> HostCaps:
    """Return what an inventory knows of a host's limits: its controllers together, cores, network.

    ``version`` is the OpenZFS that will run on it, where that was said. Of controllers that were read on the machine
    only those count that ``disks`` hang on: another one carries nothing of theirs.
    """
    rates = [c.bytes_per_second for c in _carrying(host, disks)]
    known = [rate for rate in rates if rate is not None]
    return HostCaps(
        hba_bytes_per_second=float(sum(known)) if known and len(known) == len(rates) else None,
        network_bytes_per_second=None
        if host.network_bytes_per_second is None
        else float(host.network_bytes_per_second),
        cores=host.cores,
        vector_parity=None if version is None else version >= VECTOR_PARITY_SINCE,
    )


def _carrying(host: Host, disks: Sequence[Disk]) -> tuple[Controller, ...]:
    """Return the controllers that carry what goes to the disks; none where that is not known of each disk."""
    if all(controller.origin is None for controller in host.controllers):
        return host.controllers
    names = {disk.controller for disk in disks}
    if None in names:
        return ()
    return tuple(c for c in host.controllers if c.origin is None or c.name in names)


def expected_limits(host: HostCaps, disks: DiskRates, members: int) -> tuple[float, float]:
    """Return the logarithms of the read and write limit (bytes/s) expected of a host with ``members`` disks or more."""
    scale = math.sqrt((host.cores or CORES_OF_FACTOR) / CORES_OF_FACTOR)
    # The hosts behind the factor of reads had hard disks; of flash many read no faster than they write.
    reads = fitted.HOST_READ_FACTOR if disks.media is Media.HDD else fitted.HOST_WRITE_FACTOR
    read = max(fitted.HOST_READ_FLOOR, reads * math.sqrt(members * disks.read_bytes_per_second))
    write = max(fitted.HOST_WRITE_FLOOR, fitted.HOST_WRITE_FACTOR * math.sqrt(members * disks.write_bytes_per_second))
    return math.log(scale * read), math.log(scale * write)


def expected_raidz_limit(host: HostCaps) -> tuple[float, float]:
    """Return the logarithm of what a lone raidz1 vdev is expected to pass of the host's write limit, and its spread."""
    if host.vector_parity:
        return math.log(fitted.RAIDZ_LIMIT_VECTOR), fitted.RAIDZ_LIMIT_SPREAD_VECTOR
    return math.log(fitted.RAIDZ_LIMIT), fitted.RAIDZ_LIMIT_SPREAD


def cpu_limits(
    host: HostCaps, checksum: str, compression: str, *, encrypted: bool = False, version: ZfsVersion = DEFAULT_VERSION
) -> tuple[float | None, float | None]:
    """Return the read and write rate at which checksums, compression and encryption fill the processor.

    None where unknown. Parity, copying and what else the host does are in the host's own limit. lz4 and zle cost too
    little to be seen in the measured tables, and reading gzip or lzjb costs little as well. Encryption by OpenZFS makes
    its own tag, but the checksum is worked out as well.
    """
    if host.cores is None:
        return None, None
    summing = CHECKSUM_PER_CORE.get("fletcher4" if checksum == "on" else checksum)
    packing = COMPRESSION_PER_CORE.get(compression)
    opening, sealing = ENCRYPTION_PER_CORE[version >= FAST_ENCRYPTION_SINCE] if encrypted else (None, None)
    return _together(host.cores, summing, opening), _together(host.cores, summing, packing, sealing)


def _together(cores: int, *rates: float | None) -> float | None:
    """Return the bytes/s at which ``cores`` do several things to each byte; None where none of them costs anything."""
    costs = [1.0 / rate for rate in rates if rate is not None]
    return cores / sum(costs) if costs else None
