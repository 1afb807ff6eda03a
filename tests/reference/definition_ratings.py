"""van Miltenburg et al. (2024): fluency of 300 definitions, ten people. What gives each figure.

Printed means of the study they repeated (August et al. 2022): SVM 3.71, GeDi 3.20, DExpert 2.33.
"""

from __future__ import annotations

import csv
from functools import cache

import numpy as np
from figures import Cautioned, Entry

import rejudge as rj

NAMES = {"SVM": "SVM-RERANK", "GeDi": "GEDI", "DExpert": "DEXPERT", "DEX": "DEXPERT"}
ORIGINAL = {"SVM": 3.71, "GeDi": 3.20, "DExpert": 2.33}
# As printed; 3.125 was rounded down and 2.275 up.
PRINTED = {
    "R1": {"SVM": 3.12, "GeDi": 2.57, "DExpert": 2.28},
    "R2": {"SVM": 3.62, "GeDi": 3.23, "DExpert": 2.27},
}
PEOPLE = {"R1": ("001", "002"), "R2": ("009", "010")}
SYSTEMS = ("DEXPERT", "GEDI", "SVM-RERANK")
LOWEST = 1  # of the scale from 1 to 4


def rng():
    return np.random.default_rng(1)


@cache
def judgments(folder):
    """First attempts count; the second ones are kept as repeats."""
    return rj.read_judgments(folder / "judgments.csv")


@cache
def rows(folder):
    """Columns that judgments do not have: category, both durations."""
    with (folder / "judgments.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@cache
def real(folder):
    return judgments(folder).of_kind("real")


def said(folder, people=None):
    """Unit, participant and value of those people's ratings."""
    table = real(folder)
    if people is not None:
        wanted = [table.participant.code(person) for person in people]
        table = table.take(np.isin(table.participant.codes, wanted))
    return table.item.codes, table.participant.codes, table.value


def scores(folder, system, people=None):
    table = real(folder)
    mask = table.system.codes == table.system.code(NAMES.get(system, system))
    if people is not None:
        wanted = [table.participant.code(person) for person in people]
        mask &= np.isin(table.participant.codes, wanted)
    return table.value[mask]


def mean_of(folder, system, people=None):
    return float(scores(folder, system, people).mean())


# means and spread of both reproductions, tables 1 and 3


def mean(folder, table, system):
    return mean_of(folder, system, PEOPLE[{"1": "R1", "3": "R2"}[table]])


def sd(folder, table, system):
    return float(scores(folder, system, PEOPLE[{"1": "R1", "3": "R2"}[table]]).std(ddof=1))


def cv_star(folder, system):
    exact = [mean_of(folder, system, PEOPLE["R1"]), ORIGINAL[system]]
    printed = [PRINTED["R1"][system], ORIGINAL[system]]
    published = rj.stats.cv_star(printed, scale_minimum=LOWEST, variant="unshifted").value
    return Cautioned(published, rj.stats.cv_star(exact, scale_minimum=LOWEST).value)


def printed_means(folder):
    return np.array([*ORIGINAL.values()]), np.array([*PRINTED["R1"].values()])


def spearman_p(folder):
    published = rj.stats.spearman(*printed_means(folder), p_value="t").p
    return Cautioned(published, rj.stats.spearman(*printed_means(folder)).p)


def delta(folder, which, system):
    values = {"O": ORIGINAL, "R1": PRINTED["R1"], "R2": PRINTED["R2"]}
    one, two = {"OR1": ("O", "R1"), "OR2": ("O", "R2"), "R1R2": ("R1", "R2")}[which]
    return abs(values[one][system] - values[two][system])


# two systems, sections 3.1 and 5.4, table 4


@cache
def t_of(folder, first, second, run):
    people = PEOPLE[run]
    return rj.stats.t_test(scores(folder, first, people), scores(folder, second, people))


@cache
def t_of_runs(folder, system):
    return rj.stats.t_test(
        scores(folder, system, PEOPLE["R1"]), scores(folder, system, PEOPLE["R2"])
    )


def part_of(folder, found, part):
    return {
        "t": found.statistic,
        "df": found.df,
        "d": found.test.effects[0].value,
        "p<0.001": found.p is not None and found.p < 0.001,
    }[part]


def section(folder, place, second, part):
    return part_of(folder, t_of(folder, "SVM", second, {"3.1": "R1", "5.4": "R2"}[place]), part)


def d_of_original(folder, second):
    """From the printed means and SDs of the original, which do not give the printed d."""
    spread = {"SVM": 0.64, "GEDI": 1.0, "DEX": 0.81}
    sizes = {"SVM": 3.71, "GEDI": 3.20, "DEX": 2.33}
    one, two = (rj.stats.Summary(sizes[name], spread[name], 200) for name in ("SVM", second))
    return rj.stats.cohen_d_from_summary(one, two).value


# equivalence, section 5.4


def sesoi(folder):
    return rj.stats.critical_effect((200, 200)).value


def tost(folder, effect):
    one, two = scores(folder, "SVM", PEOPLE["R1"]), scores(folder, "SVM", PEOPLE["R2"])
    found, reach = rj.stats.t_test(one, two), effect * float(np.std(one, ddof=1))
    bounds = rj.stats.Interval(-reach, reach, 1.0)
    return rj.stats.tost(found.value, found.standard_error, found.df, bounds)


# agreement, section 5.1 and figure 2


def alpha(folder, people):
    wanted = {"2": PEOPLE["R1"], "10": None}[people]
    unit, _, value = said(folder, wanted)
    table = rj.stats.count_table(unit, value)
    return rj.stats.krippendorff_alpha(table, "ordinal", rng=rng()).value


@cache
def correlations(folder):
    return rj.stats.compare_participants(*said(folder))


@cache
def rho(folder):
    found = correlations(folder)
    people = [int(real(folder).participant.labels[code]) for code in found.people]
    pairs = zip(found.first, found.second, found.value, strict=True)
    return {(people[a], people[b]): float(value) for a, b, value in pairs}


def means_with_others(folder):
    found = correlations(folder)
    people = [int(real(folder).participant.labels[code]) for code in found.people]
    return dict(zip(people, found.mean.tolist(), strict=True))


# the second pass of one person, footnote 10


@cache
def second_pass(folder, batch=None):
    table = judgments(folder)
    one = table.take(table.participant.codes == table.participant.code("002"))
    if batch is not None:
        one = one.take(one.batch.codes == one.batch.code(batch))
    attempt = (one.kind.codes == one.kind.code("repeat")).astype(int)
    found = rj.stats.find_passes(one.item.codes, one.participant.codes, attempt)
    return rj.stats.self_consistency(
        one.value[found.first], one.value[found.second], measured="ordinal", rng=rng()
    )


# minutes per list, table 2


@cache
def durations(folder, column, person):
    """Seconds of the last session of each list; whole days are missing where published."""
    last: dict[tuple[str, str], float] = {}
    attempts: dict[tuple[str, str], int] = {}
    for row in rows(folder):
        key = row["rater"], row["batch"]
        if person in (None, int(row["rater"])) and int(row["attempt"]) >= attempts.get(key, 0):
            attempts[key], last[key] = int(row["attempt"]), float(row[column])
    return np.array([*last.values()]) / 60


def minutes(folder, person, part):
    who = None if person == "Overall" else int(person)
    summary = {"min": np.min, "max": np.max, "mean": np.mean, "med": np.median, "total": np.sum,
               "std": lambda values: np.std(values, ddof=1)}[part]  # fmt: skip
    published = float(summary(durations(folder, "published_duration_seconds", who)))
    if who in (None, 1, 2):
        right = float(summary(durations(folder, "session_wall_seconds", who)))
        return Cautioned(published, right)
    return published


# all ratings together


@cache
def anova(folder):
    table = real(folder)
    return rj.stats.one_way_anova(table.value, table.system.codes)


def of_groups(folder, test):
    table = real(folder)
    return test(table.value, table.system.codes)


def rank_r(folder, first, second):
    """Published without its sign."""
    one, two = (scores(folder, SYSTEMS[int(place)]) for place in (first, second))
    return abs(rj.stats.mann_whitney_r(one, two).value)


@cache
def tukey(folder):
    found = rj.stats.tukey_hsd([scores(folder, system) for system in SYSTEMS])
    return {(pair.first, pair.second): pair for pair in found}


def tukey_part(folder, second, first, part):
    """Published as the later system minus the earlier one."""
    pair = tukey(folder)[int(first), int(second)]
    return {"diff": -pair.value, "lo": -pair.interval.high, "hi": -pair.interval.low}[part]


def t_all(folder, first, second):
    return rj.stats.t_test(scores(folder, first), scores(folder, second)).statistic


# mixed model, table 5


@cache
def columns(folder):
    """Values, the codes of each factor, and the codes of people."""
    first = [row for row in rows(folder) if row["attempt"] == "1"]
    codes = {
        name: np.unique([row[name] for row in first], return_inverse=True)[1]
        for name in ("rater", "system", "category", "domain")
    }
    value = np.array([float(row["score"]) for row in first])
    person = codes.pop("rater")
    return value, codes, person


@cache
def fit(folder, without=None, *, reml=True):
    value, fixed, person = columns(folder)
    kept = {name: each for name, each in fixed.items() if name != without}
    return rj.stats.linear_mixed(value, kept, {"participant": person}, reml=reml)


TERMS = {
    "(Intercept)": ("intercept", None),
    "systemGEDI": ("system", 1),
    "systemSVM-RERANK": ("system", 2),
    "categoryWIKI": ("category", 1),
    "domainNEWS": ("domain", 1),
}


def coefficient(folder, term, part):
    found = fit(folder).coefficient(*TERMS[term])
    return {
        "est": found.value,
        "se": found.standard_error,
        "t": found.value / found.standard_error,
    }[part.rstrip("5")]


def offset(folder, person):
    """What the model predicts for a person: the mean residual, drawn towards 0.

    n τ² / (n τ² + σ²) · (mean of value − fixed effects), for a single grouping.
    """
    value, fixed, codes = columns(folder)
    effects = np.full(len(value), fit(folder).coefficient("intercept").value)
    for term, which in TERMS.values():
        if which is not None:
            effects += fit(folder).coefficient(term, which).value * (fixed[term] == which)
    mine = codes == int(person) - 1
    between = int(mine.sum()) * fit(folder).variance("participant")
    share = between / (between + fit(folder).variance("residual"))
    return share * float((value - effects)[mine].mean())


def likelihood_ratio(folder, term):
    return fit(folder, term, reml=False).criterion - fit(folder, reml=False).criterion


def contrast_z(folder):
    pairs = rj.stats.level_contrasts(fit(folder), "system", pairs=[(2, 1)])
    return pairs[0].statistic


SYSTEM = r"(?P<system>\w+)"
ENTRIES = (
    Entry(rf"T(?P<table>[13])\.mean\.{SYSTEM}", mean),
    Entry(rf"T(?P<table>[13])\.sd\.{SYSTEM}", sd),
    Entry(rf"T1\.cvstar\.{SYSTEM}", cv_star),
    Entry(r"T1\.pearson", lambda folder: rj.stats.pearson(*printed_means(folder)).value),
    Entry(r"T1\.pearson\.p", lambda folder: rj.stats.pearson(*printed_means(folder)).p),
    Entry(r"T1\.spearman", lambda folder: rj.stats.spearman(*printed_means(folder)).value),
    Entry(r"T1\.spearman\.p", spearman_p),
    Entry(rf"T3\.delta\.(?P<which>\w+)\.{SYSTEM}", delta),
    Entry(r"S(?P<place>3\.1|5\.4)\.SVMv(?P<second>GEDI|DEX)\.(?P<part>.+)", section),
    Entry(
        r"S5\.4\.R1vR2\.(?P<system>SVM)\.(?P<part>.+)",
        lambda folder, system, part: part_of(folder, t_of_runs(folder, system), part),
    ),
    Entry(
        r"T4\.d\.SVMv(?P<second>GEDI|DEX)\.(?P<run>R1|R2)",
        lambda folder, second, run: t_of(folder, "SVM", second, run).test.effects[0].value,
    ),
    Entry(r"T4\.d\.SVMv(?P<second>GEDI|DEX)\.orig", d_of_original),
    Entry(r"S5\.4\.SESOI", sesoi),
    Entry(r"S5\.4\.TOST\.bound", lambda folder: tost(folder, round(sesoi(folder), 1)).below.null),
    Entry(r"S5\.4\.TOST\.p", lambda folder: tost(folder, round(sesoi(folder), 1)).p),
    Entry(
        r"nb\.TOST\.p\.es(?P<effect>[0-9.]+)", lambda folder, effect: tost(folder, float(effect)).p
    ),
    Entry(r"alpha3?\.(?P<people>\d+) raters", alpha),
    Entry(r"F2\.rho\.(?P<a>\d+)-(?P<b>\d+)", lambda folder, a, b: rho(folder)[int(a), int(b)]),
    Entry(r"S5\.1\.rho\.min", lambda folder: min(rho(folder).values())),
    Entry(r"S5\.1\.rho\.max", lambda folder: max(rho(folder).values())),
    Entry(r"S5\.1\.avgrho\.min", lambda folder: min(means_with_others(folder).values())),
    Entry(r"S5\.1\.avgrho\.max", lambda folder: max(means_with_others(folder).values())),
    Entry(
        r"S5\.1\.worst_rater_is_2",
        lambda folder: (
            min(means_with_others(folder), key=means_with_others(folder).__getitem__) == 2
        ),
    ),
    Entry(r"fn10\.intra\.rho", lambda folder: second_pass(folder).correlation.value),
    Entry(r"intra\.n", lambda folder: second_pass(folder).n),
    Entry(
        r"nb\.intra\.rho\.list(?P<batch>\d)",
        lambda folder, batch: second_pass(folder, batch).correlation.value,
    ),
    Entry(r"T2\.(?P<person>\w+)\.(?P<part>min|max|mean|med|std|total)", minutes),
    Entry(r"html\.all\.mean\.(?P<system>.+)", mean_of),
    Entry(
        r"html\.all\.sd\.(?P<system>.+)",
        lambda folder, system: float(scores(folder, system).std(ddof=1)),
    ),
    Entry(r"html\.anova\.F", lambda folder: anova(folder).statistic),
    Entry(r"html\.anova\.SSb", lambda folder: anova(folder).between),
    Entry(r"html\.anova\.SSw", lambda folder: anova(folder).within),
    Entry(r"html\.anova\.peta2", lambda folder: anova(folder).effects[0].value),
    Entry(r"html\.tukey\.(?P<second>\d)(?P<first>\d)\.(?P<part>diff|lo|hi)", tukey_part),
    Entry(r"html\.levene\.F", lambda folder: of_groups(folder, rj.stats.levene).statistic),
    Entry(r"html\.kw\.chi2", lambda folder: of_groups(folder, rj.stats.kruskal_wallis).statistic),
    Entry(
        r"html\.kw\.eta2H",
        lambda folder: of_groups(folder, rj.stats.kruskal_wallis).effects[0].value,
    ),
    Entry(r"html\.wilcox\.r\.(?P<first>\d)(?P<second>\d)", rank_r),
    Entry(
        r"html\.mw\.p\.GEDIvSVM",
        lambda folder: rj.stats.mann_whitney(scores(folder, "GEDI"), scores(folder, "SVM")).p,
    ),
    Entry(
        r"html\.t\.all\.(?P<first>GEDI|DEX)v(?P<second>GEDI|SVM)",
        t_all,
    ),
    Entry(
        r"html\.t\.R1\.(?P<first>DEX)v(?P<second>GEDI)",
        lambda folder, first, second: t_of(folder, first, second, "R1").statistic,
    ),
    Entry(
        r"html\.p\.R1\.(?P<first>DEX)v(?P<second>GEDI)",
        lambda folder, first, second: t_of(folder, first, second, "R1").p,
    ),
    Entry(r"(?:html\.)?T5\.(?P<term>[^.]+)\.(?P<part>est5?|se5?|t)", coefficient),
    Entry(r"S5\.5\.var\.rater", lambda folder: fit(folder).variance("participant")),
    Entry(r"S5\.5\.sd\.rater", lambda folder: fit(folder).components[0].standard_deviation),
    Entry(r"html\.var\.resid", lambda folder: fit(folder).variance("residual")),
    Entry(r"html\.REML", lambda folder: fit(folder).criterion),
    Entry(r"html\.ranef\.(?P<person>\d+)", offset),
    Entry(r"html\.LR\.(?P<term>domain|category)", likelihood_ratio),
    Entry(r"html\.glht\.SVMvGEDI\.z", contrast_z),
)
