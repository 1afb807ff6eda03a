"""Arrow tables as frames of pandas, which may not be installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    import pyarrow as pa


def to_pandas(table: pa.Table) -> Any:  # a pandas.DataFrame; pandas may not be installed
    """An Arrow table as a frame of pandas; whole numbers and yes or no stay so beside gaps."""
    try:
        import pandas as pd
    except ImportError as error:
        raise UsageError(
            Problem(
                "pandas is not installed.",
                "Install it with `pip install pandas`, or use to_arrow(), which polars reads too.",
            )
        ) from error
    import pyarrow as pa

    kinds = {
        pa.int8(): pd.Int8Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
    }
    return table.to_pandas(types_mapper=kinds.get)
