from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
import threadpoolctl

import chunk_work
import rejudge
from chunk_work import make_chunks
from rejudge.errors import DataError, UsageError
from rejudge.executors.chunks import SerialExecutor, environment, use_one_thread
from rejudge.executors.selection import available_cores, executor_for


def test_results_come_in_the_order_of_the_chunks_with_progress():
    shares: list[float] = []
    results = SerialExecutor().run(chunk_work.draw, make_chunks(4), progress=shares.append)
    assert [result.label for result in results] == ["part 0", "part 1", "part 2", "part 3"]
    assert shares == [0.25, 0.5, 0.75, 1.0]


def test_results_are_yielded_in_order_though_the_last_chunk_is_finished_first():
    shares: list[float] = []
    found = chunk_work.RemoteExecutor().run_in_order(
        chunk_work.draw, make_chunks(3), progress=shares.append
    )
    assert [result.label for result in found] == ["part 0", "part 1", "part 2"]
    assert shares == [1 / 3, 2 / 3, 1.0]


def test_a_seed_decides_the_numbers_of_a_chunk():
    first, second = make_chunks(2)
    np.testing.assert_array_equal(first.rng().normal(size=3), first.rng().normal(size=3))
    assert first.rng().normal() != second.rng().normal()
    expected = np.random.default_rng(np.random.SeedSequence((7, 0))).normal()
    assert first.rng().normal() == expected


def test_an_error_names_its_chunk():
    with pytest.raises(DataError, match="nothing to compare") as caught:
        SerialExecutor().run(chunk_work.fail_in_third, make_chunks(4))
    assert caught.value.__notes__ == ["in chunk 'part 2'"]


@pytest.mark.parametrize(
    ("processes", "cluster", "message"),
    [(0, None, "not a number of processes"), (2, "tcp://127.0.0.1:1", "cannot be combined")],
)
def test_options_that_do_not_fit_are_refused(processes, cluster, message):
    with pytest.raises(UsageError, match=message):
        executor_for(processes, cluster)


def test_this_process_has_a_core():
    assert available_cores() >= 1


def test_the_environment_names_everything_that_computes():
    """Two machines with the same environment compute the same numbers from the same chunk."""
    found = environment()
    assert list(found) == ["rejudge", "code", "python", "numpy", "scipy"]
    assert (found["rejudge"], found["numpy"]) == (rejudge.__version__, np.__version__)
    assert re.fullmatch(r"[0-9a-f]{16}", found["code"])


def test_linear_algebra_uses_one_thread_and_afterwards_as_many_as_before():
    np.ones((2, 2)) @ np.ones((2, 2))  # which loads the library
    before = _threads()
    with use_one_thread():
        assert set(_threads()) == {1}
    assert _threads() == before


def test_libraries_that_are_not_loaded_yet_use_one_thread_too():
    """A new worker process has loaded none of them."""
    code = (
        "from rejudge.executors.chunks import use_one_thread\n"
        "with use_one_thread():\n"
        "    import numpy, scipy.linalg, threadpoolctl\n"
        "    print({each['num_threads'] for each in threadpoolctl.threadpool_info()})\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "{1}\n"


def _threads() -> list[int]:
    return [each["num_threads"] for each in threadpoolctl.threadpool_info()]
