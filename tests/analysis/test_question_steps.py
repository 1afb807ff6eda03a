"""Steps of questions run anywhere and give the same numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dask_clusters import start_cluster
from parallel_work import PicklingExecutor
from rejudge import Judgments, analyse
from rejudge.analysis.analysis_plan import Further, FurtherTest
from rejudge.analysis.outline import Grouping
from rejudge.analysis.results import Results
from rejudge.analysis.votes import analyse_votes
from rejudge.judgments import votes
from rejudge.judgments.table import Judgment
from rejudge.judgments.votes import vote_columns
from rejudge.parallel import executor_for

_KAPPA = Further(agreement=("cohen-kappa",))


def _table() -> Judgments:
    rng = np.random.default_rng(4)
    return Judgments.from_rows(
        Judgment(f"p{p}", f"i{i}", q, float(rng.integers(1, 6)), system=system)
        for q in ("fluency", "意味")
        for p in range(5)
        for i in range(5)
        for system in ("ash", "beech")
    )


def _votes(folder: Path) -> Path:
    path = folder / "votes.parquet"
    rng = np.random.default_rng(5)
    first = rng.integers(0, 3, 300)
    table = {
        "item": [f"i{place}" for place in range(300)],
        "participant": [f"p{each}" for each in rng.integers(0, 40, 300)],
        "system_a": [f"s{each}" for each in first],
        "system_b": [f"s{(each + 1) % 3}" for each in first],
        "value": rng.choice(["a", "b", "tie"], 300).tolist(),
    }
    parquet.write_table(pa.table(table), path, row_group_size=50)
    return path


def test_steps_on_other_processes_change_no_number_and_show_progress():
    table = _table()
    seen: list[tuple[str, float]] = []
    alone = analyse(table, further=_KAPPA)
    shared = analyse(
        table,
        further=_KAPPA,
        executor=PicklingExecutor(),
        watch=lambda step, share: seen.append((step, share)),
    )
    assert shared == alone
    kappas = [each for each in alone.findings if each.by == "cohen-kappa"]
    assert len(kappas) == 2
    assert all(each.interval_for_new_people for each in kappas)  # resampled, in parts
    shares = [share for _, share in seen]
    assert shares == sorted(shares)
    assert shares[-1] > 0.85


def test_tests_cases_groups_and_pooled_agreement_are_the_same_on_other_processes():
    table = _table()
    further = Further(
        tests=(FurtherTest("friedman"),),
        cases=("mean",),
        agreement=("fleiss-kappa",),
        pooled_agreement=True,
    )
    items = {f"i{n}": "odd" if n % 2 else "even" for n in range(3)}
    domain = Grouping("domain", "items", items)
    alone = analyse(table, further=further, groupings=(domain,))
    shared = analyse(table, further=further, groupings=(domain,), executor=PicklingExecutor())
    assert shared == alone


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # dask's own
def test_a_cluster_that_loses_a_worker_gives_the_numbers_of_one_process(tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="needs distributed: pip install 'rejudge[cluster]'")
    from distributed import Client

    monkeypatch.setattr(votes, "_AT_ONCE", 50)
    known, table = vote_columns(_votes(tmp_path)), _table()
    with start_cluster(tmp_path, workers=2) as made:
        with Client(made.address, set_as_default=False) as client:
            client.wait_for_workers(2)

        def kill_one(_step: str, share: float) -> None:
            if share > 0.2:
                made.workers[0].kill()

        with executor_for(cluster=made.address) as executor:
            counted: Results = analyse_votes(known, executor=executor, watch=kill_one)
            analysed = analyse(table, further=_KAPPA, executor=executor)
        assert made.workers[0].wait() != 0
        assert made.workers[1].poll() is None
    assert counted == analyse_votes(known)
    assert analysed == analyse(table, further=_KAPPA)
