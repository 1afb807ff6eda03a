"""What the owner of a study can read of it, as the load generator compares it with what was told.

    python -m load.export FOLDER DATABASE < platform ids, one a line

One line of JSON: id, batch, answers by position, whether the batch was handed in, its state.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rejudge.collect.assignment import FINISHED
from rejudge.files.step_files import open_plan
from rejudge.store.store import open_existing


def main() -> None:
    """Write everything that is stored of the people named on the standard input."""
    folder, database = sys.argv[1:]
    study, plan = open_plan(Path(folder))
    store = open_existing(database, study, plan)
    given: dict[tuple[str, str], dict[int, str]] = {}
    for answer in store.all_answers():
        own = given.setdefault((answer.participant, answer.batch), {})
        own[answer.position] = answer.raw.upper()
    states = store.states()
    rows = []
    for person in sys.stdin.read().split():
        name = store.pseudonym_of(person)
        for (participant, batch), status in states.items():
            if participant == name:
                own = given.get((participant, batch), {})
                answers = [own.get(place) for place in range(1, len(plan.batch[batch].tasks) + 1)]
                rows.append([person, batch, answers, status in FINISHED, status])
    store.close()
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
