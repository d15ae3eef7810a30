"""The window."""

import poolwright.jobs  # noqa: F401 - first of all: it makes Qt safe to use on the interpreter at hand
