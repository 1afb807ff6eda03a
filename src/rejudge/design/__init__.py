"""Who sees what, in which order, on which side, for how much: drawn from a study and its seed."""

from typing import TYPE_CHECKING

from rejudge.arguments import explain_arguments
from rejudge.design.balance import Balance, BlockDesign, Statement, block_design, measure_balance
from rejudge.design.batch_table import DelimitedTable, read_delimited
from rejudge.design.draw import draw
from rejudge.design.duration import (
    FLOOR_IN_WORDS,
    Duration,
    Parts,
    ReadingFloor,
    Workload,
    estimate_duration,
    workload,
)
from rejudge.design.freeze import (
    Change,
    Frozen,
    changes_since_freeze,
    find_tampering,
    freeze,
    study_differences,
)
from rejudge.design.given_batches import GivenPlan, NamedFile, plan_from_batches
from rejudge.design.narrowed_plan import narrow_plan
from rejudge.design.order import order_for
from rejudge.design.pages import batches_of, fill_pages, page_values, values_of
from rejudge.design.pay import (
    MOST_PLAUSIBLE,
    Cost,
    Earnings,
    HourlyFloor,
    Quote,
    Stint,
    hourly_earnings,
    promised_hourly,
    quote_price,
)
from rejudge.design.phrases import withdrawal_elsewhere
from rejudge.design.plan import (
    INPUT,
    REFERENCE,
    Batch,
    Expected,
    Plan,
    Task,
    answer_parts,
    check_plan,
    items_on_task,
    made_text,
    option_text,
    reference_of,
    segment_key,
    segmented_text,
)
from rejudge.design.planned_comparisons import compared_pairs, planned_comparisons
from rejudge.design.sampling import Chance
from rejudge.design.selection import SelectedInput, Selection
from rejudge.design.stages import StageClusters, Stages, clusters_at, stages_of
from rejudge.design.wages import (
    Fee,
    PlatformFloor,
    Rates,
    Wage,
    find_wage,
    known_rates,
    platform_fee,
    platform_floor,
)

__all__ = [
    "FLOOR_IN_WORDS",
    "INPUT",
    "MOST_PLAUSIBLE",
    "REFERENCE",
    "Balance",
    "Batch",
    "BlockDesign",
    "Chance",
    "Change",
    "Cost",
    "DelimitedTable",
    "Duration",
    "Earnings",
    "Expected",
    "Fee",
    "Frozen",
    "GivenPlan",
    "HourlyFloor",
    "NamedFile",
    "Parts",
    "Plan",
    "PlatformFloor",
    "Quote",
    "Rates",
    "ReadingFloor",
    "SelectedInput",
    "Selection",
    "StageClusters",
    "Stages",
    "Statement",
    "Stint",
    "Task",
    "Wage",
    "Workload",
    "answer_parts",
    "batches_of",
    "block_design",
    "changes_since_freeze",
    "check_plan",
    "clusters_at",
    "compared_pairs",
    "draw",
    "estimate_duration",
    "fill_pages",
    "find_tampering",
    "find_wage",
    "freeze",
    "hourly_earnings",
    "items_on_task",
    "known_rates",
    "made_text",
    "measure_balance",
    "narrow_plan",
    "option_text",
    "order_for",
    "page_values",
    "plan_from_batches",
    "planned_comparisons",
    "platform_fee",
    "platform_floor",
    "promised_hourly",
    "quote_price",
    "read_delimited",
    "reference_of",
    "segment_key",
    "segmented_text",
    "stages_of",
    "study_differences",
    "values_of",
    "withdrawal_elsewhere",
    "workload",
]

explain_arguments(__name__)

if not TYPE_CHECKING:  # a type checker then still knows which names exist
    _FORMER = {
        "changes": changes_since_freeze,
        "estimate": estimate_duration,
        "measure": measure_balance,
        "quote": quote_price,
    }

    def __getattr__(name: str) -> object:
        """A former name, which still works."""
        if name in _FORMER:
            return _FORMER[name]
        raise AttributeError(f"module {__name__} has no attribute {name}")
