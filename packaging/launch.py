"""Where the frozen program starts."""

import sys
from types import ModuleType

# pyqtgraph names this module of 10 MB as it is imported, and uses it only where curves are drawn by OpenGL: ours are not.
sys.modules["PySide6.QtOpenGL"] = ModuleType("PySide6.QtOpenGL")

from poolwright.__main__ import start  # noqa: E402

start()
