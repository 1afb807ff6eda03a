"""Compute the presets of `rejudge simulate` from published judgments.

    python tools/make_presets.py            # write src/rejudge/simulate/presets.yaml
    python tools/make_presets.py --check    # only say whether it is up to date

The judgments are not part of this project: they are read from the folder `shared` next to it, or
from $REJUDGE_SHARED. Only the numbers computed from them and their source are stored.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rejudge.judgments.table import Judgment, Judgments
from rejudge.simulate.parameters import NUMBERS, Parameters
from rejudge.simulate.pilot import PilotQuestion, systems_of
from rejudge.spreadsheet import csv_rows
from rejudge.study.kinds.pairwise import Pairwise
from rejudge.study.kinds.question import Question
from rejudge.study.kinds.rating import Rating

HOME = Path(__file__).resolve().parents[1]
WRITTEN = HOME / "src/rejudge/simulate/presets.yaml"
_HEAD = """\
# Parameters of published studies, computed by tools/make_presets.py. Do not edit.
"""


@dataclass(frozen=True, slots=True)
class Published:
    """A published study: how its rows are read, and where they come from."""

    name: str
    folder: str
    source: str
    question: Question
    words: str
    systems: Mapping[str, str]  # its names of systems, and ours

    def preset(self, shared: Path) -> dict[str, Any]:
        """The entry of the file."""
        text = (shared / "data" / self.folder / "judgments.csv").read_text(encoding="utf-8")
        head, *lines = csv_rows(text)
        rows = [dict(zip(head, line, strict=True)) for line in lines]
        kept, careless = (
            self._choices(rows) if self.question.is_comparison else (self._ratings(rows), {})
        )
        systems = systems_of(kept, list(self.systems.values()))
        found = PilotQuestion(self.name, kept, systems, self.question, self.question).components()
        if isinstance(found, str):
            raise SystemExit(f"{self.name}: {found}")
        bias = {} if found.position_bias is None else {"position_bias": found.position_bias}
        known = {**found.spreads, **bias, **careless}
        assumed = [name for name in NUMBERS if name not in known]
        values = {
            "quality": {systems[code]: round(x, 3) for code, x in sorted(found.quality.items())},
            **{name: round(known.get(name, getattr(Parameters(), name)), 3) for name in NUMBERS},
        }
        listed = ", ".join(f"{name} {values[name]:g}" for name in assumed)
        return {
            "source": self.source,
            "question": self.words,
            "judgments": len(kept),
            "participants": len(kept.participant.used()),
            "items": len(kept.item.used()),
            "parameters": values,
            "assumptions": [*found.shared, f"The study does not show, so assumed: {listed}."],
        }

    def _ratings(self, rows: Sequence[Mapping[str, str]]) -> Judgments:
        """First attempts only; an item is a term in one kind of text, with a definition of each
        system."""
        return Judgments.from_rows(
            Judgment(
                participant=row["rater"],
                item=f"{row['term_id']} {row['domain']}",
                question=self.question.id,
                system=self.systems[row["system"]],
                value=float(row["score"]),
            )
            for row in rows
            if row["attempt"] == "1"
        )

    def _choices(self, rows: Sequence[Mapping[str, str]]) -> tuple[Judgments, dict[str, float]]:
        """Without those who preferred a distractor, as the authors did."""
        chosen = {"A": "system_a", "B": "system_b"}
        fooled = {row["rater"] for row in rows if row[chosen[row["choice"]]] == "distractor"}
        kept = Judgments.from_rows(
            Judgment(
                participant=row["rater"],
                item=row["item"],
                question=self.question.id,
                system_a=self.systems[row["system_a"]],
                system_b=self.systems[row["system_b"]],
                side="a",
                value="a" if row["choice"] == "A" else "b",
            )
            for row in rows
            if row["control"] == "False" and row["rater"] not in fooled
        )
        return kept, {"careless": len(fooled) / len({row["rater"] for row in rows})}


PUBLISHED = (
    Published(
        name="miltenburg-2024",
        folder="august2022_miltenburg2024",
        source="van Miltenburg et al. 2024, a reproduction of August et al. 2022; "
        "https://github.com/evanmiltenburg/ReproHum-definition-complexity (MIT)",
        question=Rating(
            kind="rating", id="fluency", prompt="Fluency", beside=(), points=4, labels={}
        ),
        words="fluency of definitions of terms, rated from 1 to 4",
        systems={"SVM-RERANK": "svm", "GEDI": "gedi", "DEXPERT": "dexpert"},
    ),
    Published(
        name="arvan-2025",
        folder="hosking2021_arvan2025",
        source="Arvan and Parde 2025, a reproduction of Hosking and Lapata 2021; "
        "https://github.com/mo-arvan/reprohum-0744-02 (CC BY 4.0)",
        question=Pairwise(kind="pairwise", id="meaning", prompt="Meaning", beside=(), tie=False),
        words="which of two paraphrases keeps the meaning, without a tie",
        systems={"vae": "vae", "sep_ae": "separator", "lbow": "lbow", "dips": "dips"},
    ),
)


def presets_text(shared: Path) -> str:
    """The file, from the published judgments."""
    import yaml

    listed = {each.name: each.preset(shared) for each in PUBLISHED}
    return _HEAD + yaml.safe_dump(listed, sort_keys=False, allow_unicode=True, width=100)


def shared_folder() -> Path:
    """Where the published judgments are."""
    return Path(os.environ.get("REJUDGE_SHARED", HOME.parent / "shared"))


def run(arguments: Sequence[str]) -> int:
    """Write the file, or check it."""
    made = presets_text(shared_folder())
    if "--check" in arguments:
        is_same = WRITTEN.read_text(encoding="utf-8") == made
        print("up to date" if is_same else f"{WRITTEN} is out of date")
        return 0 if is_same else 1
    WRITTEN.write_text(made, encoding="utf-8")
    print(f"Written: {WRITTEN}")
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
