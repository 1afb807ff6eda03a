"""Rules about data protection: how long data about participants are kept."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.lint.evidence import StudyEvidence, Violation


def no_retention(seen: StudyEvidence) -> Iterator[Violation]:
    """Participants come from a paid platform, but nothing says how long their data are kept.

    The platform's ids are personal data. Data protection law and ethics boards ask when they are
    deleted.

    Remedy: add `retention` to study.yaml and write `{retention}` on the information page.
    """
    if seen.is_crowd and seen.study.spec.retention is None:
        yield Violation(
            "The study does not say how long data about participants are kept.",
            ("retention",),
            "Add `retention`, such as `retention: {days: 365, delete: [platform-ids]}`, and write "
            "{retention} on the information page.",
        )


def past_retention(seen: StudyEvidence) -> Iterator[Violation]:
    """The day on which data are deleted is in the past.

    Before data collection the date is wrong: it may come from a study that is reproduced.
    Afterwards the data are due for deletion.

    Remedy: correct `retention.until`; for a finished study run `rejudge purge`.
    """
    retention = seen.study.spec.retention
    if retention is None or retention.until is None or seen.today is None:
        return
    if retention.until < seen.today:
        yield Violation(
            f"Data were to be deleted on {retention.until}, which is in the past.",
            ("retention.until",),
            "Give a later date; if the study is over, run `rejudge purge`.",
        )
