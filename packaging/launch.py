"""Where the frozen program starts."""

import sys
from types import ModuleType


class _WithoutOpenGl(ModuleType):
    """Stands for a module of Qt's OpenGL classes: pyqtgraph names them as it is imported, and draws by none of them here.

    The real ones are 10 MB.
    """

    def __getattr__(self, name: str) -> type:
        if name != "QOpenGLWidget":
            raise AttributeError(name)
        from PySide6.QtWidgets import QWidget

        self.QOpenGLWidget = type(name, (QWidget,), {})
        return self.QOpenGLWidget


for _name in ("PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets"):
    sys.modules[_name] = _WithoutOpenGl(_name)

from poolwright.__main__ import start  # noqa: E402

start()
