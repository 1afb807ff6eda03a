"""Labels for models of reliability: published ones, and simulated ones written out."""

from __future__ import annotations

import numpy as np

# Dawid & Skene (1979), table 1: patients in rows; observer 1 thrice, then observers 2 to 5. As
# transcribed in https://github.com/dallascard/dawid_skene (dawid_skene.py, generate_sample_data).
_PATIENTS = """
111 1 1 1 1;333 4 3 3 4;112 2 1 2 2;222 3 1 2 1;222 3 2 2 2;222 3 3 2 2;122 2 1 1 1;333 3 4 3 3;
222 2 2 2 3;232 2 2 2 3;444 4 4 4 4;222 3 3 4 3;111 1 1 1 1;222 3 2 1 2;121 1 1 1 1;111 2 1 1 1;
111 1 1 1 1;111 1 1 1 1;222 2 2 2 1;222 1 3 2 2;222 2 2 2 2;222 2 2 2 1;222 3 2 2 2;221 2 2 2 2;
111 1 1 1 1;111 1 1 1 1;232 2 2 2 2;111 1 1 1 1;111 1 1 1 1;112 1 1 2 1;111 1 1 1 1;333 3 2 3 3;
111 1 1 1 1;222 2 2 2 2;222 3 2 3 2;433 4 3 4 3;221 2 2 3 2;232 3 2 3 3;333 3 4 3 2;111 1 1 1 1;
111 1 1 1 1;121 2 1 1 1;232 2 2 2 2;121 1 1 1 1;222 2 2 2 2"""

# Forty units, each judged by four of six participants: unit (two digits), participant, label.
# Participants and labels come in the order of their codes, as crowd-kit's MACE needs.
_ROWS = """
0000 0010 0021 0030 0112 0142 0150 0132 0200 0211 0252 0221 0300 0310 0340 0330 0412 0440 0452
0432 0510 0540 0550 0530 0600 0650 0622 0630 0701 0711 0740 0752 0801 0812 0822 0831 0901 0911
0950 0931 1011 1050 1022 1030 1100 1110 1120 1130 1241 1250 1221 1230 1311 1352 1321 1331 1442
1450 1420 1431 1500 1540 1550 1530 1611 1641 1651 1632 1700 1740 1750 1730 1801 1811 1850 1820
1942 1952 1922 1932 2000 2010 2040 2030 2101 2111 2142 2151 2202 2212 2242 2250 2301 2311 2351
2331 2410 2440 2452 2420 2542 2551 2520 2531 2600 2610 2652 2622 2702 2712 2751 2732 2802 2812
2852 2832 2902 2951 2920 2931 3012 3040 3022 3030 3112 3151 3121 3132 3202 3252 3222 3232 3300
3340 3352 3320 3400 3410 3440 3421 3500 3540 3550 3531 3600 3610 3651 3630 3702 3740 3721 3732
3802 3812 3821 3831 3910 3940 3950 3920
"""


def _columns(rows: list[tuple[int, int, int]]) -> tuple[np.ndarray, ...]:
    return tuple(np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))


ANAESTHETISTS = _columns(
    [
        (patient, observer, int(said))
        for patient, line in enumerate(_PATIENTS.replace("\n", "").split(";"))
        for observer, given in enumerate(line.split())
        for said in given
    ]
)
SIMULATED = _columns([(int(row[:2]), int(row[2]), int(row[3])) for row in _ROWS.split()])


def drawn(*, units, competence, labels=3, seed=1):
    """Everybody judges every unit, and knows the right label with their competence."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, labels, units)
    people = len(competence)
    unit, participant = np.repeat(np.arange(units), people), np.tile(np.arange(people), units)
    knows = rng.random(len(unit)) < np.array(competence)[participant]
    label = np.where(knows, truth[unit], rng.integers(0, labels, len(unit)))
    return unit, participant, label, truth
