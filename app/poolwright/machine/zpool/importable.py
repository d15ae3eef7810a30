"""The pools that are not imported but could be, as `zpool import` without arguments lists them."""

import re

from poolwright.domain.pool import Pool
from poolwright.machine.zpool.status import clean, not_pools
from poolwright.machine.zpool.status_text import read_pools
from poolwright.texts import tell

_NONE = re.compile(r"^[ \t]*no pools available to import[ \t]*$", re.MULTILINE)


def read_zpool_import(text: str) -> tuple[Pool, ...]:
    """Return the pools listed, each ``importable`` and with its guid; empty for “no pools available to import”.

    The list has no error counts, so these are None. Pure. Raises UserError when the text is something else.
    """
    text = clean(text)
    pools = read_pools(text, importable=True)
    if not pools and not _NONE.search(text):
        raise not_pools(text, tell("zpool import"))
    return pools
