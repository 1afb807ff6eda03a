"""Was it reproduced? Runs of one study compared, with their conditions of measurement."""

from rejudge.analysis import Verdict
from rejudge.arguments import explain_arguments
from rejudge.compare.alignment import rename
from rejudge.compare.compare import compare
from rejudge.compare.comparison import (
    AlignedScore,
    ClaimVerdict,
    Comparison,
    Condition,
    ConfirmedShare,
    Deviation,
    EffectComparison,
    Known,
    LabelAgreement,
    PooledEffect,
    PooledPart,
    PrintedCheck,
    RankStability,
    RunCard,
    RunCorrelation,
    RunEquivalence,
    RunPairRate,
    Similarity,
    SuccessReading,
    TrendMatch,
    UnsupportedDifference,
    Variation,
)
from rejudge.compare.conditions import condition_of_key
from rejudge.compare.deviations import OF_CHECKS, OF_CRITERIA
from rejudge.compare.from_results import (
    from_described_results,
    from_judgments,
    from_results,
    from_table,
)
from rejudge.compare.run import (
    Run,
    RunAgreement,
    RunContrast,
    RunCriterion,
    RunDifference,
    RunEffect,
    RunRate,
    RunScore,
    runs_of,
)

__all__ = [
    "OF_CHECKS",
    "OF_CRITERIA",
    "AlignedScore",
    "ClaimVerdict",
    "Comparison",
    "Condition",
    "ConfirmedShare",
    "Deviation",
    "EffectComparison",
    "Known",
    "LabelAgreement",
    "PooledEffect",
    "PooledPart",
    "PrintedCheck",
    "RankStability",
    "Run",
    "RunAgreement",
    "RunCard",
    "RunContrast",
    "RunCorrelation",
    "RunCriterion",
    "RunDifference",
    "RunEffect",
    "RunEquivalence",
    "RunPairRate",
    "RunRate",
    "RunScore",
    "Similarity",
    "SuccessReading",
    "TrendMatch",
    "UnsupportedDifference",
    "Variation",
    "Verdict",
    "compare",
    "condition_of_key",
    "from_described_results",
    "from_judgments",
    "from_results",
    "from_table",
    "rename",
    "runs_of",
]

explain_arguments(__name__)
