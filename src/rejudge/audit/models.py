"""Rules about mixed models: their random effects, and the rows of their tables."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.audit import ranges
from rejudge.audit.evidence import Evidence, Found, Looked
from rejudge.audit.ranges import Range
from rejudge.paper import MixedModel

_NARROW = 1.5  # standard errors; an interval of 90 % reaches 1.64
_WIDE = 12.8  # 〃; of 95 % with one degree of freedom, 12.71


def no_item_effect(seen: Evidence) -> Looked:
    """A mixed model of judgments of shared items has no random effect of the item.

    Items differ, and judgments of one item have that in common. Left out, the difference between
    items is taken for noise that averages out over judgments, and the standard errors of what
    varies between items come out too small: by half in one published study.

    Remedy: add the item as a random effect, beside the participant.
    """
    for entry, place in seen.entries(MixedModel):
        if not entry.items_shared:
            continue
        groups = [each.of for each in entry.random]
        if "item" in groups:
            yield None
            continue
        yield Found(
            f"{entry.what}: random effects of {' and '.join(groups) or 'nothing'}, none of the "
            "item, although several people judged the same items.",
            "Judgments of one item are counted as if each were of another item.",
            place,
            "Add the item as a random effect and compare the standard errors.",
        )


def model_row_differs(seen: Evidence) -> Looked:
    """Estimate, standard error, statistic and interval of one row do not belong together.

    The statistic is estimate / SE. An interval holds its estimate and reaches about two standard
    errors to either side, more where degrees of freedom are few; only what is narrower than 1.5 of
    them, or wider than a single degree of freedom would make it, is reported. A variance is the
    square of its SD.

    Remedy: take the whole row from one output of the model.
    """
    for entry, place in seen.entries(MixedModel):
        for found in (*_model_rows(entry), *_variances(entry)):
            yield (
                None
                if found is None
                else Found(
                    f"{entry.what}, {found[0]}",
                    found[1],
                    place,
                    "Take the whole row from one output.",
                )
            )


def _model_rows(entry: MixedModel) -> Iterator[tuple[str, str] | None]:
    for row in entry.fixed:
        estimate, error = ranges.of(row.estimate), ranges.of(row.se)
        ratio = ranges.quotient(estimate, error)
        if row.statistic is not None and ratio is not None:
            fits = ratio.meets(ranges.of(row.statistic))
            yield (
                None
                if fits
                else (
                    f"{row.name}: the statistic {row.statistic.text} is not estimate / SE.",
                    f"{row.estimate.text} / {row.se.text} = {ratio.text}.",
                )
            )
        if row.interval is not None:
            half = ranges.scaled(
                ranges.difference(ranges.of(row.interval[1]), ranges.of(row.interval[0])), 0.5
            )
            wanted = Range(_NARROW * error.low, _WIDE * error.high)
            holds = ranges.of(row.interval[0]).low <= estimate.high and (
                estimate.low <= ranges.of(row.interval[1]).high
            )
            yield (
                None
                if holds and half.meets(wanted)
                else (
                    f"{row.name}: the interval does not belong to estimate and SE.",
                    (
                        f"1.96 · {row.se.text} = {ranges.scaled(error, 1.96).text}, half of "
                        f"{row.interval[0].text} to {row.interval[1].text} is {half.text}."
                    ),
                )
            )


def _variances(entry: MixedModel) -> Iterator[tuple[str, str] | None]:
    for effect in entry.random:
        if effect.variance is None or effect.sd is None:
            continue
        root = ranges.of(effect.sd)
        square = Range(max(0.0, root.low) ** 2, root.high**2)
        fits = square.meets(ranges.of(effect.variance))
        yield (
            None
            if fits
            else (
                (
                    f"{effect.of}: the variance {effect.variance.text} is not the square of "
                    f"the SD {effect.sd.text}."
                ),
                f"{effect.sd.text}² = {square.text}.",
            )
        )
