"""A study: what is asked about which items, all written before a plan is drawn."""

from typing import TYPE_CHECKING

from rejudge.arguments import explain_arguments
from rejudge.study.analysis_plan import (
    Alternative,
    Analysis,
    Derived,
    DfMethod,
    Exclude,
    MultipleCase,
    PlannedTest,
    Slopes,
    Unit,
)
from rejudge.study.baselines import BASELINE_RULES, OPPOSITES, Baseline, RuleName
from rejudge.study.claims import Claim
from rejudge.study.conduct import (
    ERASURES,
    Erasure,
    Payment,
    Processing,
    Recruitment,
    Retention,
    Screening,
    ScreeningQuestion,
)
from rejudge.study.consistency import gold_parts
from rejudge.study.item_sample import Allocation, Sample, SampleMethod
from rejudge.study.items import page_text, read_items
from rejudge.study.kinds import (
    KINDS,
    LETTERS,
    BestWorst,
    ComparisonQuestion,
    DecidedPair,
    Level,
    Opinion,
    Pairwise,
    Question,
    Ranking,
    Rating,
    ScoreQuestion,
    Segments,
    Slider,
    Value,
)
from rejudge.study.kinds.question import (
    Segmentation,
    segment_ends,
    split_segments,
    visible_segments,
)
from rejudge.study.layout_fit import layout_slots
from rejudge.study.methods import (
    COEFFICIENTS,
    TESTS,
    USUAL_AGREEMENT,
    AgreementCoefficient,
    Coefficient,
    SignificanceTest,
    Test,
    has_direction,
)
from rejudge.study.model import (
    FORMAT,
    PLACEHOLDERS,
    Columns,
    Item,
    Spec,
    Study,
    System,
    fill_placeholders,
    placeholders,
    register,
)
from rejudge.study.page_elements import LayoutControl
from rejudge.study.page_layout import (
    PageLayout,
    frame_layout,
    markup_faults,
    parse_layout,
    render_layout,
    rewrite_layout,
    split_name,
)
from rejudge.study.page_rewriter import FieldTarget, Filling
from rejudge.study.parse import INTERFACE, ROLES, parse
from rejudge.study.procedure import BatchSize, Check, Design, Gold, Instruction, Nonsense, Repeats
from rejudge.study.publication import Author, Publication
from rejudge.study.qualification import Example, GoldTask, Practice, Qualification
from rejudge.study.sample_size import FILLED_SIZE, FilledSize, SizeRule, Stop, StopBoundary
from rejudge.study.schema import schema
from rejudge.study.score_formula import Number, Operation, PartScore, ScoreFormula, Term
from rejudge.study.site import Codes, ConsentStatement, ExitQuestion, LayoutField, Site, SiteLayout
from rejudge.study.yaml_file import YamlFile, read_yaml
from rejudge.text_tables import decode

__all__ = [
    "BASELINE_RULES",
    "COEFFICIENTS",
    "ERASURES",
    "FILLED_SIZE",
    "FORMAT",
    "INTERFACE",
    "KINDS",
    "LETTERS",
    "OPPOSITES",
    "PLACEHOLDERS",
    "ROLES",
    "TESTS",
    "USUAL_AGREEMENT",
    "AgreementCoefficient",
    "Allocation",
    "Alternative",
    "Analysis",
    "Author",
    "Baseline",
    "BatchSize",
    "BestWorst",
    "Check",
    "Claim",
    "Codes",
    "Coefficient",
    "Columns",
    "ComparisonQuestion",
    "ConsentStatement",
    "DecidedPair",
    "Derived",
    "Design",
    "DfMethod",
    "Erasure",
    "Example",
    "Exclude",
    "ExitQuestion",
    "FieldTarget",
    "FilledSize",
    "Filling",
    "Gold",
    "GoldTask",
    "Instruction",
    "Item",
    "LayoutControl",
    "LayoutField",
    "Level",
    "MultipleCase",
    "Nonsense",
    "Number",
    "Operation",
    "Opinion",
    "PageLayout",
    "Pairwise",
    "PartScore",
    "Payment",
    "PlannedTest",
    "Practice",
    "Processing",
    "Publication",
    "Qualification",
    "Question",
    "Ranking",
    "Rating",
    "Recruitment",
    "Repeats",
    "Retention",
    "RuleName",
    "Sample",
    "SampleMethod",
    "ScoreFormula",
    "ScoreQuestion",
    "Screening",
    "ScreeningQuestion",
    "Segmentation",
    "Segments",
    "SignificanceTest",
    "Site",
    "SiteLayout",
    "SizeRule",
    "Slider",
    "Slopes",
    "Spec",
    "Stop",
    "StopBoundary",
    "Study",
    "System",
    "Term",
    "Test",
    "Unit",
    "Value",
    "YamlFile",
    "decode",
    "fill_placeholders",
    "frame_layout",
    "gold_parts",
    "has_direction",
    "layout_slots",
    "markup_faults",
    "page_text",
    "parse",
    "parse_layout",
    "placeholders",
    "read_items",
    "read_yaml",
    "register",
    "render_layout",
    "rewrite_layout",
    "schema",
    "segment_ends",
    "split_name",
    "split_segments",
    "visible_segments",
]

explain_arguments(__name__)

if not TYPE_CHECKING:  # a type checker then still knows which names exist
    _FORMER = {"cut": segment_ends}

    def __getattr__(name: str) -> object:
        """A former name, which still works."""
        if name in _FORMER:
            return _FORMER[name]
        raise AttributeError(f"module {__name__} has no attribute {name}")
