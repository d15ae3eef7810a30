"""Currencies by their ISO 4217 codes, and the signs and words that people write for them."""

from poolwright.domain.errors import UserError
from poolwright.texts import either, tell

# Codes in use, without those for gold, bonds and tests.
_CODES = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF "
    "CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD "
    "HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD "
    "MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN "
    "PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY "
    "TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG"  # for machines
)
_CODES_WITHOUT_CENTS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"  # for machines
_CODES_OF_THREE_PLACES = "BHD IQD JOD KWD LYD OMR TND"  # for machines
CURRENCIES = frozenset(_CODES.split())
_NO_CENTS, _THREE_PLACES = frozenset(_CODES_WITHOUT_CENTS.split()), frozenset(_CODES_OF_THREE_PLACES.split())
# The first is meant unless the currency that is reckoned in is another of them; none leads where all are as likely.
_SIGNS: dict[str, tuple[str, ...]] = {
    "€": ("EUR",), "euro": ("EUR",), "euros": ("EUR",),
    "$": ("USD", "AUD", "CAD", "NZD", "SGD", "HKD", "TWD", "MXN"),
    "dollar": ("USD", "AUD", "CAD", "NZD", "SGD", "HKD", "TWD"),
    "dollars": ("USD", "AUD", "CAD", "NZD", "SGD", "HKD", "TWD"),
    "us$": ("USD",), "a$": ("AUD",), "au$": ("AUD",), "c$": ("CAD",), "ca$": ("CAD",), "nz$": ("NZD",),
    "s$": ("SGD",), "hk$": ("HKD",), "nt$": ("TWD",), "mx$": ("MXN",), "r$": ("BRL",),
    "£": ("GBP",), "pound": ("GBP",), "pounds": ("GBP",),
    "fr": ("CHF",), "fr.": ("CHF",), "sfr": ("CHF",), "sfr.": ("CHF",), "franken": ("CHF",),
    "zł": ("PLN",), "zl": ("PLN",), "kč": ("CZK",), "ft": ("HUF",), "lei": ("RON",),
    "₹": ("INR",), "₩": ("KRW",), "₽": ("RUB",), "₺": ("TRY",), "₪": ("ILS",), "₴": ("UAH",), "฿": ("THB",),
    "₫": ("VND",), "₱": ("PHP",), "₦": ("NGN",),
}  # fmt: skip
_EQUALLY_LIKELY: dict[str, tuple[str, ...]] = {"¥": ("JPY", "CNY"), "kr": ("SEK", "NOK", "DKK", "ISK")}


def parse_currency(text: str, *, among: str | None = None) -> str | None:
    """Return the ISO 4217 code that ``text`` names (``EUR``, ``eur``, ``€``); None for an empty text.

    ``among`` is the currency that is reckoned in: it decides what a sign means that several share. Raises UserError
    for what is no currency, and for a sign that may mean several.
    """
    word = text.strip()
    if not word:
        return None
    code = word.upper()
    if code in CURRENCIES:
        return code
    sign = word.lower()
    likely = _EQUALLY_LIKELY.get(sign) or _EQUALLY_LIKELY.get(sign.removesuffix("."))
    if likely is not None:
        if among in likely:
            return among
        raise UserError(
            tell("“{word}” may mean {likely}", word=word, likely=either(likely)),
            todo=tell("Write the code, such as {likely}.", likely=likely[0]),
        )
    meant = _SIGNS.get(sign)
    if meant is None:
        raise UserError(
            tell("“{word}” is no currency", word=word[:20]),
            todo=tell("Write the code of a currency, such as EUR, USD or GBP, or its sign."),
        )
    return among if among in meant else meant[0]


def decimal_places(currency: str | None) -> int:
    """Return how many digits an amount has behind the decimal point: 2 for most, none for JPY, 3 for KWD."""
    return 0 if currency in _NO_CENTS else 3 if currency in _THREE_PLACES else 2
