"""What links carry: SAS and SATA lanes, PCIe."""

import re
from collections.abc import Mapping, Sequence

from poolwright.machine.places.things import DevicePath, Thing

_RATE = re.compile(r"(\d{1,3}(?:\.\d{1,2})?) Gb(?:it|ps)")
_PCI_RATE = re.compile(r"(\d{1,3}(?:\.\d)?) GT/s")
BYTES_PER_GBIT = 100_000_000  # of a SAS or SATA lane up to 12 Gbit/s: ten bits on the wire carry a byte
# Bytes/s of a PCIe lane each way, by its transfers: 8b/10b up to 5 GT/s, then 128b/130b, 242 of 256 bytes from 64 on.
_PCIE_LANE = {
    "2.5": 250_000_000, "5.0": 500_000_000, "5": 500_000_000, "8.0": 984_615_385, "8": 984_615_385,
    "16.0": 1_969_230_769, "32.0": 3_938_461_538, "64.0": 7_562_500_000,
}  # fmt: skip
_MOST_LANES = 32
# Adapters that a hypervisor makes up: their links are no links.
MADE_UP = frozenset({"0x1af4", "0x1b36", "0x15ad", "0x80ee", "0x1414"})


def lane_gbit(text: str | None) -> float | None:
    """Return the rate of a SAS or SATA link in Gbit/s: `12.0 Gbit`, `6.0 Gbps`; None for what names none."""
    found = _RATE.match(text or "")
    return float(found[1]) or None if found else None


def pcie_bytes(device: Thing | None, which: str = "current") -> int | None:
    """Return the bytes/s that a PCIe device's link carries each way; None where it has none or is made up."""
    if device is None or device.fact("vendor") in MADE_UP:
        return None
    rate = _PCI_RATE.match(device.fact(f"{which}_link_speed") or "")
    lanes = device.fact(f"{which}_link_width") or ""
    if rate is None or not re.fullmatch(r"\d{1,2}", lanes, re.ASCII) or not 0 < int(lanes) <= _MOST_LANES:
        return None
    lane = _PCIE_LANE.get(rate[1])
    return lane * int(lanes) if lane else None


def pcie_words(device: Thing, which: str) -> str:
    """Return a link as people write it: 8.0 GT/s x4."""
    rate = _PCI_RATE.match(device.fact(f"{which}_link_speed") or "")
    return f"{rate[0] if rate else '?'} x{device.fact(f'{which}_link_width')}"


def narrowest(way: Sequence[str], devices: Mapping[str, Thing]) -> int | None:
    """Return the least that the links above a PCI device carry, its own among them; None where none is known."""
    known = [rate for address in way if (rate := pcie_bytes(devices.get(address))) is not None]
    return min(known, default=None)


class SasLinks:
    def __init__(self, ports: Mapping[str, Thing], phys: Mapping[str, Thing]) -> None:
        self._lanes = {
            name: tuple(
                rate
                for phy in port.all_of("phy")
                if phy in phys and (rate := lane_gbit(phys[phy].fact("negotiated_linkrate"))) is not None
            )
            for name, port in ports.items()
        }
        self._offered = {
            name: max(
                (lane_gbit(phys[phy].fact("maximum_linkrate")) or 0.0 for phy in port.all_of("phy") if phy in phys),
                default=0.0,
            )
            for name, port in ports.items()
        }
        self._of_hosts: dict[str, list[str]] = {}
        for name, port in ports.items():
            parts = port.way.parts
            if len(parts) > 1 and parts[-2].startswith("host"):
                self._of_hosts.setdefault(parts[-2], []).append(name)

    def lanes(self, port: str | None) -> tuple[float, ...]:
        """Return the rate of each lane of a port in Gbit/s."""
        return self._lanes.get(port or "", ())

    def offered(self, port: str | None) -> float | None:
        """Return the rate that the port's lanes could have, in Gbit/s."""
        return self._offered.get(port or "") or None

    def of_host(self, host: str) -> int | None:
        """Return the bytes/s of all lanes of an adapter that are linked; None where none is known."""
        return round(sum(sum(self.lanes(port)) for port in self._of_hosts.get(host, ())) * BYTES_PER_GBIT) or None


def ata_link(way: DevicePath) -> str | None:
    """Return the name of the link of a SATA disk: link3 for the one port of ata3."""
    ports = [part for part in way.parts if re.fullmatch(r"ata\d{1,6}", part)]
    return f"link{ports[0].removeprefix('ata')}" if ports else None
