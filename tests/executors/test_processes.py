from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import chunk_work
from chunk_work import make_chunks
from rejudge.errors import DataError, ExecutionError, Problem
from rejudge.executors.chunks import SerialExecutor
from rejudge.executors.processes import ProcessExecutor
from rejudge.executors.selection import executor_for

_SCRIPT = """
import sys
import chunk_work
from rejudge.executors.processes import ProcessExecutor
{guard}
    try:
        print("started", flush=True)
        ProcessExecutor(2).run(chunk_work.mark_and_sleep, chunk_work.make_chunks(2, {folder!r}))
    except KeyboardInterrupt:
        sys.exit(130)
"""


@pytest.mark.slow
def test_results_do_not_depend_on_processes_or_on_killed_workers(tmp_path):
    chunks = make_chunks(6, str(tmp_path))
    shares: list[float] = []
    with ProcessExecutor(2) as executor:
        found = executor.run(chunk_work.kill_once, chunks, progress=shares.append)
        drawn = executor.run(chunk_work.draw, make_chunks(4))
    assert shares == [place / 6 for place in range(1, 7)]
    assert found == SerialExecutor().run(chunk_work.kill_once, chunks)
    for ours, theirs in zip(
        drawn, SerialExecutor().run(chunk_work.draw, make_chunks(4)), strict=True
    ):
        np.testing.assert_array_equal(ours.draws, theirs.draws)
    assert multiprocessing.active_children() == []


@pytest.mark.slow
def test_chunks_that_cannot_be_finished_are_reported_by_their_key():
    with ProcessExecutor(2) as executor:
        with pytest.raises(ExecutionError, match="chunk 'part 1' ended its worker process 3 times"):
            executor.run(chunk_work.kill_always, make_chunks(3))
        with pytest.raises(DataError) as caught:
            executor.run(chunk_work.fail_in_third, make_chunks(4))
        assert caught.value.problems == (
            Problem("there is nothing to compare.", "Add a system.", field="systems"),
        )
        assert "in chunk 'part 2'" in caught.value.__notes__
        with pytest.raises(RuntimeError, match="two words"):
            executor.run(chunk_work.fail_unsendably, make_chunks(1))
        with pytest.raises((AttributeError, TypeError), match="lambda"):
            executor.run(chunk_work.return_unsendable, make_chunks(1))
    assert multiprocessing.active_children() == []


def test_no_work_starts_no_process():
    with ProcessExecutor(8) as executor:
        assert executor.run(chunk_work.draw, []) == []
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


def test_an_executor_is_chosen_by_its_options():
    assert executor_for() == executor_for(processes=1) == SerialExecutor()
    assert executor_for(processes=3) == ProcessExecutor(3)


def _environment() -> dict[str, str]:
    paths = [str(Path(chunk_work.__file__).parent), *filter(None, sys.path)]
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
