"""What every command says about machines and designs of all kinds is what was read and recorded."""

import pytest
from tests.recorded.record import SAID, groups, said

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("group", groups())
def test_that_a_command_says_what_was_recorded(group: str) -> None:
    assert said(group) == (SAID / f"{group}.txt").read_text(encoding="utf-8"), "see tests/recorded/record.py"
