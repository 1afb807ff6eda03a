"""Formulas: from arrays to a number with its n and its interval, or the reason why it has none.

    agreement         Krippendorff's alpha, kappa, Gwet's AC, ICC, generalizability
    mixed             linear, ordinal and binary mixed models, free slopes, Kenward–Roger
    preference        win rates, Bradley–Terry, Plackett–Luce, mixed models of choices
    reproducibility   CV*, meta-analysis, repetitions, checks of printed figures
    testing           t, rank and block tests, ANOVA, effect sizes, equivalence, power, corrections,
                      planned looks

    clusters, means   cluster-robust intervals; means and differences of systems
    item_weights      the same where items were not equally likely to be selected
    coverage          who judged what, and which comparisons that allows
    descriptives      distributions of scores and times
    behaviour         trends, straight-lining, speed and side bias of participants
    correlations      between participants

Use the names from here: `from rejudge.stats import krippendorff_alpha`. Each is loaded when it is
first used, and answers bad arguments with a `DataError` (`arguments`). A new one goes into
`__all__` of its module, and below.
"""

# ruff: noqa: F403, PLE0605 - every module below has an `__all__`, and ours is the sum of them

from __future__ import annotations

from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what mypy and editors read
    from rejudge.stats.agreement.alpha import *
    from rejudge.stats.agreement.alpha_participants import *
    from rejudge.stats.agreement.chance_corrected import *
    from rejudge.stats.agreement.disagreement import *
    from rejudge.stats.agreement.icc import *
    from rejudge.stats.agreement.kappa import *
    from rejudge.stats.agreement.new_participants import *
    from rejudge.stats.agreement.reliability import *
    from rejudge.stats.arrays import *
    from rejudge.stats.behaviour import *
    from rejudge.stats.clusters import *
    from rejudge.stats.correlations import *
    from rejudge.stats.coverage import *
    from rejudge.stats.descriptives import *
    from rejudge.stats.item_weights import *
    from rejudge.stats.means import *
    from rejudge.stats.mixed.contrasts import *
    from rejudge.stats.mixed.effects import *
    from rejudge.stats.mixed.free_slopes import *
    from rejudge.stats.mixed.interaction import *
    from rejudge.stats.mixed.kenward_roger import *
    from rejudge.stats.mixed.linear import *
    from rejudge.stats.mixed.ordinal import *
    from rejudge.stats.mixed.sums import *
    from rejudge.stats.preference.bradley_terry import *
    from rejudge.stats.preference.choice_model import *
    from rejudge.stats.preference.choice_results import *
    from rejudge.stats.preference.pairwise import *
    from rejudge.stats.preference.plackett_luce import *
    from rejudge.stats.reproducibility.meta_analysis import *
    from rejudge.stats.reproducibility.printed_figures import *
    from rejudge.stats.reproducibility.repetition import *
    from rejudge.stats.reproducibility.variation import *
    from rejudge.stats.testing.blocks import *
    from rejudge.stats.testing.classical import *
    from rejudge.stats.testing.correlation import *
    from rejudge.stats.testing.effect_sizes import *
    from rejudge.stats.testing.equivalence import *
    from rejudge.stats.testing.multiplicity import *
    from rejudge.stats.testing.power import *
    from rejudge.stats.testing.ranks import *
    from rejudge.stats.testing.sequential import *

_NAMES = {
    "agreement.alpha": """
        Agreement PercentAgreement alpha_jackknife krippendorff_alpha percent_agreement
    """,
    "agreement.alpha_participants": "ParticipantAlpha alpha_for_new_participants",
    "agreement.chance_corrected": """
        CrossKappa GwetAgreement GwetWeights PooledKappa contingency_agreement cross_kappa
        gwet_agreement pooled_kappa
    """,
    "agreement.disagreement": "Disagreement disagreement_by_unit",
    "agreement.icc": "ICC intraclass",
    "agreement.kappa": "Kappa Kappas PairKappa cohen_kappa cohen_kappas fleiss_kappa",
    "agreement.new_participants": "new_participants_interval",
    "agreement.reliability": """
        GStudy Passes Reliability SelfConsistency VariancePart g_study find_passes reliability
        reliability_curve self_consistency
    """,
    "arrays": "CountTable count_table table_of_counts count_distinct number_codes",
    "behaviour": """
        Difficulty PeerAgreement SideBias SpeedFlags StraightLine Trend agreement_with_majority
        agreement_with_others item_difficulty side_bias speed_flags straight_lines trend_by_position
    """,
    "clusters": """
        FEW_PARTICIPANTS ClusterPart ClusterSums Estimate Interval JudgmentWeights
        clustered_estimate t_half_width
    """,
    "correlations": """
        Company Correlated MeanWithOthers PairCorrelation ParticipantCorrelations
        compare_participants participant_correlations
    """,
    "coverage": "Coverage CoverageTerm PairCoverage SystemCoverage coverage_table coverage_terms",
    "descriptives": """
        Distribution Elapsed EmpiricalShares Histogram ScoreTable Sitting TimeQuantile
        ZScores distribution distributions elapsed_seconds
        empirical_shares histogram normalise score_table session_times time_quantile
        z_by_participant
    """,
    "item_weights": """
        ItemWeights weighted_adjusted_difference weighted_mean weighted_mean_by_system
        weighted_mean_difference
    """,
    "means": """
        NONE_SHARED AdjustedDifference ParticipantDifference adjusted_difference average_within
        few_shared mean_by_system mean_difference participant_differences
    """,
    "mixed.contrasts": """
        Adjustment FactorTest LevelContrast MarginalMean factor_test level_contrasts limit_of_df
        marginal_means
    """,
    "mixed.effects": "Coefficient",
    "mixed.free_slopes": """
        FreeSlopesFit SystemSpread estimated_slopes_seconds free_slopes_model limit_of_slopes_df
    """,
    "mixed.interaction": "Interaction choice_interaction score_interaction unit_interaction",
    "mixed.kenward_roger": "estimated_kenward_roger_seconds",
    "mixed.linear": "DfMethod MixedFit estimated_fit_seconds linear_mixed",
    "mixed.ordinal": """
        BinaryFit OrdinalFit Threshold binary_mixed estimated_ordinal_seconds ordinal_mixed
    """,
    "mixed.sums": "Component",
    "preference.bradley_terry": """
        BradleyTerry Strength StrengthDifference bradley_terry bradley_terry_bootstrap
    """,
    "preference.choice_model": "JudgedSets choice_model pair_model set_model",
    "preference.choice_results": "ChoiceModel SystemContrast estimated_choice_seconds",
    "preference.pairwise": """
        Comparisons PairRate SignFlip Standing WinMatrix pair_rates relative_preference
        score_difference share_of_first sign_flip win_matrix win_table
    """,
    "preference.plackett_luce": "FirstChance PlackettLuce plackett_luce",
    "reproducibility.meta_analysis": """
        FEW_STUDIES MetaAnalysis MetaErrors PredictionMethod SharedError StudyEffect TauMethod
        further_study prediction_interval random_effects standardised_difference
    """,
    "reproducibility.printed_figures": """
        Grim Grimmer Ratings TestStatistic attainable_range cohen_d_range cohen_d_with_error
        difference_variance grim grimmer implied_error normal_interval p_from_statistic p_range
        pearson_range spearman_p_range t_range win_sd
    """,
    "reproducibility.repetition": """
        Matching OrderStability PairKept SignificanceF1 effect_difference
        matching_accuracy order_stability significance_f1
    """,
    "reproducibility.variation": """
        CVStar CVVariant ExplainedFigure cv_star cv_star_interval likeliest_definitions sd_interval
    """,
    "testing.blocks": """
        BlockContrast BlockScores Friedman Hotelling RepeatedMeasures block_contrasts friedman
        hotelling repeated_measures scores_by_block
    """,
    "testing.classical": """
        Alternative Anova Contrast GroupTest kruskal_wallis levene one_sided one_way_anova
        paired_t_test t_test t_test_from_summary
    """,
    "testing.correlation": """
        Concordance Correlation WTies fisher_interval kendall_tau kendall_w pearson spearman
    """,
    "testing.effect_sizes": """
        Effect Summary cohen_d cohen_d_from_summary cohen_dz eta_squared hedges_g hedges_gz
        omega_squared partial_eta_squared pooled_sd
    """,
    "testing.equivalence": """
        Equivalence OneSided RawBounds StandardisedBounds critical_effect paired_tost tost
        tost_from_error tost_from_summary
    """,
    "testing.multiplicity": """
        Correction TukeyPair adjust_p studentized_range_isf studentized_range_sf tukey_hsd
    """,
    "testing.power": """
        CohenD CohenDz CohenF EtaSquared Power Resized SampleSize VarianceShares anova_power
        anova_sample_size paired_t_power paired_t_sample_size smallest_detectable t_test_power
        t_test_sample_size variance_shares with_items with_participants
    """,
    "testing.ranks": "mann_whitney mann_whitney_r sign_test wilcoxon",
    "testing.sequential": """
        Boundary BoundaryShape always_valid_level always_valid_p
        crossing_probabilities median_unbiased repeated_p sequential_boundary
    """,
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

_FORMER = {  # former names, which still work
    "adjusted": "adjust_p",
    "attainable": "attainable_range",
    "clustered": "clustered_estimate",
    "company": "compare_participants",
    "counted": "table_of_counts",
    "elapsed": "elapsed_seconds",
    "how_many": "count_distinct",
    "normalised": "normalise",
    "numbered": "number_codes",
    "passes": "find_passes",
    "sittings": "session_times",
    "t_reach": "t_half_width",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # mypy would take every unknown name for Any

    def __getattr__(name: str) -> object:
        if name in _FORMER:
            return globals().get(_FORMER[name]) or __getattr__(_FORMER[name])
        if name not in _MODULES:
            raise AttributeError(f"rejudge.stats has no '{name}'.")
        module = import_module(f"rejudge.stats.{_MODULES[name]}")
        value = getattr(module, name)
        if isinstance(value, FunctionType) and not hasattr(value, "is_guarded"):
            from rejudge.stats.arguments import guard  # loads numpy

            value = guard(value)
            setattr(module, name, value)  # one function under one name, also when it is pickled
        globals()[name] = value  # the next time it is there
        return value


def __dir__() -> list[str]:
    return __all__
