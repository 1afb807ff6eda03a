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

What is imported below is public: `from rejudge.stats import krippendorff_alpha`.
"""

# fmt: off
# ruff: noqa: I001 - packed, and in the order of the list above
from rejudge.stats.agreement.alpha import (
    PercentAgreement, alpha_jackknife, krippendorff_alpha, percent_agreement,
)
from rejudge.stats.agreement.alpha_participants import alpha_for_new_participants
from rejudge.stats.agreement.chance_corrected import (
    CrossKappa, GwetAgreement, GwetWeights, PooledKappa, contingency_agreement, cross_kappa,
    gwet_agreement, pooled_kappa,
)
from rejudge.stats.agreement.disagreement import Disagreement, disagreement_by_unit
from rejudge.stats.agreement.icc import ICC, intraclass
from rejudge.stats.agreement.kappa import Kappas, cohen_kappa, cohen_kappas, fleiss_kappa
from rejudge.stats.agreement.new_participants import new_participants_interval
from rejudge.stats.agreement.reliability import (
    GStudy, Passes, Reliability, SelfConsistency, VariancePart, find_passes, g_study, reliability,
    reliability_curve, self_consistency,
)
from rejudge.stats.arrays import (
    CountTable, count_distinct, count_table, number_codes, table_of_counts,
)
from rejudge.stats.behaviour import (
    Difficulty, PeerAgreement, SideBias, SpeedFlags, StraightLine, Trend, agreement_with_majority,
    agreement_with_others, item_difficulty, side_bias, speed_flags, straight_lines,
    trend_by_position,
)
from rejudge.stats.clusters import (
    FEW_PARTICIPANTS, ClusterPart, ClusterSums, JudgmentWeights, clustered_estimate,
)
from rejudge.stats.estimate import (
    Alternative, Contrast, Counted, Effect, Estimate, Interval, Test, t_half_width, t_interval,
    t_test_p,
)
from rejudge.stats.reasons import Reason, Why
from rejudge.stats.correlations import (
    Company,
    compare_participants,
)
from rejudge.stats.coverage import (
    Coverage, CoverageTerm, PairCoverage, SystemCoverage, coverage_table, coverage_terms,
)
from rejudge.stats.descriptives import (
    EmpiricalShares, Histogram, ScoreTable, Sitting,
    ZScores,
    empirical_shares, histogram, normalise, score_table,
    session_times, time_quantile, z_by_participant,
)
from rejudge.stats.item_weights import (
    ItemWeights, weighted_adjusted_difference, weighted_mean, weighted_mean_by_system,
    weighted_mean_difference,
)
from rejudge.stats.means import (
    NONE_SHARED, AdjustedDifference, ParticipantDifference, adjusted_difference, average_within,
    few_shared, mean_by_system, mean_difference, participant_differences,
)
from rejudge.stats.mixed.contrasts import (
    Adjustment, MarginalMean, factor_test, level_contrasts,
    limit_of_df, marginal_means,
)
from rejudge.stats.mixed.effects import Coefficient
from rejudge.stats.mixed.free_slopes import (
    FreeSlopesFit, SystemSpread, free_slopes_model, limit_of_slopes_df,
)
from rejudge.stats.mixed.interaction import (
    choice_interaction, score_interaction, unit_interaction,
)
from rejudge.stats.mixed.linear import (
    DfMethod, MixedFit, linear_mixed, random_groupings,
)
from rejudge.stats.mixed.ordinal import (
    BinaryFit, OrdinalFit, Threshold, binary_mixed, ordinal_mixed,
)
from rejudge.stats.mixed.sums import Component
from rejudge.stats.preference.bradley_terry import (
    BradleyTerry, Strength, StrengthDifference, bradley_terry, list_groups,
)
from rejudge.stats.preference.choice_model import JudgedSets, choice_model, pair_model, set_model
from rejudge.stats.preference.choice_results import ChoiceModel
from rejudge.stats.preference.pairwise import (
    Comparisons, PairRate, Standing, WinMatrix, pair_rates, relative_preference,
    score_difference, scores_by_block, share_of_first, sign_flip, win_matrix, win_table,
)
from rejudge.stats.preference.plackett_luce import FirstChance, PlackettLuce, plackett_luce
from rejudge.stats.reproducibility.meta import (
    FEW_STUDIES, MetaAnalysis, MetaErrors, PredictionMethod, SharedError, TauMethod, random_effects,
    standardised_difference,
)
from rejudge.stats.reproducibility.printed import (
    Grim, Grimmer, Ratings, TestStatistic, attainable_range, cohen_d_range, cohen_d_with_error,
    difference_variance, grim, grimmer, implied_error, normal_interval, p_from_statistic, p_range,
    pearson_range, spearman_p_range, t_range, win_sd,
)
from rejudge.stats.reproducibility.qra import (
    CVStar, CVVariant, ExplainedFigure, Matching, OrderStability, PairKept, SignificanceF1, cv_star,
    cv_star_interval, effect_difference, likeliest_definitions, matching_accuracy, order_stability,
    sd_interval, significance_f1,
)
from rejudge.stats.testing.classical import (
    Anova, Correction, Equivalence, RepeatedMeasures, adjust_p, friedman, hotelling,
    kruskal_wallis, levene, one_sided, one_way_anova, paired_t_test, repeated_measures,
    studentized_range_isf, studentized_range_sf, t_test, t_test_from_summary, tost, tukey_hsd,
)
from rejudge.stats.testing.effects import (
    Summary, cohen_d, cohen_d_from_summary, cohen_dz, eta_squared, hedges_g, hedges_gz,
    omega_squared, partial_eta_squared, pooled_sd,
)
from rejudge.stats.testing.power import (
    CohenD, CohenDz, CohenF, EtaSquared, Power, SampleSize, VarianceShares, anova_power,
    anova_sample_size, critical_effect, paired_t_power, paired_t_sample_size, smallest_detectable,
    t_test_power, t_test_sample_size, variance_shares, with_items, with_participants,
)
from rejudge.stats.testing.ranks import (
    WTies, kendall_tau, kendall_w, mann_whitney, mann_whitney_r, pearson, sign_test, spearman,
    wilcoxon,
)
from rejudge.stats.testing.sequential import (
    Boundary, BoundaryShape, always_valid_level, always_valid_p,
    crossing_probabilities, median_unbiased, repeated_p, sequential_boundary,
)
