"""The units that tables may use, each with its factor to a base unit."""

from poolwright.domain.units import GB, GIB, KB, KIB, MB, MIB, TB, TIB

UNIT_PER_ROW = "per row"  # for machines
NO_UNIT = "none"

_RATES = {"bytes/s": 1, "KiB/s": KIB, "MiB/s": MIB, "GiB/s": GIB, "kB/s": KB, "MB/s": MB, "GB/s": GB}
_SIZES = {"bytes": 1, "KiB": KIB, "MiB": MIB, "GiB": GIB, "TiB": TIB, "kB": KB, "MB": MB, "GB": GB, "TB": TB}
_TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "days": 86400}
_COUNTS = ("count", "disks", "drives", "vdevs", "cores", "jobs", "runs", "level", "times", "percent", "USD", "rpm")

# unit -> (base unit, factor to it)
UNITS: dict[str, tuple[str, float]] = {
    NO_UNIT: (NO_UNIT, 1),
    **{unit: ("bytes/s", factor) for unit, factor in _RATES.items()},
    **{unit: ("bytes", factor) for unit, factor in _SIZES.items()},
    **{unit: ("s", factor) for unit, factor in _TIMES.items()},
    **{unit: (unit, 1) for unit in _COUNTS},
    "MHz": ("Hz", 1e6),
    "GHz": ("Hz", 1e9),
    "Gbit/s": ("bytes/s", 1e9 / 8),
    "operations/s": ("operations/s", 1),
    "Ki operations/s": ("operations/s", KIB),
    "blocks": ("blocks", 1),
    "Ki blocks": ("blocks", KIB),
    "Mi blocks": ("blocks", MIB),
}
