"""The texts that invite and brief people, in the languages of the site.

The first line is the subject. Which placeholders there are is in `invitations`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class InvitationTexts:
    """What goes to people who are invited, in one language."""

    invitation: str
    briefing: str
    us: str  # stands for the contact where the study names none


def invitation_texts(language: str) -> InvitationTexts:
    """The texts in a language such as de or zh-Hant; English where there are none in it."""
    return _TEXTS.get(language.partition("-")[0], _TEXTS["en"])


_TEXTS: Final[Mapping[str, InvitationTexts]] = {
    "en": InvitationTexts(
        invitation="""\
Invitation: {title}

Dear {name},

You are invited to take part in the study "{title}".

{duration} {payment}

This is your personal link. Please do not pass it on:

{link}

You can use it to start, and to come back later and continue where you stopped.

Taking part is voluntary. The first page tells you more about the study before you decide.

If you have any questions, please write to {contact}.
""",
        briefing="""\
Before you start: {title}

Dear {name},

Thank you for taking part in the study "{title}". Please read this before you start.

- Number of parts for you: {batches}. {duration}
- Work alone, in a quiet place, and without help from other people or from AI tools.
- You can stop after any page. Every answer is saved, and your link brings you back:
  {link}
- If anything is unclear or does not work, write to {contact}.

{instructions}
""",
        us="us",
    ),
    "de": InvitationTexts(
        invitation="""\
Einladung: {title}

Guten Tag {name},

wir laden Sie ein, an der Studie „{title}“ teilzunehmen.

{duration} {payment}

Dies ist Ihr persönlicher Link. Bitte geben Sie ihn nicht weiter:

{link}

Mit ihm beginnen Sie, und mit ihm machen Sie später dort weiter, wo Sie aufgehört haben.

Die Teilnahme ist freiwillig. Auf der ersten Seite erfahren Sie mehr über die Studie, bevor Sie
sich entscheiden.

Wenn Sie Fragen haben, schreiben Sie bitte an {contact}.
""",
        briefing="""\
Bevor Sie beginnen: {title}

Guten Tag {name},

danke, dass Sie an der Studie „{title}“ teilnehmen. Bitte lesen Sie dies, bevor Sie beginnen.

- Anzahl der Teile für Sie: {batches}. {duration}
- Arbeiten Sie allein, an einem ruhigen Ort und ohne Hilfe anderer Menschen oder von KI-Werkzeugen.
- Sie können nach jeder Seite aufhören. Jede Antwort ist gespeichert, und Ihr Link führt zurück:
  {link}
- Wenn etwas unklar ist oder nicht funktioniert, schreiben Sie an {contact}.

{instructions}
""",
        us="uns",
    ),
    "nl": InvitationTexts(
        invitation="""\
Uitnodiging: {title}

Beste {name},

U bent uitgenodigd om mee te doen aan het onderzoek "{title}".

{duration} {payment}

Dit is uw persoonlijke link. Geef hem alstublieft niet door:

{link}

Met deze link begint u, en later gaat u ermee verder waar u was gebleven.

Meedoen is vrijwillig. Op de eerste pagina leest u meer over het onderzoek voordat u beslist.

Hebt u vragen, schrijf dan naar {contact}.
""",
        briefing="""\
Voordat u begint: {title}

Beste {name},

Dank u dat u meedoet aan het onderzoek "{title}". Lees dit alstublieft voordat u begint.

- Aantal delen voor u: {batches}. {duration}
- Werk alleen, op een rustige plek, en zonder hulp van andere mensen of van AI-hulpmiddelen.
- U kunt na elke pagina stoppen. Elk antwoord is opgeslagen, en uw link brengt u terug:
  {link}
- Is iets onduidelijk of werkt iets niet, schrijf dan naar {contact}.

{instructions}
""",
        us="ons",
    ),
    "es": InvitationTexts(
        invitation="""\
Invitación: {title}

Hola, {name}:

Le invitamos a participar en el estudio «{title}».

{duration} {payment}

Este es su enlace personal. Por favor, no lo comparta:

{link}

Con él puede empezar, y también volver más tarde y continuar donde lo dejó.

La participación es voluntaria. La primera página le informa sobre el estudio antes de que decida.

Si tiene alguna pregunta, escriba a {contact}.
""",
        briefing="""\
Antes de empezar: {title}

Hola, {name}:

Gracias por participar en el estudio «{title}». Por favor, lea esto antes de empezar.

- Número de partes para usted: {batches}. {duration}
- Trabaje a solas, en un lugar tranquilo y sin ayuda de otras personas ni de herramientas de IA.
- Puede parar después de cualquier página. Cada respuesta se guarda, y su enlace le trae de vuelta:
  {link}
- Si algo no está claro o no funciona, escriba a {contact}.

{instructions}
""",
        us="nosotros",
    ),
    "zh": InvitationTexts(
        invitation="""\
邀请：{title}

{name}，您好：

诚邀您参加研究“{title}”。

{duration} {payment}

这是您的个人链接，请不要转发给他人：

{link}

您可以用它开始，也可以稍后用它回来，从停下的地方继续。

参加完全自愿。在您决定之前，第一页会介绍这项研究。

如有任何问题，请联系 {contact}。
""",
        briefing="""\
开始之前：{title}

{name}，您好：

感谢您参加研究“{title}”。请在开始之前阅读以下内容。

- 您要完成的部分数：{batches}。{duration}
- 请独自在安静的地方完成，不要借助他人或人工智能工具。
- 您可以在任何一页之后停下。每个答案都会保存，您的链接会带您回来：
  {link}
- 如有不清楚或无法使用的地方，请联系 {contact}。

{instructions}
""",
        us="我们",
    ),
    "ar": InvitationTexts(
        invitation="""\
دعوة: {title}

مرحبًا {name}،

ندعوك إلى المشاركة في الدراسة «{title}».

{duration} {payment}

هذا رابطك الشخصي. نرجو ألا تعطيه لأحد:

{link}

يمكنك أن تبدأ به، وأن تعود به لاحقًا وتتابع من حيث توقفت.

المشاركة طوعية. تعرّفك الصفحة الأولى بالدراسة قبل أن تقرر.

إن كانت لديك أسئلة فاكتب إلى {contact}.
""",
        briefing="""\
قبل أن تبدأ: {title}

مرحبًا {name}،

شكرًا على مشاركتك في الدراسة «{title}». نرجو أن تقرأ هذا قبل أن تبدأ.

- عدد الأجزاء المخصصة لك: {batches}. {duration}
- اعمل وحدك في مكان هادئ، من دون مساعدة من أشخاص آخرين أو من أدوات الذكاء الاصطناعي.
- يمكنك التوقف بعد أي صفحة. تُحفظ كل إجابة، ويعيدك رابطك:
  {link}
- إن كان هناك شيء غير واضح أو لا يعمل فاكتب إلى {contact}.

{instructions}
""",
        us="الباحثين",
    ),
}
