"""Twice the text takes twice the time, in every reader: no pasted page and no hostile field hangs the program."""

import pytest
from tests.fuzz.readers import READERS, Reader
from tests.fuzz.scaling import PIECES, shapes, slow_shape

QUICK = ("'0' and a mark", *(repr(piece) for piece in (" ", "\n", "\t", "0", "a ", '"', "[", "\\")))


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


@pytest.mark.slow
def test_that_a_reader_of_quadratic_time_would_be_found() -> None:
    def read(text: str) -> int:
        return sum(1 for left in text for right in text if left != right)

    # Beside other work one look may miss it, by a first time that is too long; three in a row do not.
    looks = (slow_shape(Reader(name="quadratic", read=read), ("blanks", "", " ", "")) for _ in range(3))
    slow = next((found for found in looks if found is not None), None)
    assert slow is not None
    assert slow.seconds[2] > 6 * slow.seconds[0]
