from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import chunk_work
from chunk_work import ChunkSummary, make_chunks
from rejudge.executors.chunks import Chunk, SerialExecutor
from rejudge.executors.kept import SUFFIX, KeepingExecutor, from_bytes, identity_of, to_bytes
from rejudge.executors.selection import executor_for


def _calls(folder: Path) -> int:
    return len(list(folder.glob("call-*")))


def _interrupt(folder: Path, kept: Path) -> None:
    """Run five chunks, of which the fourth is interrupted."""
    (folder / "stop").touch()
    with pytest.raises(KeyboardInterrupt), executor_for(keep=kept) as executor:
        executor.run(chunk_work.count_calls, make_chunks(5, str(folder)))
    (folder / "stop").unlink()


def test_interrupted_work_goes_on_where_it_stopped_and_leaves_nothing_behind(tmp_path):
    kept = tmp_path / "chunks"
    _interrupt(tmp_path, kept)
    assert len(list(kept.iterdir())) == 3
    shares: list[float] = []
    with executor_for(keep=kept) as executor:
        results = executor.run(
            chunk_work.count_calls, make_chunks(5, str(tmp_path)), progress=shares.append
        )
    assert results == [0, 1, 2, 3, 4]
    assert shares == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert _calls(tmp_path) == 5
    assert not kept.exists()


def test_several_runs_of_one_command_are_all_kept_until_it_is_done(tmp_path):
    kept = tmp_path / "chunks"
    with executor_for(keep=kept) as executor:
        executor.run(chunk_work.draw, make_chunks(2))
        executor.run(chunk_work.draw, make_chunks(3, "other arguments"))
        assert len(list(kept.iterdir())) == 5
    assert not kept.exists()


@pytest.mark.parametrize("damage", ["truncated", "empty", "foreign", "pickled", "another's"])
def test_a_damaged_or_foreign_file_is_ignored(tmp_path, damage):
    kept = tmp_path / "chunks"
    _interrupt(tmp_path, kept)
    files = sorted(kept.iterdir())
    whole = files[0].read_bytes()
    stream = io.BytesIO()
    np.savez(stream, head=np.array([{"a": 1}], dtype=object))
    other = files[1].read_bytes()
    files[0].write_bytes(
        {
            "truncated": whole[: len(whole) // 2],
            "empty": b"",
            "foreign": b"PK\3\4 not ours",
            "pickled": stream.getvalue(),
            "another's": other,
        }[damage]
    )
    with executor_for(keep=kept) as executor:
        results = executor.run(chunk_work.count_calls, make_chunks(5, str(tmp_path)))
    assert results == [0, 1, 2, 3, 4]
    assert _calls(tmp_path) == 6


def test_files_of_others_stay_in_the_folder(tmp_path):
    kept = tmp_path / "chunks"
    kept.mkdir()
    (kept / "notes.txt").write_text("mine")
    with executor_for(keep=kept) as executor:
        executor.run(chunk_work.draw, make_chunks(2))
    assert [path.name for path in kept.iterdir()] == ["notes.txt"]


def test_a_kept_result_is_the_same_in_every_part(tmp_path):
    (chunk,) = make_chunks(1)
    once = chunk_work.draw(chunk)
    again = from_bytes(to_bytes(once, "x"), "x", package="chunk_work")
    assert isinstance(again, ChunkSummary)
    np.testing.assert_array_equal(again.draws, once.draws)
    assert type(again.mean) is type(once.mean)
    assert (again.label, again.mean, again.parts) == (once.label, once.mean, once.parts)
    assert np.isnan(again.missing)


def test_a_file_cannot_name_a_class_of_another_package():
    content = to_bytes(Chunk("a", (1,)), "x")
    with pytest.raises(ValueError, match="rejudge"):
        from_bytes(content, "x", package="chunk_work")


def test_a_file_cannot_run_code(tmp_path):
    mark = tmp_path / "ran"

    class _Harmful:
        def __reduce__(self) -> tuple[object, ...]:
            return (Path.touch, (mark,))

    harmful = np.empty(1, dtype=object)
    harmful[0] = _Harmful()
    stream = io.BytesIO()
    np.savez(stream, head=harmful)
    kept = tmp_path / "chunks"
    kept.mkdir()
    (chunk,) = make_chunks(1)
    for content in (stream.getvalue(), pickle.dumps(_Harmful())):
        (kept / f"{identity_of(chunk_work.draw, chunk)[:32]}{SUFFIX}").write_bytes(content)
        KeepingExecutor(SerialExecutor(), kept).run(chunk_work.draw, [chunk])
    assert not mark.exists()


def test_another_argument_seed_or_function_is_another_chunk():
    array = np.arange(3.0)
    chunks = [
        Chunk("a", (1,), (array,)),
        Chunk("b", (1,), (array,)),
        Chunk("a", (2,), (array,)),
        Chunk("a", (1,), (array + 1,)),
        Chunk("a", (1,), (array.astype(np.float32),)),
        Chunk("a", (1,), (array.tolist(),)),
        Chunk("a", (1,), (tuple(array.tolist()),)),
        Chunk("a", (1,), (frozenset({1}),)),
        Chunk("a", (1,), (frozenset({2}),)),
    ]
    found = {identity_of(chunk_work.draw, chunk) for chunk in chunks}
    found.add(identity_of(chunk_work.process_id, chunks[0]))
    assert len(found) == 10
    assert identity_of(chunk_work.draw, chunks[0]) == identity_of(
        chunk_work.draw, Chunk("a", (1,), (np.arange(3.0),))
    )


def test_a_study_is_recognised_by_another_process():
    """Pydantic's models hold sets, whose order in a pickle depends on the process."""
    code = (
        "from rejudge.executors.chunks import Chunk;"
        "from rejudge.executors.kept import identity_of;"
        "from rejudge.study.kinds.registry import KINDS;"
        "asked = KINDS['rating'].model_validate({'kind': 'rating', 'id': 'q', 'prompt': 'How?',"
        " 'points': 5});"
        "print(identity_of(print, Chunk('a', (1,), (asked, frozenset('abcdef')))))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1


def test_a_result_that_cannot_be_kept_is_reported(tmp_path):
    executor = KeepingExecutor(SerialExecutor(), tmp_path / "chunks")
    with pytest.raises(TypeError, match="function"):
        executor.run(chunk_work.return_unsendable, make_chunks(1))
