from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import parallel_work
from dask_clusters import DaskCluster, start_cluster
from rejudge import parallel
from rejudge.errors import DataError, ExecutionError, Problem, UsageError
from rejudge.parallel import executor_for

_PARTS = [(seed,) for seed in range(6)]
_SCRIPT = """
import sys
import parallel_work
from rejudge.parallel import executor_for, run
{guard}
    try:
        with executor_for(processes=2) as executor:
            print("started", flush=True)
            list(run(parallel_work.mark_and_sleep, [({folder!r}, n) for n in range(4)], executor))
    except KeyboardInterrupt:
        sys.exit(130)
"""


def test_parts_run_one_after_the_other_where_there_is_no_executor():
    results = parallel.run(parallel_work.fail_in_third, _PARTS)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(DataError):
        next(results)
    assert list(parallel.run(parallel_work.threads, _PARTS[:1])) == [{1}]


def test_an_executor_is_chosen_by_its_options():
    with executor_for() as none, executor_for(processes=1) as one:
        assert none is one is None
    with pytest.raises(UsageError, match="cannot be combined"):
        executor_for(2, "tcp://h:1")
    with pytest.raises(UsageError, match="not a number of processes"):
        executor_for(0)
    with pytest.raises(UsageError, match="empty"):
        executor_for(cluster=" ")


def test_no_work_starts_no_process():
    with executor_for(processes=8) as executor:
        assert list(parallel.run(parallel_work.draw, [], executor)) == []
        assert multiprocessing.active_children() == []


@pytest.mark.slow
def test_results_of_processes_come_in_the_order_of_the_parts_and_are_the_same():
    parts = [(seed, 0.3 if seed == 0 else 0.0) for seed in range(6)]
    with executor_for(processes=2) as executor:
        found = list(parallel.run(parallel_work.draw, parts, executor))
        assert list(parallel.run(parallel_work.threads, _PARTS[:1], executor)) == [{1}]
    assert found == list(parallel.run(parallel_work.draw, _PARTS))
    assert multiprocessing.active_children() == []


@pytest.mark.slow
def test_an_error_in_a_part_is_raised_and_ends_all_processes():
    with pytest.raises(DataError) as caught, executor_for(processes=2) as executor:
        list(parallel.run(parallel_work.fail_in_third, _PARTS, executor))
    problem = Problem("there is nothing to compare.", "Add a system.", field="systems")
    assert caught.value.problems == (problem,)
    assert multiprocessing.active_children() == []


@pytest.mark.slow
def test_a_killed_worker_is_reported():
    with (
        pytest.raises(ExecutionError, match="a worker process ended"),
        executor_for(processes=2) as executor,
    ):
        list(parallel.run(parallel_work.kill_second, _PARTS, executor))
    assert multiprocessing.active_children() == []


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs signals of POSIX systems")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_no_process_is_left_behind(tmp_path, sent, code):
    script = tmp_path / "work.py"
    marks = tmp_path / "marks"
    marks.mkdir()
    script.write_text(_SCRIPT.format(guard='if __name__ == "__main__":', folder=str(marks)))
    with subprocess.Popen(
        [sys.executable, str(script)], env=_environment(), stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "started\n"
        children = _marked(marks, at_least=2)
        run.send_signal(sent)
        assert run.wait() == code
    _wait_until_gone(children)


@pytest.mark.slow
def test_a_script_without_a_guard_is_told_what_to_do(tmp_path):
    script = tmp_path / "work.py"
    script.write_text(_SCRIPT.format(guard="if True:", folder=str(tmp_path)))
    run = subprocess.run(
        [sys.executable, str(script)],
        env=_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode != 0
    assert "if __name__ == '__main__':" in run.stderr


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # dask's own
def test_a_killed_worker_of_a_cluster_changes_no_number(tmp_path):
    _need_distributed()
    parts = [(seed, 0.2) for seed in range(12)]
    found = []
    with start_cluster(tmp_path, workers=2) as made:
        _wait_for_workers(made)
        with executor_for(cluster=made.address) as executor:
            for result in parallel.run(parallel_work.draw, parts, executor):
                found.append(result)
                if len(found) == 3:
                    made.workers[0].kill()
            assert list(parallel.run(parallel_work.threads, _PARTS[:1], executor)) == [{1}]
            assert list(parallel.run(parallel_work.draw, [], executor)) == []
            with pytest.raises(DataError, match="nothing to compare"):
                list(parallel.run(parallel_work.fail_in_third, _PARTS, executor))
        assert made.workers[0].wait() != 0
        assert made.workers[1].poll() is None
    assert found == list(parallel.run(parallel_work.draw, [(seed,) for seed in range(12)]))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_cluster_without_workers_is_reported(tmp_path):
    _need_distributed()
    with (
        start_cluster(tmp_path, workers=0) as made,
        pytest.raises(ExecutionError, match="has no workers"),
        executor_for(cluster=made.address),
    ):
        pass


@pytest.mark.parametrize("name", ["python", "rejudge", "numpy", "scipy"])
def test_workers_with_another_version_are_refused(name):
    ours = {"python": "3.12", "rejudge": "1", "numpy": "2", "scipy": "1"}
    found = {
        "client": {"packages": ours},
        "workers": {"w": {"packages": {**ours, name: "0"}}},
    }
    client = SimpleNamespace(get_versions=lambda packages: found)  # noqa: ARG005 - as dask has it
    with pytest.raises(ExecutionError, match=f"worker w has {name} 0, this machine {name}"):
        parallel._require_same_versions(client, "tcp://h:1")


def test_a_missing_extra_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(ExecutionError, match=r"rejudge\[cluster\]"),
        executor_for(cluster="tcp://127.0.0.1:8786"),
    ):
        pass


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_an_address_without_a_scheduler_is_explained_within_seconds(monkeypatch):
    _need_distributed()
    monkeypatch.setattr(parallel, "_CONNECT_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as other:  # another service, with another protocol
        threading.Thread(target=_greet, args=(other,), daemon=True).start()
        _expect_no_scheduler(f"tcp://127.0.0.1:{other.getsockname()[1]}")
    for nowhere in ("tcp://127.0.0.1:1", "nonsense", "foo://bar:1"):
        _expect_no_scheduler(nowhere)


def _expect_no_scheduler(address: str) -> None:
    with (
        pytest.raises(ExecutionError, match="no dask scheduler answers"),
        executor_for(cluster=address),
    ):
        pass


def _greet(server: socket.socket) -> None:
    connection, _ = server.accept()
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    time.sleep(2)
    connection.close()


def _need_distributed() -> None:
    pytest.importorskip("distributed", reason="needs distributed: pip install 'rejudge[cluster]'")


def _wait_for_workers(made: DaskCluster) -> None:
    from distributed import Client

    with Client(made.address, set_as_default=False) as client:
        client.wait_for_workers(len(made.workers))


def _environment() -> dict[str, str]:
    paths = [str(Path(parallel_work.__file__).parent), *filter(None, sys.path)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def _marked(folder: Path, *, at_least: int) -> list[int]:
    while len(marks := list(folder.iterdir())) < at_least:
        time.sleep(0.1)
    return [int(path.name) for path in marks]


def _wait_until_gone(pids: list[int]) -> None:
    while any(map(_is_running, pids)):
        time.sleep(0.1)


def _is_running(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():  # nobody may have collected an ended process yet: Z
        return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
