"""Who sees what, in which order, on which side, for how much: drawn from a study and its seed."""

from rejudge.design.balance import Balance, Statement, measure
from rejudge.design.blocks import BlockDesign, block_design
from rejudge.design.chance import Chance
from rejudge.design.draw import draw
from rejudge.design.duration import Duration, Parts, estimate
from rejudge.design.earned import MOST_PLAUSIBLE, Earned, Stint, earned, promised_hourly
from rejudge.design.freeze import Change, Frozen, changes, differences, freeze, tampering
from rejudge.design.haste import FLOOR_IN_WORDS, ReadingFloor
from rejudge.design.order import order_for
from rejudge.design.pages import batches_of, page_values, shown_pages, values_of
from rejudge.design.pay import Cost, HourlyFloor, Quote, quote
from rejudge.design.plan import (
    INPUT,
    REFERENCE,
    Batch,
    Expected,
    Plan,
    Task,
    answer_parts,
    made_text,
    option_text,
    reference_of,
    segment_key,
    segmented_text,
    shown_items,
)
from rejudge.design.validation import check_plan
from rejudge.design.wages import (
    Fee,
    PlatformFloor,
    Rates,
    Wage,
    known_rates,
    platform_fee,
    platform_floor,
    rate,
)
from rejudge.design.workload import Workload, workload

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
    "Duration",
    "Earned",
    "Expected",
    "Fee",
    "Frozen",
    "HourlyFloor",
    "Parts",
    "Plan",
    "PlatformFloor",
    "Quote",
    "Rates",
    "ReadingFloor",
    "Statement",
    "Stint",
    "Task",
    "Wage",
    "Workload",
    "answer_parts",
    "batches_of",
    "block_design",
    "changes",
    "check_plan",
    "differences",
    "draw",
    "earned",
    "estimate",
    "freeze",
    "known_rates",
    "made_text",
    "measure",
    "option_text",
    "order_for",
    "page_values",
    "platform_fee",
    "platform_floor",
    "promised_hourly",
    "quote",
    "rate",
    "reference_of",
    "segment_key",
    "segmented_text",
    "shown_items",
    "shown_pages",
    "tampering",
    "values_of",
    "workload",
]
