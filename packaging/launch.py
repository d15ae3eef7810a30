"""Where the frozen program starts."""

from poolwright.__main__ import start

start()
