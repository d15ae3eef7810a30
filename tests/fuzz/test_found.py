"""What fuzzing found, each as the text that showed it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.reader import Reader
from tests.fuzz.readers import READ, READERS, ZDB_BLOCKS

from poolwright.domain.errors import UserError
from poolwright.domain.pool import Pool
from poolwright.domain.units import number_of
from poolwright.machine.by_id import read_by_id
from poolwright.machine.json_values import integer, split_json
from poolwright.machine.zdb import read_block_count
from poolwright.machine.zpool.existing import PoolReadings, existing_pools
from poolwright.predict.measured_runs import read_runs
from poolwright.predict.tables import parse_shape
from poolwright.rules.existing_judge import last_scrub

NOISE = st.text(st.sampled_from(' \t\n\r"\\{}[]<>:;,.=0159azKMG-/│├└─`|#$%\x00é'), max_size=6)
LONG = ("1" * 310, "9" * 5000)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
@given(other=st.text(max_size=200), at=st.integers(0, 1 << 13), cut=st.integers(0, 1 << 13), noise=NOISE)
@settings(max_examples=60)
def test_that_any_text_and_what_is_cut_or_damaged_is_read_or_refused(
    reader: Reader, other: str, at: int, cut: int, noise: str
) -> None:
    reader(other)
    for seed in (seed for seed in reader.seeds if len(seed) < 1 << 13):
        place = at % (len(seed) + 1)
        reader(seed[: cut % (len(seed) + 1)])
        reader(seed[:place] + noise + seed[place:])
        reader(seed[:place] + noise + seed[place + len(noise) :])


@pytest.mark.parametrize("digits", LONG)
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_that_a_number_of_hundreds_of_digits_is_told_or_passed_over(reader: Reader, digits: str) -> None:
    reader(digits)
    for seed in reader.seeds:
        for number in ("1", "2", "8", "16", "123", "512", "4096"):
            reader(seed.replace(number, digits, 1))


@pytest.mark.parametrize("text", ["5,650.'55", "1.234,91_4", "11'111,2'25", "8.001,_20", "0'000,0'00", "09.099,0'906"])
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_that_signs_that_part_thousands_behind_the_decimal_sign_are_refused(reader: Reader, text: str) -> None:
    reader(text)
    reader(f"{text} GB")
    with pytest.raises(UserError, match="not understood"):
        number_of(text)


@pytest.mark.parametrize("digits", ["2000000000000000000000000000003709551616", "9" * 28, "9" * 29, "1" + "0" * 39])
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_that_numbers_of_more_digits_than_decimals_hold_are_told_or_taken(reader: Reader, digits: str) -> None:
    for text in (digits, f"{digits}B", f"{digits} GB", f"{digits}.5", f"{digits} EUR", f"1.{digits[2:]}"):
        reader(text)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_that_runs_are_read_whatever_ends_their_lines(end: str) -> None:
    runs = read_runs(
        end.join(("vdevs,metric,value", "raidz2:8x6TB,seq_read,900 MB/s", "mirror:2x6TB,seq_read,90 MB/s"))
    )
    assert [run.value for run in runs] == [900e6, 90e6]


def test_that_a_field_beyond_all_measure_is_told_with_its_line() -> None:
    with pytest.raises(UserError, match="not a CSV file") as error:
        read_runs("vdevs,metric,value\n" + "a" * 200_000 + ",seq_read,1 MB/s\n", where="runs.csv")
    assert error.value.where == "runs.csv, line 2"


def test_that_numbers_nobody_counted_are_unknown() -> None:
    assert integer({"a": 10**39}, "a") is None
    assert integer({"a": 1e300}, "a") is None
    assert integer({"a": 2**64}, "a") == 2**64


def test_that_json_documents_one_after_another_are_told_apart() -> None:
    parts = ('{"a": 1}', '[{"b": 2}]', '{\n "c": 3}')
    assert split_json("\n".join(parts)) == parts
    assert split_json(" ".join(parts)) == parts
    assert split_json("# smartctl\n" + "\n$ smartctl --json /dev/sdb\n".join(parts)) == parts
    assert split_json('{"a": 1}\n{"b": ') == ('{"a": 1}', '{"b": ')
    assert split_json('{"a": 1}\nthat was all') == ('{"a": 1}\nthat was all',)


def test_that_names_are_taken_out_of_their_quotes() -> None:
    told = read_by_id("lrwxrwxrwx 1 root root 9 Nov 1 00:00 'ata-A B' -> ../../sda\n\"wwn-0x5\" -> ../../sdb\n")
    assert [link.name for link in told.links] == ["ata-A B", "wwn-0x5"]


def test_that_the_scrub_told_last_counts() -> None:
    scan = "scrub repaired 0B in 05:12:44 with 0 errors on Sun Nov  1 05:36:45 2026"
    (known,) = existing_pools((Pool(name="tank", scans=(scan,)),), PoolReadings(), READ)
    day = last_scrub(known)
    assert day is not None
    assert day.isoformat() == "2026-11-01"


def test_that_blank_lines_in_masses_hide_no_row() -> None:
    histogram = "\nBlock Size Histogram\n\n   4K:\t  10\t 40K\t 40K\t\n"
    spread = ZDB_BLOCKS.replace("\n", "\n" * 50) + histogram
    assert read_block_count(spread) == read_block_count(ZDB_BLOCKS + histogram)


def test_that_a_shape_of_thousands_of_digits_is_refused() -> None:
    with pytest.raises(UserError, match="is not understood"):
        parse_shape("9" * 5000 + "*raidz2:8")
