"""Times, amounts of money and scales that a page states, found by their numbers in any language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from rejudge.lint.words import sentences

_NUMBER = r"\d+(?:[.,٫]\d+)?"
_TO = r"\s*(?:[-–—~〜至到]|to|or|bis|oder|tot|of|a|o|hasta|إلى|الى)\s*"
_MINUTES = (
    r"min\b|minut\w*|mins\b|分钟|分鐘|分間|دقيقة|دقائق|دقيقه|минут\w*|хвилин\w*|dakika|phút|menit|분|นาที|"
    r"मिनट|λεπτ\w+|דקות|perc\b"
)
_HOURS = (
    r"hours?\b|stunden?\b|uur\b|uren\b|horas?\b|heures?\b|小时|小時|時間|ساعة|ساعات|час\w*|saat|giờ|jam\b|"
    r"시간|ชั่วโมง|घंट\w+|ώρ\w+|שעות|timer?\b|timmar\b|tuntia?\b|godzin\w*|ore\b|óra\b"
)
_TIME = re.compile(
    rf"(?<![\d.,:])(?P<low>{_NUMBER})(?:{_TO}(?P<high>{_NUMBER}))?[\s-]*"
    rf"(?:(?P<minutes>{_MINUTES})|(?P<hours>{_HOURS})"
    rf"(?:\s*(?:and|und|en|y|et|,|و)?\s*(?P<more>\d+)\s*(?:{_MINUTES}))?)",
    re.IGNORECASE,
)
# What is no duration of the study: a deadline, or a pause.
_DEADLINE = re.compile(
    r"\b(within|after|before|every|innerhalb|binnen|nach|dentro de|después de|antes de|cada|"
    r"in the next|in the last|per)\s*(about\s*)?$|خلال\s*$|بعد\s*$",
    re.IGNORECASE,
)
_PAUSE = re.compile(
    r"\b(break|pause|pauz|pausa|rest\b|descans)|休息|暂停|استراحة|توقف", re.IGNORECASE
)
_LONGEST_HOURS = 24  # from here on it is a deadline
_WORDS = {
    word: str(number)
    for number, word in (
        (1, "one"), (2, "two"), (3, "three"), (4, "four"), (5, "five"), (6, "six"), (7, "seven"),
        (8, "eight"), (9, "nine"), (10, "ten"), (12, "twelve"), (15, "fifteen"), (20, "twenty"),
        (25, "twenty-five"), (30, "thirty"), (40, "forty"), (45, "forty-five"), (50, "fifty"),
        (60, "sixty"), (90, "ninety"),
    )
}  # fmt: skip
_WORD = re.compile(rf"\b(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})\b", re.IGNORECASE)


def in_digits(text: str) -> str:
    """The text with English words for numbers as digits."""
    return _WORD.sub(lambda word: _WORDS[word[0].lower()], text)


class Minutes(NamedTuple):
    """A time that a page states, as minutes from … to …."""

    low: float
    high: float
    words: str


def stated_minutes(text: str) -> list[Minutes]:
    """The times that a page states, but for deadlines and pauses."""
    found = []
    for sentence in sentences(text):
        if _PAUSE.search(sentence):
            continue
        spelt = in_digits(sentence)
        found += [
            _minutes(time)
            for time in _TIME.finditer(spelt)
            if not _is_deadline(spelt[: time.start()], time, spelt[time.end() :])
        ]
    return found


def _minutes(time: re.Match[str]) -> Minutes:
    low = _value(time["low"])
    high = _value(time["high"]) if time["high"] else low
    if not time["hours"]:
        return Minutes(low, high, time[0].strip())
    more = _value(time["more"]) if time["more"] else 0.0
    return Minutes(60 * low + more, 60 * high + more, time[0].strip())


def _is_deadline(before: str, time: re.Match[str], after: str) -> bool:
    if time["hours"] and _value(time["high"] or time["low"]) >= _LONGEST_HOURS:
        return True
    return _DEADLINE.search(before) is not None or after.startswith(("内", "內", "以内"))


_SYMBOLS = {
    "£": "GBP", "€": "EUR", "¥": "JPY CNY", "￥": "JPY CNY", "₹": "INR", "₩": "KRW", "₺": "TRY",
    "zł": "PLN", "$": "USD CAD AUD NZD SGD HKD MXN", "US$": "USD", "CA$": "CAD", "A$": "AUD",
}  # fmt: skip
_CODES = (  # noqa: SIM905 - codes read best as words
    "AED AUD BRL CAD CHF CNY CZK DKK EGP EUR GBP HKD HUF IDR ILS INR JPY KES KRW MAD MXN MYR NGN "
    "NOK NZD PHP PKR PLN QAR RON SAR SEK SGD THB TND TRY TWD UAH USD VND ZAR"
).split()
_NAMES = {
    "euro": "EUR", "euros": "EUR", "pounds": "GBP", "pound": "GBP", "dollars": "USD CAD AUD NZD",
    "dollar": "USD CAD AUD NZD", "欧元": "EUR", "英镑": "GBP", "美元": "USD", "人民币": "CNY",
    "元": "CNY", "يورو": "EUR", "دولار": "USD", "جنيه": "EGP GBP",
}  # fmt: skip
_UNIT = {**_SYMBOLS, **{code: code for code in _CODES}, **_NAMES}
_BEFORE = "|".join(re.escape(u) for u in sorted({*_SYMBOLS, *_CODES}, key=len, reverse=True))
_AFTER = "|".join(re.escape(unit) for unit in sorted(_UNIT, key=len, reverse=True))
_MONEY = r"\d{1,3}(?:[ ,.'’]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,٫]\d{1,3})?"
_AMOUNT = re.compile(
    rf"(?<![A-Za-z\d.,])(?P<before>{_BEFORE})\s?(?P<a>{_MONEY})(?!\d)|"
    rf"(?<![A-Za-z\d.,])(?P<b>{_MONEY})\s?(?P<after>{_AFTER})(?![A-Za-z]|\s?\d)"
)


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of money, in a currency that may be one of several (`$`)."""

    value: float
    currency: str
    words: str = ""

    @property
    def currencies(self) -> list[str]:
        """All that the sign can stand for."""
        return self.currency.split()


def amounts(text: str) -> list[Amount]:
    """The amounts with a currency that a page states."""
    found = []
    for hit in _AMOUNT.finditer(text):
        unit = hit["before"] or hit["after"]
        found.append(Amount(_money(hit["a"] or hit["b"]), _UNIT[unit], hit[0].strip()))
    return found


_SCALE = re.compile(
    r"(?<![\d.,:/])(?P<low>[01])(?:\s*\([^()\d]{0,40}\))?"
    r"(?:\s*[-–—~〜至到]\s*|\s+(?:to|bis|tot|a|hasta|إلى|الى)\s+|\s*到\s*)"
    r"(?P<high>\d{1,3})(?![\d.,:/]*\d)",
    re.IGNORECASE,
)
_LEAST_TOP = 3  # “1 to 2 sentences” is no scale
_TOPS = {*range(_LEAST_TOP, 12), 100}


class Scale(NamedTuple):
    """A range of scores that a page names."""

    low: int
    high: int
    words: str


def scales(text: str) -> list[Scale]:
    """The ranges of scores that a page names, such as “from 1 to 5” or “0–100”."""
    hits = ((int(hit["low"]), int(hit["high"]), hit[0]) for hit in _SCALE.finditer(text))
    return [
        Scale(low, high, words)
        for low, high, words in hits
        if high in _TOPS or (low, high) == (0, 2)
    ]


def _value(digits: str) -> float:
    """A number in any digits, with a point or a comma before its decimals."""
    return float(re.sub("[,٫]", ".", digits))


def _money(digits: str) -> float:
    """An amount; what stands three digits from the end separates thousands."""
    whole = re.sub(r"[ ,.'’](?=\d{3}(?:\D|$))", "", digits)
    return _value(whole)
