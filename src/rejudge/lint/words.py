"""Words that pages of a study must or must not contain, by language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """What is looked for in the pages of one language; a word stands for all that begin with it."""

    consent: tuple[str, ...]
    withdrawal: tuple[str, ...]
    rejection: tuple[str, ...]
    work: tuple[str, ...]  # what a rejection would be about
    denial: tuple[str, ...]  # «will not», but not «not»: «rejected if not answered» is a threat
    practice: re.Pattern[str]  # practice that is announced; «in practice» is none
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


_WORDS: Mapping[str, Words] = {
    "en": Words(
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
        code=_any(r"\bcode\b(?! name)"),
        wage=_any(r"\b(living|minimum) wage\b"),
        voucher=_any(r"\bvouchers?\b", r"\bgift cards?\b"),
        credit=_any(r"\bcourse credits?\b"),
        pay=_any(r"\b(is|are|be|get|gets) (also )?paid\b", r"\bpay you\b", r"\byour payment\b"),
        no_pay=_any(r"\b(not|nobody|never|nothing|no|unpaid)\b"),
    ),
    "de": Words(
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
    "nl": Words(
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
    "es": Words(
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
        code=_any(r"\bcódigo\b"),
        wage=_any(r"\bsalario (mínimo|digno)\b"),
        voucher=_any(r"\bun vale\b", r"\btarjetas? (de )?regalo\b"),
        credit=_any(r"\bcréditos académicos\b"),
        pay=_any(r"\bse (le )?paga\b", r"\b(pagad|remunerad)[ao]s?\b", r"\bsu pago\b"),
        no_pay=_any(r"\b(no|nadie|ningún|sin)\b"),
    ),
    "zh": Words(
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
    "ar": Words(
        consent=("أوافق", "موافق", "الموافقة", "اوافق"),
        withdrawal=("الانسحاب", "انسحاب", "تنسحب", "في أي وقت", "التوقف", "سحب إجاب"),
        rejection=("رفض", "يُرفض", "يرفض", "سنرفض"),
        work=("عمل", "مشاركت", "الدراسة", "مهمة", "المهمة", "الدفع", "أجر", "إجاب"),
        denial=("لن ", "لا يرفض", "لا نرفض", "أبدا"),
        practice=_any(r"(أمثلة|مهام|أسئلة|صفحات) (للتمرين|تدريبية|للتدريب|تمرينية)"),
        tie=_any(_in_quotes("متقاربان")),
        code=_any("رمز|كود"),
        wage=_any("الحد الأدنى (القانوني )?للأجور|أجر المعيشة"),
        voucher=_any("قسيمة"),
        credit=_any("رصيد دراسي"),
        pay=_any("مدفوعة الأجر|مكافأة مالية|ندفع لك|يُدفع لك"),
        no_pay=_any("غير|لا |ليس|بدون"),
    ),
}  # fmt: skip


def spoken(language: str) -> Words | None:
    """The words of a language such as `en` or `zh-Hant`; None where none are known."""
    return _WORDS.get(language.split("-", maxsplit=1)[0].lower())


def has_word(text: str, beginnings: tuple[str, ...]) -> bool:
    """Whether a text has a word that begins so; in scripts without blanks, the letters anywhere."""
    lower = " ".join(text.lower().split()) + " "
    return any(_begins(word, lower) for word in beginnings)


def _begins(word: str, text: str) -> bool:
    if not word[0].isascii():  # Chinese has no blanks, and Arabic puts prefixes on its words
        return word in text
    return re.search(rf"(?<![^\W_]){re.escape(word)}", text) is not None


def sentences(text: str) -> list[str]:
    """The sentences of a page, each on one line."""
    return [
        " ".join(s.split())
        for s in re.split(r"(?<=[.!?。！？؟])\s+|(?<=[。！？])|\n\s*\n", text)
        if s.strip()
    ]
