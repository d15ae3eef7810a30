"""The machine as it is planned: what a person told of it comes before what was read."""

from dataclasses import replace

from poolwright.domain.host import Host
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.workload import Budget
from poolwright.texts import tell


def told_host(host: Host, budget: Budget) -> Host:
    """Return the host with RAM and power supply as the budget tells them, which comes before what was read."""
    told = {"ram_bytes": budget.ram_bytes, "ups": budget.ups}
    new = {name: value for name, value in told.items() if value is not None and value != getattr(host, name)}
    if not new:
        return host
    kept = tuple((name, origin) for name, origin in host.origins if name not in new)
    typed = Origin(kind=OriginKind.TYPED, source=tell("told with the budget"))
    return replace(host, **new, origins=(*kept, *((name, typed) for name in new)))  # type: ignore[arg-type]
