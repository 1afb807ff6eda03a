from __future__ import annotations

import shutil
import socket
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import chunk_work
import rejudge
from chunk_work import make_chunks
from dask_clusters import DaskCluster, start_cluster
from rejudge.errors import DataError, ExecutionError, UsageError
from rejudge.executors import cluster
from rejudge.executors.chunks import SerialExecutor, environment
from rejudge.executors.cluster import ClusterExecutor
from rejudge.executors.selection import executor_for

_LARGE = np.ones(1 << 18)  # two megabytes, sent once


def _need_distributed() -> None:
    pytest.importorskip("distributed", reason="needs distributed: pip install 'rejudge[cluster]'")


def _wait_for_workers(made: DaskCluster) -> None:
    from distributed import Client

    with Client(made.address, set_as_default=False) as client:
        client.wait_for_workers(len(made.workers))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # dask's own
def test_a_killed_worker_of_a_cluster_changes_no_number(tmp_path):
    _need_distributed()
    chunks = make_chunks(12, 0.2, _LARGE)
    shares: list[float] = []
    with start_cluster(tmp_path, workers=2) as made:
        _wait_for_workers(made)

        def kill_one(share: float) -> None:
            shares.append(share)
            if len(shares) == 3:
                made.workers[0].kill()

        with executor_for(cluster=made.address, keep=tmp_path / "kept") as executor:
            found = executor.run(chunk_work.sleep_and_draw, chunks, progress=kill_one)
            with pytest.raises(DataError, match="nothing to compare"):
                executor.run(chunk_work.fail_in_third, make_chunks(4))
        assert made.workers[0].wait() != 0
        assert made.workers[1].poll() is None
    assert shares == [place / 12 for place in range(1, 13)]
    assert found == SerialExecutor().run(chunk_work.sleep_and_draw, make_chunks(12, 0, _LARGE))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_cluster_that_lost_all_workers_is_reported_instead_of_waited_for(tmp_path, monkeypatch):
    _need_distributed()
    monkeypatch.setattr(cluster, "_GLANCE_SECONDS", 0.5)
    with start_cluster(tmp_path, workers=1) as made:
        _wait_for_workers(made)
        executor = ClusterExecutor(made.address, patience=1)
        with pytest.raises(ExecutionError, match="has no workers"), executor:
            executor.run(
                chunk_work.sleep_and_draw,
                make_chunks(8, 0.5),
                progress=lambda _share: made.workers[0].kill(),
            )


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_workers_with_another_version_are_refused(tmp_path):
    _need_distributed()
    shutil.copytree(Path(rejudge.__file__).parent, tmp_path / "other" / "rejudge")
    version = tmp_path / "other" / "rejudge" / "version.py"
    version.write_text('__version__ = "0.0.9"\n')
    with start_cluster(tmp_path, workers=1, source=tmp_path / "other") as made:
        _wait_for_workers(made)
        with pytest.raises(ExecutionError, match=r"has rejudge 0\.0\.9, this machine rejudge"):
            executor_for(cluster=made.address).open()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rejudge", "worker w has rejudge other, this machine rejudge"),
        ("code", "worker w has different code of rejudge"),
        ("scipy", "worker w has scipy other, this machine scipy"),
    ],
)
def test_every_difference_of_a_worker_has_a_message(name, message):
    with pytest.raises(ExecutionError, match=message):
        cluster._require_same({**environment(), name: "other"}, "w")
    cluster._require_same(environment(), "w")


def test_a_missing_extra_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ExecutionError, match=r"rejudge\[cluster\]"):
        executor_for(cluster="tcp://127.0.0.1:8786").open()


def test_an_empty_address_is_refused():
    with pytest.raises(UsageError, match="empty"):
        executor_for(cluster=" ")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_an_address_without_a_scheduler_is_explained_within_seconds(monkeypatch):
    _need_distributed()
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as other:  # another service, with another protocol
        threading.Thread(target=_greet, args=(other,), daemon=True).start()
        address = f"tcp://127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(ExecutionError, match="no dask scheduler answers"):
            executor_for(cluster=address).open()
    for nowhere in ("tcp://127.0.0.1:1", "nonsense", "foo://bar:1"):
        with pytest.raises(ExecutionError, match="no dask scheduler answers"):
            executor_for(cluster=nowhere).open()


def _greet(server: socket.socket) -> None:
    connection, _ = server.accept()
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    time.sleep(2)
    connection.close()
