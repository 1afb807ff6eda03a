"""Arvan & Parde (2025): pairs of paraphrases, 3,600 choices by 120 people. What gives each figure.

The printed scores of the study they repeated (Hosking & Lapata 2021): VAE 58, Separator −6,
LBoW −12, DiPS −39, on the best–worst scale from −100 to 100.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from figures import Entry

import rejudge as rj

ORIGINAL = {"vae": 58.0, "sep_ae": -6.0, "lbow": -12.0, "dips": -39.0}


@cache
def cleaned(folder):
    judgments = rj.read_judgments(folder / "judgments.csv")
    return rj.exclude_rows(judgments, rj.ExclusionRules(chose=("distractor",)))


@cache
def results(folder):
    return rj.analyse(cleaned(folder))


@cache
def found(folder):
    return {finding.id: finding for finding in results(folder).findings}


def tally(folder, system):
    return found(folder)[f"meaning.wins.{system}"].tally


def scale(folder, system):
    return found(folder)[f"meaning.best-worst.{system}"].value


def beside_the_original(folder):
    return np.array([scale(folder, system) for system in ORIGINAL]), np.array([*ORIGINAL.values()])


def comparisons(folder):
    kept = cleaned(folder).kept.of_kind("real")
    systems = sorted(ORIGINAL)
    return rj.stats.Comparisons(
        kept.system_a.recode(systems),
        kept.system_b.recode(systems),
        kept.value,
        kept.item.codes,
        kept.participant.codes,
        len(systems),
    )


@cache
def by_input(folder):
    """Wins minus losses of each system on each of the 200 inputs."""
    return rj.stats.scores_by_block(comparisons(folder))


@cache
def anova(folder):
    sums = by_input(folder)
    systems = np.tile(np.arange(sums.shape[1]), len(sums))
    return rj.stats.one_way_anova(sums.ravel(), systems)


@cache
def tukey(folder):
    systems = sorted(ORIGINAL)
    return {
        (systems[pair.first], systems[pair.second]): pair
        for pair in rj.stats.tukey_hsd(list(by_input(folder).T))
    }


def tukey_part(folder, first, second, part):
    """Published as second minus first."""
    pair = tukey(folder)[first, second]
    return {
        "diff": -pair.value,
        "p": pair.p,
        "lo": -pair.interval.high,
        "hi": -pair.interval.low,
    }[part]


def sorted_pair(judgments):
    a, b = judgments.system_a.codes, judgments.system_b.codes
    return np.minimum(a, b), np.maximum(a, b)


def counts(folder):
    kept = cleaned(folder).kept.of_kind("real")
    unit = np.unique(
        np.stack([kept.item.codes, *sorted_pair(kept)], axis=1), axis=0, return_inverse=True
    )[1].reshape(-1)
    return rj.stats.count_table(unit, kept.value)


def fleiss(folder):
    return rj.stats.fleiss_kappa(counts(folder), rng=np.random.default_rng(1)).value


def datasets(folder, name):
    kept = cleaned(folder).kept.of_kind("real")
    rows = kept.dataset.codes == kept.dataset.code(name)
    return len(np.unique(kept.item.codes[rows]))


def power(folder, f, n):
    effect = rj.stats.CohenF(float(f))
    return rj.stats.anova_power(effect, groups=4, per_group=int(n)).value


def cv_star(folder, system):
    return rj.stats.cv_star([scale(folder, system), ORIGINAL[system]], scale_minimum=-100).value


ENTRIES = (
    Entry(r"wins\.(?P<system>\w+)", lambda folder, system: tally(folder, system).wins),
    Entry(r"losses\.(?P<system>\w+)", lambda folder, system: tally(folder, system).losses),
    Entry(
        r"score\.(?P<system>\w+)",
        lambda folder, system: tally(folder, system).wins - tally(folder, system).losses,
    ),
    Entry(r"scale\.(?P<system>\w+)", scale),
    Entry(
        r"winpct\.(?P<system>\w+)",
        lambda folder, system: found(folder)[f"meaning.wins.{system}"].value,
    ),
    Entry(r"cvstar\.(?P<system>\w+)", cv_star),
    Entry(r"pearson", lambda folder: rj.stats.pearson(*beside_the_original(folder)).value),
    Entry(r"pearson\.p", lambda folder: rj.stats.pearson(*beside_the_original(folder)).p),
    Entry(r"spearman", lambda folder: rj.stats.spearman(*beside_the_original(folder)).value),
    Entry(r"corrcsv\.reproduced_value\.(?P<system>\w+)", scale),
    Entry(r"alpha", lambda folder: found(folder)["meaning.krippendorff-alpha"].value),
    Entry(r"fleiss", fleiss),
    Entry(r"anova\.F", lambda folder: anova(folder).statistic),
    Entry(r"anova\.p", lambda folder: anova(folder).p),
    Entry(r"tukey\.(?P<first>\w+)-(?P<second>\w+)\.(?P<part>diff|p|lo|hi)", tukey_part),
    Entry(r"datasets\.(?P<name>\w+)", datasets),
    Entry(r"power\.f(?P<f>[0-9.]+)\.n(?P<n>\d+)", power),
)
