"""The sentence on how long data are kept, in the six languages of the site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rejudge.study import Erasure, Retention


@dataclass(frozen=True, slots=True)
class _RetentionPhrases:
    """What is deleted when, in one language."""

    on_day: str
    after_days: tuple[str, str]  # one, and several
    erased: Mapping[Erasure, str]
    comma: str
    last: str  # before the last of several


def retention_sentence(retention: Retention, language: str) -> str | None:
    """What is deleted when; None in a language that rejudge has no words for."""
    phrases = _PHRASES.get(language.partition("-")[0])
    if phrases is None:
        return None
    *first, last = (phrases.erased[each] for each in retention.erased)
    what = phrases.comma.join(first) + phrases.last + last if first else last
    if retention.until is not None:
        return phrases.on_day.format(date=retention.until.isoformat(), what=what)
    return phrases.after_days[retention.days != 1].format(days=retention.days, what=what)


_PHRASES: Mapping[str, _RetentionPhrases] = {
    "en": _RetentionPhrases(
        on_day="On {date} we delete {what}.",
        after_days=(
            "One day after the last answer in this study we delete {what}.",
            "{days} days after the last answer in this study we delete {what}.",
        ),
        erased={
            "platform-ids": "your platform id",
            "times": "all times and technical data",
            "free-text": "what you wrote in your own words",
            "everything": "all data about you",
        },
        comma=", ",
        last=" and ",
    ),
    "de": _RetentionPhrases(
        on_day="Am {date} löschen wir {what}.",
        after_days=(
            "Einen Tag nach der letzten Antwort in dieser Studie löschen wir {what}.",
            "{days} Tage nach der letzten Antwort in dieser Studie löschen wir {what}.",
        ),
        erased={
            "platform-ids": "Ihre Kennung auf der Plattform",
            "times": "alle Zeitangaben und technischen Daten",
            "free-text": "was Sie in eigenen Worten geschrieben haben",
            "everything": "alle Daten über Sie",
        },
        comma=", ",
        last=" und ",
    ),
    "nl": _RetentionPhrases(
        on_day="Op {date} verwijderen we {what}.",
        after_days=(
            "Eén dag na het laatste antwoord in dit onderzoek verwijderen we {what}.",
            "{days} dagen na het laatste antwoord in dit onderzoek verwijderen we {what}.",
        ),
        erased={
            "platform-ids": "uw ID op het platform",
            "times": "alle tijdstippen en technische gegevens",
            "free-text": "wat u in eigen woorden hebt geschreven",
            "everything": "alle gegevens over u",
        },
        comma=", ",
        last=" en ",
    ),
    "es": _RetentionPhrases(
        on_day="El {date} borraremos {what}.",
        after_days=(
            "Un día después de la última respuesta de este estudio borraremos {what}.",
            "{days} días después de la última respuesta de este estudio borraremos {what}.",
        ),
        erased={
            "platform-ids": "su identificador de la plataforma",
            "times": "todos los tiempos y datos técnicos",
            "free-text": "lo que haya escrito con sus propias palabras",
            "everything": "todos los datos sobre usted",
        },
        comma=", ",
        last=" y ",
    ),
    "zh": _RetentionPhrases(
        on_day="我们将在 {date} 删除{what}。",
        after_days=(
            "我们将在本研究收到最后一个回答的 1 天后删除{what}。",
            "我们将在本研究收到最后一个回答的 {days} 天后删除{what}。",
        ),
        erased={
            "platform-ids": "您在平台上的编号",
            "times": "所有时间记录和技术数据",
            "free-text": "您自己写下的文字",
            "everything": "关于您的全部数据",
        },
        comma="、",
        last="和",
    ),
    "ar": _RetentionPhrases(
        on_day="في {date} نحذف {what}.",
        after_days=(
            "بعد يوم واحد من آخر إجابة في هذه الدراسة نحذف {what}.",
            "بعد مدة من آخر إجابة في هذه الدراسة، عدد أيامها {days}، نحذف {what}.",
        ),
        erased={
            "platform-ids": "معرّفك على المنصة",
            "times": "جميع الأوقات والبيانات التقنية",
            "free-text": "ما كتبته بكلماتك",
            "everything": "جميع البيانات المتعلقة بك",
        },
        comma="، ",
        last=" و",
    ),
}
