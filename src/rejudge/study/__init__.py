"""What is asked, of whom, about which items: all that is written before a plan is drawn."""

from rejudge.study.claims import Claim
from rejudge.study.conduct import (
    Alternative,
    Analysis,
    Derived,
    DfMethod,
    Exclude,
    MultipleCase,
    Payment,
    PlannedTest,
    Recruitment,
    Test,
    Unit,
    has_direction,
)
from rejudge.study.encoding import decode
from rejudge.study.items import as_shown, read_items
from rejudge.study.model import FORMAT, Item, Spec, Study, System
from rejudge.study.parse import ROLES, parse
from rejudge.study.placeholders import PLACEHOLDERS, fill, placeholders
from rejudge.study.procedure import (
    BatchSize,
    Check,
    Design,
    Example,
    Gold,
    Instruction,
    Nonsense,
    Practice,
    Repeats,
)
from rejudge.study.questions import (
    KINDS,
    LETTERS,
    BestWorst,
    Level,
    Pairwise,
    Question,
    Ranking,
    Rating,
    Segments,
    Slider,
    Value,
)
from rejudge.study.schema import schema
from rejudge.study.score_formula import Applied, Number, PartScore, ScoreFormula, Term
from rejudge.study.segments import cut, pieces, shown_pieces
from rejudge.study.site import Codes, ExitQuestion, Site
from rejudge.study.written import Written, read_yaml

__all__ = [
    "FORMAT",
    "KINDS",
    "LETTERS",
    "PLACEHOLDERS",
    "ROLES",
    "Alternative",
    "Analysis",
    "Applied",
    "BatchSize",
    "BestWorst",
    "Check",
    "Claim",
    "Codes",
    "Derived",
    "Design",
    "DfMethod",
    "Example",
    "Exclude",
    "ExitQuestion",
    "Gold",
    "Instruction",
    "Item",
    "Level",
    "MultipleCase",
    "Nonsense",
    "Number",
    "Pairwise",
    "PartScore",
    "Payment",
    "PlannedTest",
    "Practice",
    "Question",
    "Ranking",
    "Rating",
    "Recruitment",
    "Repeats",
    "ScoreFormula",
    "Segments",
    "Site",
    "Slider",
    "Spec",
    "Study",
    "System",
    "Term",
    "Test",
    "Unit",
    "Value",
    "Written",
    "as_shown",
    "cut",
    "decode",
    "fill",
    "has_direction",
    "parse",
    "pieces",
    "placeholders",
    "read_items",
    "read_yaml",
    "schema",
    "shown_pieces",
]
