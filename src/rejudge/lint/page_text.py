"""Words that pages are searched for, by language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LanguageWords:
    """What is searched for in pages of one language; a word matches all that begin with it."""

    consent: tuple[str, ...]
    withdrawal: tuple[str, ...]
    rejection: tuple[str, ...]
    work: tuple[str, ...]  # what a rejection would be about
    denial: tuple[str, ...]  # “will not”, but not “not”: “rejected if not answered” is a threat

    def threatens(self, sentence: str) -> bool:
        """Whether a sentence says that work or pay will be refused."""
        return (
            has_word(sentence, self.rejection)
            and has_word(sentence, self.work)
            and not has_word(sentence, self.denial)
        )


_LANGUAGES: Mapping[str, LanguageWords] = {
    "en": LanguageWords(
        consent=("consent", "agree", "i want to take part"),
        withdrawal=("withdraw", "at any time", "at any point", "at any moment", "stop whenever",
                    "stop taking part", "stop participating", "leave the study"),
        rejection=("reject",),
        work=("work", "hit", "submission", "study", "task", "pay", "answer", "you ", "assignment"),
        denial=("will not", "won't", "won’t", "would not", "cannot", "never", "nobody", "no one",
                "not be reject", "not reject", "no submission", "without"),
    ),
    "de": LanguageWords(
        consent=("einwillig", "einverstanden", "zustimm", "stimme zu", "stimme der"),
        withdrawal=("zurückzieh", "zurückzu", "widerruf", "abbrech", "jederzeit"),
        rejection=("abgelehnt", "ablehn", "zurückgewiesen", "zurückweis"),
        work=("arbeit", "einreichung", "studie", "aufgabe", "bezahl", "vergüt", "antwort", "sie "),
        denial=("nicht abge", "nicht zurück", "wird nicht", "werden nicht", "nie ", "niemals",
                "niemand", "keine ablehn"),
    ),
    "nl": LanguageWords(
        consent=("toestem", "instem", "akkoord"),
        withdrawal=("terugtrek", "terug te trek", "intrek", "stoppen", "op elk moment",
                    "op ieder moment", "te allen tijde"),
        rejection=("afgewezen", "afwijz", "afgekeurd", "afkeur", "geweigerd"),
        work=("werk", "inzending", "studie", "onderzoek", "taak", "taken", "betaal", "betal",
              "antwoord", "u ", "je "),
        denial=("niet af", "niet geweigerd", "wordt niet", "worden niet", "nooit", "niemand"),
    ),
    "es": LanguageWords(
        consent=("consiento", "consentimiento", "acepto", "de acuerdo"),
        withdrawal=("retirar", "retiro", "abandonar", "dejar de participar",
                    "en cualquier momento"),
        rejection=("rechaz",),
        work=("trabajo", "envío", "estudio", "tarea", "pago", "pagar", "respuesta", "usted"),
        denial=("no será", "no serán", "no se rechaz", "no rechaz", "nunca", "nadie"),
    ),
    "zh": LanguageWords(
        consent=("同意", "知情"),
        withdrawal=("退出", "撤回", "随时", "隨時", "中止", "停止参"),
        rejection=("拒绝", "拒絕", "拒付", "驳回"),
        work=("工作", "提交", "研究", "任务", "任務", "报酬", "報酬", "回答", "答案", "支付"),
        denial=("不会", "不會", "绝不", "不得"),
    ),
    "ar": LanguageWords(
        consent=("أوافق", "موافق", "الموافقة", "اوافق"),
        withdrawal=("الانسحاب", "انسحاب", "تنسحب", "في أي وقت", "التوقف", "سحب إجاب"),
        rejection=("رفض", "يُرفض", "يرفض", "سنرفض"),
        work=("عمل", "مشاركت", "الدراسة", "مهمة", "المهمة", "الدفع", "أجر", "إجاب"),
        denial=("لن ", "لا يرفض", "لا نرفض", "أبدا"),
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
