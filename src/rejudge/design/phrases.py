"""Sentences that pages can have instead of placeholders, in the six languages of the site.

In any other language the sentence placeholders have no value, and `rejudge check` asks for the
sentence itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rejudge.channels import planned_channel
from rejudge.study.conduct import Erasure, Payment, Retention
from rejudge.study.model import Spec

# Numbers about as long as the true ones, to estimate how long a page takes to read.
_UNKNOWN = dict.fromkeys(
    (
        "tasks", "inputs", "shared", "batches", "pages", "minutes", "total", "hours", "reward",
        "hourly", "earnings",
    ),
    "00",
)  # fmt: skip


def draft_values(spec: Spec) -> dict[str, str]:
    """What the placeholders stand for, with numbers that are not known yet."""
    values = _UNKNOWN | dict(plain_values(spec))
    return values | dict(sentences(spec, values))


def plain_values(spec: Spec) -> Iterator[tuple[str, str]]:
    """What study.yaml says in so many words."""
    yield "title", " ".join(spec.title.split())
    if spec.contact is not None:
        yield "email", spec.contact.email
        yield "contact", f"{' '.join(spec.contact.name.split())} ({spec.contact.email})"
    if spec.ethics.strip():
        yield "ethics", " ".join(spec.ethics.split())


@dataclass(frozen=True, slots=True)
class _Phrases:
    """Whole sentences of one language."""

    same: str  # the word on the button for a tie
    ties: str
    practice: str
    withdrawal: str
    withdrawal_elsewhere: str  # where there is no receipt code: not on the site
    number: str  # the participant number
    platform_id: str  # the id on a platform
    pages: tuple[str, str]  # one, and several
    minutes: tuple[str, str]
    duration: str
    each: str  # where one person can do several batches
    shared: str  # before them, where there is calibration
    paid: str
    per_batch: str
    voucher: str
    credit: str
    unpaid: str
    living_wage: str
    minimum_wage: str


def sentences(
    spec: Spec, values: Mapping[str, str], *, same: str | None = None
) -> Iterator[tuple[str, str]]:
    """The sentences of the study's language, with the values of other placeholders in them."""
    phrases = _PHRASES.get(spec.language.partition("-")[0])
    if phrases is None:
        return
    has_tie = any(each.allows_tie for each in spec.questions)
    yield "ties", phrases.ties.format(same=same or phrases.same) if has_tie else ""
    yield "practice", phrases.practice if spec.practice else ""
    kept = retention_sentence(spec.retention, spec.language) if spec.retention else None
    yield "retention", kept or ""
    if "email" in values:
        proof = planned_channel(spec.recruitment.platform).proof
        elsewhere = withdrawal_elsewhere(spec) if proof == "code" else None
        yield "withdrawal", elsewhere or phrases.withdrawal.format(email=values["email"])
    is_once = values.get("batches") == "1"
    if "tasks" in values:
        yield "duration", (_whole if is_once else _parts)(phrases, values)
    yield "wage", _wage(phrases, spec.payment)
    kind = spec.payment.kind if spec.payment else None
    if kind in {"credit", "unpaid"}:
        yield "payment", phrases.credit if kind == "credit" else phrases.unpaid
    elif kind and "reward" in values:
        sentence = phrases.paid if is_once else phrases.per_batch
        sentence = phrases.voucher if kind == "voucher" else sentence
        yield "payment", sentence.format(reward=values["earnings" if is_once else "reward"])


def withdrawal_elsewhere(spec: Spec, *, platform: str | None = None) -> str | None:
    """How to withdraw answers that were not given on the site, which alone has receipt codes.

    People name their participant number, or their id on the `platform` that sent them.
    """
    phrases = _PHRASES.get(spec.language.partition("-")[0])
    if phrases is None or spec.contact is None:
        return None
    known = phrases.number if platform is None else phrases.platform_id.format(platform)
    return phrases.withdrawal_elsewhere.format(email=spec.contact.email, id=known)


def _whole(phrases: _Phrases, values: Mapping[str, str]) -> str:
    """How long it all is, calibration included."""
    pages = _count_in_words(values["pages"], phrases.pages)
    return phrases.duration.format(
        pages=pages, minutes=_count_in_words(values["total"], phrases.minutes)
    )


def _parts(phrases: _Phrases, values: Mapping[str, str]) -> str:
    """How long each batch is, and what everybody judges before them."""
    pages = _count_in_words(values["tasks"], phrases.pages)
    each = phrases.each.format(
        pages=pages, minutes=_count_in_words(values["minutes"], phrases.minutes)
    )
    first = int(values["pages"]) - int(values["tasks"]) * int(values["batches"])
    if first <= 0:
        return each
    return f"{phrases.shared.format(pages=_count_in_words(str(first), phrases.pages))} {each}"


def _wage(phrases: _Phrases, payment: Payment | None) -> str:
    if payment is None or payment.kind not in {"paid", "voucher"}:
        return ""
    if payment.living_wage:
        return phrases.living_wage
    return phrases.minimum_wage if payment.minimum_wage else ""


def _count_in_words(number: str, words: tuple[str, str]) -> str:
    return (words[0] if number == "1" else words[1]).format(number)


_PHRASES: Mapping[str, _Phrases] = {
    "en": _Phrases(
        same="about the same",
        ties="If you see no difference, choose “{same}”.",
        practice="You start with practice examples, with an explanation of the right answer.",
        withdrawal="If you want to withdraw answers that you have already given, write to {email} "
        "and give your receipt code, which is on the last page and under “About this "
        "study”. We will then delete them.",
        withdrawal_elsewhere="If you want to withdraw answers that you have already given, write "
        "to {email} and give your {id}. We will then delete them.",
        number="participant number",
        platform_id="{} ID",
        pages=("{} page", "{} pages"),
        minutes=("{} minute", "{} minutes"),
        duration="The study has {pages} and takes about {minutes}.",
        each="Each part has {pages} and takes about {minutes}.",
        shared="You start with {pages} that everybody judges.",
        paid="You are paid {reward} for taking part.",
        per_batch="You are paid {reward} for each part that you finish.",
        voucher="As a thank-you, you get a voucher worth {reward}.",
        credit="You get course credit for taking part.",
        unpaid="Taking part is not paid.",
        living_wage="This is at least the living wage.",
        minimum_wage="This is at least the legal minimum wage.",
    ),
    "de": _Phrases(
        same="etwa gleich",
        ties="Wenn Sie keinen Unterschied sehen, wählen Sie „{same}“.",
        practice="Sie beginnen mit Übungsbeispielen, die die richtige Antwort erklären.",
        withdrawal="Wenn Sie Antworten zurückziehen möchten, die Sie schon gegeben haben, "
        "schreiben Sie an {email} und nennen Sie Ihren Belegcode. Er steht auf der letzten "
        "Seite und unter „Über diese Studie“. Wir löschen die Antworten dann.",
        withdrawal_elsewhere="Wenn Sie Antworten zurückziehen möchten, die Sie schon gegeben "
        "haben, schreiben Sie an {email} und nennen Sie Ihre {id}. Wir löschen die "
        "Antworten dann.",
        number="Teilnehmernummer",
        platform_id="{}-ID",
        pages=("{} Seite", "{} Seiten"),
        minutes=("{} Minute", "{} Minuten"),
        duration="Die Studie umfasst {pages} und dauert etwa {minutes}.",
        each="Jeder Teil umfasst {pages} und dauert etwa {minutes}.",
        shared="Zuerst kommen {pages}, die alle bearbeiten.",
        paid="Für die Teilnahme erhalten Sie {reward}.",
        per_batch="Für jeden Teil, den Sie abschließen, erhalten Sie {reward}.",
        voucher="Als Dank erhalten Sie einen Gutschein im Wert von {reward}.",
        credit="Für die Teilnahme erhalten Sie Leistungspunkte.",
        unpaid="Die Teilnahme wird nicht bezahlt.",
        living_wage="Das entspricht mindestens einem existenzsichernden Lohn.",
        minimum_wage="Das entspricht mindestens dem gesetzlichen Mindestlohn.",
    ),
    "nl": _Phrases(
        same="ongeveer gelijk",
        ties="Ziet u geen verschil, kies dan “{same}”.",
        practice="U begint met oefenvoorbeelden die het juiste antwoord uitleggen.",
        withdrawal="Wilt u antwoorden intrekken die u al hebt gegeven, schrijf dan naar {email} en "
        "noem uw ontvangstcode. Die staat op de laatste pagina en onder “Over dit onderzoek”. "
        "We verwijderen de antwoorden dan.",
        withdrawal_elsewhere="Wilt u antwoorden intrekken die u al hebt gegeven, schrijf dan naar "
        "{email} en noem uw {id}. We verwijderen de antwoorden dan.",
        number="deelnemersnummer",
        platform_id="{}-ID",
        pages=("{} pagina", "{} pagina’s"),
        minutes=("{} minuut", "{} minuten"),
        duration="Het onderzoek heeft {pages} en duurt ongeveer {minutes}.",
        each="Elk deel heeft {pages} en duurt ongeveer {minutes}.",
        shared="U begint met {pages} die iedereen beoordeelt.",
        paid="U krijgt {reward} voor uw deelname.",
        per_batch="U krijgt {reward} voor elk deel dat u afrondt.",
        voucher="Als dank krijgt u een cadeaubon van {reward}.",
        credit="U krijgt studiepunten voor uw deelname.",
        unpaid="Deelname wordt niet betaald.",
        living_wage="Dat is minstens een leefbaar loon.",
        minimum_wage="Dat is minstens het wettelijk minimumloon.",
    ),
    "es": _Phrases(
        same="más o menos iguales",
        ties="Si no ve ninguna diferencia, elija «{same}».",
        practice="Empieza con ejemplos de práctica que explican la respuesta correcta.",
        withdrawal="Si quiere retirar respuestas que ya ha dado, escriba a {email} e indique su "
        "código de resguardo. Lo encontrará en la última página y en «Sobre este estudio». "
        "Entonces borraremos sus respuestas.",
        withdrawal_elsewhere="Si quiere retirar respuestas que ya ha dado, escriba a {email} e "
        "indique su {id}. Entonces borraremos sus respuestas.",
        number="número de participante",
        platform_id="ID de {}",
        pages=("{} página", "{} páginas"),
        minutes=("{} minuto", "{} minutos"),
        duration="El estudio tiene {pages} y dura alrededor de {minutes}.",
        each="Cada parte tiene {pages} y dura alrededor de {minutes}.",
        shared="Empieza con {pages} que evalúan todos los participantes.",
        paid="Recibe {reward} por participar.",
        per_batch="Recibe {reward} por cada parte que termine.",
        voucher="Como agradecimiento recibe un vale de {reward}.",
        credit="Recibe créditos académicos por participar.",
        unpaid="La participación no se paga.",
        living_wage="Equivale como mínimo a un salario digno.",
        minimum_wage="Equivale como mínimo al salario mínimo legal.",
    ),
    "zh": _Phrases(
        same="差不多",
        ties="如果看不出差别，请选择“{same}”。",
        practice="开始时有几个练习示例，会说明正确答案。",
        withdrawal="如果想撤回已经给出的回答，请写信到 {email}，并告诉我们您的回执码"
        "（在最后一页和“关于本研究”页上）。我们会删除这些回答。",
        withdrawal_elsewhere="如果想撤回已经给出的回答，请写信到 {email}，"
        "并告诉我们您的{id}。我们会删除这些回答。",
        number="参与者编号",
        platform_id=" {} ID",
        pages=("{} 页", "{} 页"),
        minutes=("{} 分钟", "{} 分钟"),
        duration="共 {pages}，大约需要 {minutes}。",
        each="每一部分有 {pages}，大约需要 {minutes}。",
        shared="首先有 {pages}由所有人评价。",
        paid="参加本研究的报酬是 {reward}。",
        per_batch="每完成一部分的报酬是 {reward}。",
        voucher="作为感谢，您将得到价值 {reward} 的礼券。",
        credit="参加本研究可以获得课程学分。",
        unpaid="参加本研究没有报酬。",
        living_wage="这不低于生活工资。",
        minimum_wage="这不低于法定最低工资。",
    ),
    "ar": _Phrases(
        same="متقاربان",
        ties="إذا لم تلاحظ أي فرق فاختر «{same}».",
        practice="تبدأ بأمثلة للتمرين تشرح الإجابة الصحيحة.",
        withdrawal="إذا أردت سحب إجابات سبق أن قدمتها فاكتب إلى {email} واذكر رمز الإيصال الخاص "
        "بك، وتجده في الصفحة الأخيرة وفي صفحة «عن هذه الدراسة». وعندها نحذف إجاباتك.",
        withdrawal_elsewhere="إذا أردت سحب إجابات سبق أن قدمتها فاكتب إلى {email} واذكر {id} الخاص "
        "بك. وعندها نحذف إجاباتك.",
        number="رقم المشارك",
        platform_id="معرّف {}",
        pages=("عدد الصفحات {}", "عدد الصفحات {}"),
        minutes=("المدة {} دقيقة تقريبًا", "المدة {} دقيقة تقريبًا"),
        duration="{pages}، {minutes}.",
        each="في كل جزء: {pages}، {minutes}.",
        shared="تبدأ بجزء يقيّمه الجميع: {pages}.",
        paid="تحصل مقابل مشاركتك على {reward}.",
        per_batch="تحصل على {reward} عن كل جزء تُتمّه.",
        voucher="شكرًا لك، تحصل على قسيمة بقيمة {reward}.",
        credit="تحصل مقابل مشاركتك على رصيد دراسي.",
        unpaid="المشاركة غير مدفوعة الأجر.",
        living_wage="ولا يقل هذا عن أجر المعيشة.",
        minimum_wage="ولا يقل هذا عن الحد الأدنى القانوني للأجور.",
    ),
}


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
    phrases = _RETENTION_PHRASES.get(language.partition("-")[0])
    if phrases is None:
        return None
    *first, last = (phrases.erased[each] for each in retention.erased)
    what = phrases.comma.join(first) + phrases.last + last if first else last
    if retention.until is not None:
        return phrases.on_day.format(date=retention.until.isoformat(), what=what)
    return phrases.after_days[retention.days != 1].format(days=retention.days, what=what)


_RETENTION_PHRASES: Mapping[str, _RetentionPhrases] = {
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
