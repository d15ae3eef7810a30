"""Twice the text takes twice the time, in every reader: no pasted page and no hostile field hangs the program."""

import pytest
from tests.fuzz.reader import Reader
from tests.fuzz.readers import READERS
from tests.fuzz.scaling import PIECES, shapes, slow_shape

QUICK = ("'0' and a mark", *(repr(piece) for piece in (" ", "\n", "\t", "0", "a ", '"', "[", "\\")))


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_that_blanks_digits_and_brackets_in_masses_are_read_in_time_that_grows_with_them_alone(reader: Reader) -> None:
    chosen = [shape for shape in shapes(reader) if shape[0] in QUICK]
    assert chosen
    assert [slow for shape in chosen if (slow := slow_shape(reader, shape)) is not None] == []


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_that_every_text_is_read_in_time_that_grows_with_it_alone(reader: Reader) -> None:
    tried = list(shapes(reader))
    assert len(tried) > len(PIECES)
    assert [slow for shape in tried if (slow := slow_shape(reader, shape)) is not None] == []


@pytest.mark.parametrize(("power", "found"), [(1, False), (1.5, False), (2, True), (3, True)])
def test_that_a_reader_of_quadratic_time_would_be_found(
    power: float, found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked = 0.0

    def read(text: str) -> None:
        nonlocal worked
        worked += 1e-7 * len(text) ** power

    # The clock tells the work, so that nothing else that the machine does is counted.
    monkeypatch.setattr("tests.pace.time.thread_time", lambda: worked)
    slow = slow_shape(Reader(name="growing", read=read), ("blanks", "", " ", ""))
    assert (slow is not None) == found
    if slow is not None:
        assert slow.seconds[2] > 6 * slow.seconds[0]
