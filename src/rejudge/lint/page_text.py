"""What pages say: words by language; times, amounts of money and scales in any language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

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
# Not a duration of the study: a deadline, or a break.
_DEADLINE = re.compile(
    r"\b(within|after|before|every|innerhalb|binnen|nach|dentro de|después de|antes de|cada|"
    r"in the next|in the last|per)\s*(about\s*)?$|خلال\s*$|بعد\s*$",
    re.IGNORECASE,
)
_PAUSE = re.compile(
    r"\b(break|pause|pauz|pausa|rest\b|descans)|休息|暂停|استراحة|توقف", re.IGNORECASE
)
_LONGEST_HOURS = 24  # from here on it is a deadline
_NUMBER_WORDS = {
    word: str(number)
    for number, word in (
        (1, "one"), (2, "two"), (3, "three"), (4, "four"), (5, "five"), (6, "six"), (7, "seven"),
        (8, "eight"), (9, "nine"), (10, "ten"), (12, "twelve"), (15, "fifteen"), (20, "twenty"),
        (25, "twenty-five"), (30, "thirty"), (40, "forty"), (45, "forty-five"), (50, "fifty"),
        (60, "sixty"), (90, "ninety"),
    )
}  # fmt: skip
_NUMBER_WORD = re.compile(
    rf"\b(?:{'|'.join(sorted(_NUMBER_WORDS, key=len, reverse=True))})\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class LanguageWords:
    """What is searched for in pages of one language; a word matches all that begin with it."""

    consent: tuple[str, ...]
    withdrawal: tuple[str, ...]
    rejection: tuple[str, ...]
    work: tuple[str, ...]  # what a rejection would be about
    denial: tuple[str, ...]  # “will not”, but not “not”: “rejected if not answered” is a threat
    practice: re.Pattern[str]  # practice that is announced, not “in practice”
    tie: re.Pattern[str]  # a tie that can be chosen: the words of the button, in quotes
    code: re.Pattern[str]  # the completion code
    wage: re.Pattern[str]  # a wage that the pay is said to meet
    voucher: re.Pattern[str]
    credit: re.Pattern[str]  # of a course
    pay: re.Pattern[str]  # money that people get
    no_pay: re.Pattern[str]  # in the same sentence: none is paid

    def threatens(self, sentence: str) -> bool:
        """Whether a sentence says that work or pay will be refused."""
        return (
            has_word(sentence, self.rejection)
            and has_word(sentence, self.work)
            and not has_word(sentence, self.denial)
        )


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


def _in_quotes(words: str) -> str:
    return rf"[\"“”„«»‹›‘’'*「『]\s?{words}\s?[\"“”«»‹›‘’'*」』]"


_LANGUAGES: Mapping[str, LanguageWords] = {
    "en": LanguageWords(
        consent=("consent", "agree", "i want to take part"),
        withdrawal=("withdraw", "at any time", "at any point", "at any moment", "stop whenever",
                    "stop taking part", "stop participating", "leave the study"),
        rejection=("reject",),
        work=("work", "hit", "submission", "study", "task", "pay", "answer", "you ", "assignment"),
        denial=("will not", "won't", "won’t", "would not", "cannot", "never", "nobody", "no one",
                "not be reject", "not reject", "no submission", "without"),
        practice=_any(
            r"\bpracti[cs]e (example|task|item|page|question|round|trial|session|part)",
            r"\b(you|we)( will)?( first)? (begin|start) with (\w+ ){0,3}examples?\b",
            r"\byou( will)?( first)? practi[cs]e\b",
        ),
        tie=_any(_in_quotes("about the same"), r"\b(choose|select|pick) (a |the )?tie\b"),
        code=_any(r"(?<!receipt )\bcode\b(?! name)"),
        wage=_any(r"\b(living|minimum) wage\b"),
        voucher=_any(r"\bvouchers?\b", r"\bgift cards?\b"),
        credit=_any(r"\bcourse credits?\b"),
        pay=_any(r"\b(is|are|be|get|gets) (also )?paid\b", r"\bpay you\b", r"\byour payment\b"),
        no_pay=_any(r"\b(not|nobody|never|nothing|no|unpaid)\b"),
    ),
    "de": LanguageWords(
        consent=("einwillig", "einverstanden", "zustimm", "stimme zu", "stimme der"),
        withdrawal=("zurückzieh", "zurückzu", "widerruf", "abbrech", "jederzeit"),
        rejection=("abgelehnt", "ablehn", "zurückgewiesen", "zurückweis"),
        work=("arbeit", "einreichung", "studie", "aufgabe", "bezahl", "vergüt", "antwort", "sie "),
        denial=("nicht abge", "nicht zurück", "wird nicht", "werden nicht", "nie ", "niemals",
                "niemand", "keine ablehn"),
        practice=_any(
            r"\bübungs(beispiel|aufgabe|seite|runde|durchgang|teil|frage)",
            r"\b(beginn|start)\w* (\w+ ){0,2}mit (\w+ ){0,3}beispielen\b",
        ),
        tie=_any(_in_quotes("etwa gleich")),
        code=_any(r"\b(teilnahme|abschluss)?code\b"),
        wage=_any(r"mindestlohn", r"\bexistenzsichernde\w* l[oö]hn"),
        voucher=_any(r"gutschein"),
        credit=_any(r"\bleistungspunkt", r"\bversuchspersonenstund"),
        pay=_any(r"\b(bezahlt|vergütet)\b", r"\bvergütung\b", r"\baufwandsentschädigung\b"),
        no_pay=_any(r"\b(nicht|niemand|keine?|ohne|unbezahlt)\b"),
    ),
    "nl": LanguageWords(
        consent=("toestem", "instem", "akkoord"),
        withdrawal=("terugtrek", "terug te trek", "intrek", "stoppen", "op elk moment",
                    "op ieder moment", "te allen tijde"),
        rejection=("afgewezen", "afwijz", "afgekeurd", "afkeur", "geweigerd"),
        work=("werk", "inzending", "studie", "onderzoek", "taak", "taken", "betaal", "betal",
              "antwoord", "u ", "je "),
        denial=("niet af", "niet geweigerd", "wordt niet", "worden niet", "nooit", "niemand"),
        practice=_any(
            r"\boefen(voorbeeld|taak|taken|vraag|vragen|ronde|pagina|opgave)",
            r"\b(begint|start) met (\w+ ){0,3}voorbeelden\b",
        ),
        tie=_any(_in_quotes("ongeveer gelijk")),
        code=_any(r"\bcode\b"),
        wage=_any(r"minimumloon", r"\bleefbaar loon\b"),
        voucher=_any(r"\b(cadeau|tegoed|waarde)bon", r"\bvouchers?\b"),
        credit=_any(r"\bstudiepunt", r"\bproefpersoonu"),
        pay=_any(r"\b(betaald|vergoed)\b", r"\bvergoeding\b"),
        no_pay=_any(r"\b(niet|niemand|geen|zonder|onbetaald)\b"),
    ),
    "es": LanguageWords(
        consent=("consiento", "consentimiento", "acepto", "de acuerdo"),
        withdrawal=("retirar", "retiro", "abandonar", "dejar de participar",
                    "en cualquier momento"),
        rejection=("rechaz",),
        work=("trabajo", "envío", "estudio", "tarea", "pago", "pagar", "respuesta", "usted"),
        denial=("no será", "no serán", "no se rechaz", "no rechaz", "nunca", "nadie"),
        practice=_any(
            r"\b(ejemplo|tarea|pregunta|ronda|página)s? de práctica\b",
            r"\b(empieza|empezará|comienza|comenzará) con (\w+ ){0,3}ejemplos\b",
        ),
        tie=_any(_in_quotes("más o menos iguales")),
        code=_any(r"\bcódigo\b(?! de resguardo)"),
        wage=_any(r"\bsalario (mínimo|digno)\b"),
        voucher=_any(r"\bun vale\b", r"\btarjetas? (de )?regalo\b"),
        credit=_any(r"\bcréditos académicos\b"),
        pay=_any(r"\bse (le )?paga\b", r"\b(pagad|remunerad)[ao]s?\b", r"\bsu pago\b"),
        no_pay=_any(r"\b(no|nadie|ningún|sin)\b"),
    ),
    "zh": LanguageWords(
        consent=("同意", "知情"),
        withdrawal=("退出", "撤回", "随时", "隨時", "中止", "停止参"),
        rejection=("拒绝", "拒絕", "拒付", "驳回"),
        work=("工作", "提交", "研究", "任务", "任務", "报酬", "報酬", "回答", "答案", "支付"),
        denial=("不会", "不會", "绝不", "不得"),
        practice=_any("练习(示例|题|任务|例子|环节|部分)", "先做.{0,6}练习"),
        tie=_any(_in_quotes("差不多")),
        code=_any("代码|验证码|完成码|代碼"),
        wage=_any("最低工资|生活工资|最低工資"),
        voucher=_any("礼券|代金券|礼品卡|购物券"),
        credit=_any("课程学分|学分"),
        pay=_any("(付给|支付|给予|得到|获得|付)(您|你)?(报酬|報酬|酬金)|(报酬|報酬|酬金)(是|为)"),
        no_pay=_any("(没有|沒有|无|不付|不支付|不会支付)(报酬|報酬|酬金)?"),
    ),
    "ar": LanguageWords(
        consent=("أوافق", "موافق", "الموافقة", "اوافق"),
        withdrawal=("الانسحاب", "انسحاب", "تنسحب", "في أي وقت", "التوقف", "سحب إجاب"),
        rejection=("رفض", "يُرفض", "يرفض", "سنرفض"),
        work=("عمل", "مشاركت", "الدراسة", "مهمة", "المهمة", "الدفع", "أجر", "إجاب"),
        denial=("لن ", "لا يرفض", "لا نرفض", "أبدا"),
        practice=_any(r"(أمثلة|مهام|أسئلة|صفحات) (للتمرين|تدريبية|للتدريب|تمرينية)"),
        tie=_any(_in_quotes("متقاربان")),
        code=_any("رمز(?! الإيصال)|كود"),
        wage=_any("الحد الأدنى (القانوني )?للأجور|أجر المعيشة"),
        voucher=_any("قسيمة"),
        credit=_any("رصيد دراسي"),
        pay=_any("مدفوعة الأجر|مكافأة مالية|ندفع لك|يُدفع لك"),
        no_pay=_any("غير|لا |ليس|بدون"),
    ),
}  # fmt: skip


def language_words(language: str) -> LanguageWords | None:
    """The words of a language such as `en` or `zh-Hant`; None where none are known."""
    return _LANGUAGES.get(language.split("-", maxsplit=1)[0].lower())


def has_word(text: str, beginnings: tuple[str, ...]) -> bool:
    """Whether a text has a word that begins so; in scripts without spaces, the letters anywhere."""
    lower = " ".join(text.lower().split()) + " "
    return any(_begins(word, lower) for word in beginnings)


def _begins(word: str, text: str) -> bool:
    if not word[0].isascii():  # Chinese has no spaces, and Arabic has prefixes
        return word in text
    return re.search(rf"(?<![^\W_]){re.escape(word)}", text) is not None


def sentences(text: str) -> list[str]:
    """The sentences of a page, each on one line."""
    return [
        " ".join(s.split())
        for s in re.split(r"(?<=[.!?。！？؟])\s+|(?<=[。！？])|\n\s*\n", text)
        if s.strip()
    ]


def in_digits(text: str) -> str:
    """The text with English words for numbers as digits."""
    return _NUMBER_WORD.sub(lambda word: _NUMBER_WORDS[word[0].lower()], text)


class Minutes(NamedTuple):
    """A time that a page states, as minutes from … to …."""

    low: float
    high: float
    words: str


def stated_minutes(text: str) -> list[Minutes]:
    """The times that a page states, without deadlines and breaks."""
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
        """All currencies that the sign can mean."""
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

_LEAST_TOP = 3  # “1 to 2 sentences” is not a scale

_TOPS = {*range(_LEAST_TOP, 12), 100}


class StatedScale(NamedTuple):
    """A range of scores that a page names."""

    low: int
    high: int
    words: str


def scales(text: str) -> list[StatedScale]:
    """The ranges of scores that a page names, such as “from 1 to 5” or “0–100”."""
    hits = ((int(hit["low"]), int(hit["high"]), hit[0]) for hit in _SCALE.finditer(text))
    return [
        StatedScale(low, high, words)
        for low, high, words in hits
        if high in _TOPS or (low, high) == (0, 2)
    ]


def _value(digits: str) -> float:
    """A number in any digits, with a point or a comma before its decimals."""
    return float(re.sub("[,٫]", ".", digits))


def _money(digits: str) -> float:
    """An amount; a separator three digits from the end separates thousands."""
    whole = re.sub(r"[ ,.'’](?=\d{3}(?:\D|$))", "", digits)
    return _value(whole)
