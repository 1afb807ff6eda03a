"""Hashes of ids, the same on every machine, so that votes can be sorted by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

_BYTES = 8  # that are mixed in at once


def hash_words(column: pa.ChunkedArray) -> tuple[Hashes, NDArray[np.bool_]]:
    """A hash of each cell, and which cells are empty."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import compute, types

    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):  # an older pyarrow, or no rows
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    if types.is_dictionary(array.type):
        hashes, empty = hash_words(pa.chunked_array([array.dictionary]))
        missing = np.asarray(array.is_null())
        codes = np.asarray(array.indices.fill_null(0)).astype(np.int64)
        if not len(hashes):
            return np.zeros(len(codes), np.uint64), np.ones(len(codes), np.bool_)
        return hashes[codes], missing | empty[codes]
    missing = np.asarray(array.is_null())
    if types.is_integer(array.type):
        whole = np.asarray(array.fill_null(0))
        return _mix(whole.astype(np.int64).view(np.uint64)), missing
    text = compute.cast(
        compute.fill_null(compute.cast(array, pa.large_string()), ""), pa.large_binary()
    )
    return _hash_text(text), missing | np.asarray(compute.equal(compute.binary_length(text), 0))


def _hash_text(text: pa.Array) -> Hashes:
    """Mix eight bytes at a time, all rows at once."""
    import numpy as np

    _, offsets, content = text.buffers()
    ends = np.frombuffer(offsets, np.int64)[text.offset : text.offset + len(text) + 1]
    base, length = ends[:-1], np.diff(ends)
    whole = np.frombuffer(content, np.uint8) if content is not None else np.zeros(0, np.uint8)
    padded = np.concatenate([whole, np.zeros(_BYTES, np.uint8)])
    words = np.lib.stride_tricks.sliding_window_view(padded, _BYTES)
    masks = np.array([2 ** (8 * used) - 1 for used in range(_BYTES + 1)], dtype=np.uint64)
    found = _mix(length.astype(np.uint64))
    for start in range(0, int(length.max(initial=0)), _BYTES):
        rows = np.flatnonzero(length > start) if start else np.arange(len(length))
        packed = words[base[rows] + start].view("<u8")[:, 0]
        packed &= masks[np.minimum(length[rows] - start, _BYTES)]
        found[rows] = _mix(found[rows] ^ packed)
    return found


def _mix(value: Hashes) -> Hashes:
    """SplitMix64, whose every output bit depends on every input bit (Steele, Lea & Flood 2014)."""
    import numpy as np

    mixed = value + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
