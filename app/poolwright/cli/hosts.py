"""`--host`: machines that are read over SSH, several side by side; the one place where a name becomes an inventory."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from poolwright.cli.askpass import terminal_asker
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.inventory import Inventory
from poolwright.process.blocking import drive
from poolwright.process.from_host import read_host
from poolwright.process.on_host import SshHost
from poolwright.process.ssh.asking import Asker
from poolwright.texts import tell

MOST_HOSTS_AT_ONCE = 16


def read_over_ssh(name: str) -> Inventory:
    """Return the inventory of a host, as `ssh` takes its name; raises `SshFailure` where it cannot be reached."""
    return drive(read_host(SshHost(name=name), terminal_asker()))


def read_side_by_side(names: Sequence[str]) -> tuple[Inventory | PoolwrightError, ...]:
    """Return what became of each host, in their order; one that fails or hangs does not hold up the others."""
    if len(set(names)) != len(names):
        raise UserError(tell("A host is named twice"), where="--host", todo=tell("Name each once."))
    asker = terminal_asker()
    pool = ThreadPoolExecutor(max_workers=max(1, min(MOST_HOSTS_AT_ONCE, len(names))))
    try:
        return tuple(pool.map(lambda name: _read(name, asker), names))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def only_host(names: Sequence[str]) -> str:
    """Return the one host that is named; raises UserError for several."""
    if len(names) != 1:
        raise UserError(
            tell("Several hosts are named, and one machine is asked about"),
            where="--host",
            todo=tell("Name one; inventory takes several."),
        )
    return names[0]


def _read(name: str, asker: Asker | None) -> Inventory | PoolwrightError:
    try:
        return drive(read_host(SshHost(name=name), asker))
    except PoolwrightError as error:
        return error
