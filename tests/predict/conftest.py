"""The shipped tables, read once."""

import pytest

from poolwright.predict.tables import Tables
from poolwright.table_library import load_shipped_tables


@pytest.fixture(scope="session")
def tables() -> Tables:
    return load_shipped_tables()
