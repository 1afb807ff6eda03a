"""How the inputs of a plan were chosen, with the probability that each of them had.

All arithmetic is on whole numbers, so that any machine draws the same inputs. A sample by weights
is systematic: the inputs stand in random order, each as long as its weight, and one in so many
steps is taken from a random start (Madow 1949; in random order, Hartley & Rao 1962). The
probability of each input is then exactly proportional to its weight, unless it is so heavy that it
is certain to be taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NoReturn

from rejudge.design.sampling import (
    Chance,
    Input,
    InputSample,
    by_key,
    inputs_of,
    quotas,
    sample_inputs,
)
from rejudge.english import count, join_quoted, verb
from rejudge.errors import DesignError, Problem
from rejudge.fingerprint import Json
from rejudge.study.item_sample import Allocation, Sample, SampleMethod
from rejudge.study.model import Study

_CERTAIN = 1.0
_NEARLY_EQUAL = 1.05  # design effect
_FORMS = (("has", "have"), ("it", "them"))


@dataclass(frozen=True, slots=True)
class SelectedInput:
    """An input that takes part."""

    input: str
    probability: float | None = None  # of being selected; None: unknown, since a person chose it
    stratum: str = ""


@dataclass(frozen=True)
class Selection:
    """How inputs were selected from the item file."""

    method: SampleMethod
    inputs: int  # in the item file
    column: str | None = None  # of strata, weights or marks; None: the dataset, or ids
    allocation: Allocation | None = None  # of strata
    selected: tuple[SelectedInput, ...] = ()
    impossible: int = 0  # inputs that could not be selected: of weight 0, or of a stratum left out
    strata: Mapping[str, int] = field(default_factory=dict)  # inputs in the file, by stratum

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """The inverse of its probability by input; empty where probabilities are not known."""
        return {e.input: 1 / e.probability for e in self.selected if e.probability is not None}

    @property
    def has_equal_probabilities(self) -> bool:
        """Whether every selected input was as likely to be selected as any other."""
        return bool(self.weights) and len({each.probability for each in self.selected}) == 1

    @property
    def certain(self) -> int:
        """How many inputs were certain to be selected."""
        return sum(each.probability == _CERTAIN for each in self.selected)

    @property
    def effective_inputs(self) -> float | None:
        """How many inputs of equal weight would be as informative (Kish 1965): (Σw)² / Σw².

        None where probabilities are not known.
        """
        weights = self.weights.values()
        return sum(weights) ** 2 / sum(w * w for w in weights) if weights else None

    @property
    def design_effect(self) -> float | None:
        """By what factor unequal weights alone raise the variance of a mean (Kish 1965)."""
        effective = self.effective_inputs
        return None if effective is None else len(self.selected) / effective

    @property
    def is_nearly_equal(self) -> bool:
        """Whether weights differ so little that models may do without, as after rounding."""
        return (self.design_effect or 1.0) <= _NEARLY_EQUAL

    def describe(self, file: str) -> str:
        """How the inputs were selected from a file, in a sentence."""
        taken, there = len(self.selected), count(self.inputs, "input")
        of = f"{taken:,} of the {there} in {file} {verb(taken, 'was', 'were')} selected"
        if self.method == "listed":
            by = f"in the column '{self.column}'" if self.column else "in study.yaml"
            return f"{of} by the researchers, who listed them {by}."
        if self.method == "random":
            return f"{of} at random, each with probability {taken / self.inputs:.3g}."
        size = f"an effective sample size of {self.effective_inputs or 0.0:.4g}"
        weighed = f"{size} (design effect {self.design_effect or 1.0:.2f})"
        if self.method == "weighted":
            sure = f" ({self.certain:,} with certainty)" if self.certain else ""
            return (
                f"{of} with probabilities in proportion to '{self.column}'{sure}, with {weighed}."
            )
        by = f"'{self.column}'" if self.column else "dataset"
        how = "in proportion to their size" if self.allocation == "proportional" else "equally"
        strata = f"{len(self.strata):,} {verb(len(self.strata), 'stratum', 'strata')}"
        return f"{of} at random from {strata} by {by}, {how}, with {weighed}."

    def to_json(self) -> Json:
        """What names it in a fingerprint."""
        return [
            self.method,
            self.inputs,
            self.column,
            self.allocation,
            [[each.input, each.probability, each.stratum] for each in self.selected],
            self.impossible,
            dict(self.strata),
        ]


def select_inputs(study: Study, chance: Chance) -> tuple[InputSample, Selection | None]:
    """The study's inputs and how they were selected; None for a study that names no method."""
    sample = study.spec.items.sample
    if sample is None or sample.method is None:
        return sample_inputs(study, chance), None
    everything = inputs_of(study.items)
    _refuse_size(study, sample, len(everything))
    draw = {"random": _random, "stratified": _stratified, "weighted": _weighted, "listed": _listed}
    selection, names = draw[sample.method](everything, sample, chance.stream(sample.method))
    chosen = tuple(each for each in everything if each.group in names)
    spare = tuple(each for each in everything if each.group not in names)
    return InputSample(chosen, spare, _notes(selection)), selection


def _random(
    inputs: Sequence[Input], sample: Sample, chance: Chance
) -> tuple[Selection, frozenset[str]]:
    size = sample.inputs or 0
    names = frozenset(each.group for each in chance.sample(inputs, size))
    share = size / len(inputs)
    selected = tuple(SelectedInput(i.group, share) for i in inputs if i.group in names)
    return Selection("random", len(inputs), selected=selected), names


def _stratified(
    inputs: Sequence[Input], sample: Sample, chance: Chance
) -> tuple[Selection, frozenset[str]]:
    """This many from each stratum; the probability is that of an input given these numbers."""
    strata = by_key(inputs, lambda each: _stratum(each, sample))
    sizes = {name: len(members) for name, members in strata.items()}
    share_out = proportional_quotas if sample.is_proportional else quotas
    quota = share_out(sizes, sample.inputs or 0, chance)
    of = {
        each.group: name
        for name, members in strata.items()
        for each in chance.stream("stratum", name).sample(members, quota[name])
    }
    selected = tuple(
        SelectedInput(each.group, quota[name] / sizes[name], name)
        for each in inputs
        if (name := of.get(each.group)) is not None
    )
    return Selection(
        "stratified",
        len(inputs),
        column=sample.column,
        allocation=sample.allocation or "equal",
        selected=selected,
        impossible=sum(size for name, size in sizes.items() if not quota[name]),
        strata=sizes,
    ), frozenset(of)


def _stratum(each: Input, sample: Sample) -> str:
    if sample.column is None:
        return each.stratum
    return " + ".join(sorted({item.stratum or "" for item in each.items}))


def _weighted(
    inputs: Sequence[Input], sample: Sample, chance: Chance
) -> tuple[Selection, frozenset[str]]:
    """In proportion to the weights; those of the items of one input add up."""
    weights = _whole_weights(inputs)
    possible = {name: weight for name, weight in weights.items() if weight}
    size = sample.inputs or 0
    if size > len(possible):
        _refuse(
            f"{size} inputs are requested, but only {len(possible)} of {len(inputs)} have a weight "
            f"above 0 in the column '{sample.column}'.",
            "Lower items.sample.inputs, or give more inputs a weight.",
        )
    certain = _certain_inputs(possible, size)
    rest = {name: weight for name, weight in possible.items() if name not in certain}
    left, total = size - len(certain), sum(rest.values())
    names = certain | _systematic(rest, left, chance)
    selected = tuple(
        SelectedInput(each.group, _CERTAIN if each.group in certain else left * w / total)
        for each in inputs
        if (w := weights[each.group]) and each.group in names
    )
    return Selection(
        "weighted",
        len(inputs),
        column=sample.column,
        selected=selected,
        impossible=len(inputs) - len(possible),
    ), frozenset(names)


def _whole_weights(inputs: Sequence[Input]) -> dict[str, int]:
    """The weights of inputs as whole numbers in the same proportions, without rounding.

    A float is a whole number over a power of two, so that the largest denominator fits all.
    """
    ratios = {
        each.group: [(item.weight or 0.0).as_integer_ratio() for item in each.items]
        for each in inputs
    }
    common = max(bottom for parts in ratios.values() for _, bottom in parts)
    return {
        name: sum(top * (common // bottom) for top, bottom in parts)
        for name, parts in ratios.items()
    }


def _certain_inputs(weights: Mapping[str, int], size: int) -> set[str]:
    """Inputs whose share of the weights is one place or more, of the places that are left."""
    certain: set[str] = set()
    rest = sorted(weights, key=lambda name: -weights[name])
    total = sum(weights.values())
    for name in rest:
        if len(certain) == size or (size - len(certain)) * weights[name] < total:
            break
        certain.add(name)
        total -= weights[name]
    return certain


def _systematic(weights: Mapping[str, int], size: int, chance: Chance) -> set[str]:
    """One input wherever a step of the same length ends, along all inputs in random order."""
    if not size:
        return set()
    step = sum(weights.values())  # in units in which an input is `size` times its weight long
    end, mark = 0, chance.stream("start").below(step)
    names = set()
    for name in chance.stream("order").shuffle(list(weights)):
        end += size * weights[name]
        if mark < end:
            names.add(name)
            mark += step
    return names


def _listed(
    inputs: Sequence[Input],
    sample: Sample,
    chance: Chance,  # noqa: ARG001 - as its siblings
) -> tuple[Selection, frozenset[str]]:
    names = frozenset(each.group for each in inputs if all(i.is_listed for i in each.items))
    if not names:
        where = f"the column '{sample.column}'" if sample.column else "items.sample.ids"
        _refuse(f"no item is listed in {where}.", "Write yes for each item that takes part.")
    if sample.inputs is not None and sample.inputs != len(names):
        _refuse(
            f"{count(sample.inputs, 'input')} {verb(sample.inputs, 'is', 'are')} requested, but "
            f"{len(names)} {verb(len(names), 'is', 'are')} listed.",
            "Leave out items.sample.inputs, or correct the list.",
        )
    selected = tuple(SelectedInput(each.group) for each in inputs if each.group in names)
    return Selection("listed", len(inputs), column=sample.column, selected=selected), names


def proportional_quotas(sizes: Mapping[str, int], total: int, chance: Chance) -> dict[str, int]:
    """Share `total` out by size, at least one to each where it suffices; chance breaks ties.

    Rounded by largest remainders. A stratum without any input would be left out of the population.
    """
    least, whole = int(total >= len(sizes)), sum(sizes.values())
    quota = {name: max(least, total * size // whole) for name, size in sizes.items()}
    order = {name: n for n, name in enumerate(chance.stream("remainder").shuffle(list(sizes)))}
    while (over := sum(quota.values()) - total) != 0:
        step = 1 if over < 0 else -1
        free = [n for n in sizes if (quota[n] < sizes[n] if step > 0 else quota[n] > least)]
        owed = {n: step * (total * sizes[n] - quota[n] * whole) for n in free}
        quota[min(free, key=lambda n: (-owed[n], order[n]))] += step
    return quota


def _refuse_size(study: Study, sample: Sample, there: int) -> None:
    if sample.inputs is not None and sample.inputs > there:
        _refuse(
            f"{sample.inputs} inputs are requested, but {study.spec.items.file} has {there}.",
            "Lower items.sample.inputs or add items.",
        )


def _refuse(what: str, remedy: str) -> NoReturn:
    raise DesignError(Problem(what, remedy, file="study.yaml", field="items.sample"))


def _notes(selection: Selection) -> tuple[str, ...]:
    if not selection.impossible:
        return ()
    inputs = count(selection.impossible, "input")
    if selection.method == "weighted":
        have, them = (verb(selection.impossible, *words) for words in _FORMS)
        return (f"{inputs} {have} weight 0 and cannot be selected; results do not cover {them}.",)
    used = {each.stratum for each in selection.selected}
    absent = [name or "(none)" for name in selection.strata if name not in used]
    are, them = verb(len(absent), "is", "are"), verb(len(absent), "it", "them")
    left_out = f"{join_quoted(absent)} (with {inputs}) {are} not represented"
    return (f"There are more strata than inputs, so {left_out}; results do not cover {them}.",)
