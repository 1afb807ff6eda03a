# Numbers of other programs that our tests are held against, made once and kept in
# other_programs_r.json beside this script. Made anew by
#
#   Rscript tests/reference/other_programs.R > tests/reference/other_programs_r.json
#
# with R and the packages lme4, lmerTest, emmeans, ordinal, psych, pwr, sandwich and jsonlite
# (Debian: r-cran-lme4 and so on). None of them is a dependency of ours. Data that come with a
# package are written out too, so that the copies in the tests are checked against them. Each entry
# says under `by` what was called.

suppressPackageStartupMessages({
  library(lme4)
  library(lmerTest)
  library(ordinal)
  library(jsonlite)
})

numbers <- function(x) unname(as.vector(x))

# Linear mixed models: Dyestuff comes with lme4.
dyestuff <- function(reml) {
  fit <- lme4::lmer(Yield ~ 1 + (1 | Batch), Dyestuff, REML = reml)
  parts <- as.data.frame(VarCorr(fit))$vcov
  list(
    criterion = numbers(if (reml) REMLcrit(fit) else deviance(fit)),
    batch = parts[1], residual = parts[2],
    intercept = numbers(fixef(fit)), standard_error = sqrt(numbers(vcov(fit)))
  )
}

# Box, Hunter & Hunter (1978), table of penicillin yields, typed in.
penicillin <- data.frame(
  yield = c(89, 84, 81, 87, 79, 88, 77, 87, 92, 81, 97, 92, 87, 89, 80, 94, 79, 85, 84, 88),
  treatment = factor(rep(1:4, each = 5)), blend = factor(rep(1:5, 4))
)
penicillin_fit <- lmerTest::lmer(yield ~ treatment + (1 | blend), penicillin)
penicillin_pairs <- as.data.frame(pairs(
  emmeans::emmeans(penicillin_fit, "treatment", lmer.df = "satterthwaite"), adjust = "tukey"
))

# Cumulative link mixed model: wine comes with ordinal (Laplace approximation).
wine_fit <- clmm(rating ~ temp + contact + (1 | judge), wine)
wine_errors <- sqrt(diag(vcov(wine_fit)))

# American League East 1987 (Agresti, Categorical Data Analysis), typed in; the model of Bradley and
# Terry is a logistic regression of wins on the difference of two indicators.
teams <- c("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
season <- rbind(
  c(0, 7, 9, 7, 7, 9, 11), c(6, 0, 7, 5, 11, 9, 9), c(4, 6, 0, 7, 7, 8, 12),
  c(6, 8, 6, 0, 6, 7, 10), c(6, 2, 6, 7, 0, 7, 12), c(4, 4, 5, 6, 6, 0, 6), c(2, 4, 1, 3, 1, 7, 0)
)
met <- which(upper.tri(season), arr.ind = TRUE)
indicator <- matrix(0, nrow(met), 7, dimnames = list(NULL, teams))
indicator[cbind(seq_len(nrow(met)), met[, 1])] <- 1
indicator[cbind(seq_len(nrow(met)), met[, 2])] <- -1
wins <- cbind(season[met], season[met[, 2:1]])
baseball <- summary(glm(wins ~ 0 + indicator[, 1:6], family = binomial))$coefficients

# Intraclass correlations of Shrout & Fleiss (1979), table 2.
shrout <- rbind(
  c(9, 2, 5, 8), c(6, 1, 3, 2), c(8, 4, 6, 8), c(7, 1, 2, 6), c(10, 5, 6, 9), c(6, 2, 4, 7)
)
icc <- psych::ICC(shrout, lmer = FALSE)$results

# Power: d, d_z, f and what was asked.
power <- list(
  t_test_per_group = pwr::pwr.t.test(d = .5, power = .8)$n,
  paired = pwr::pwr.t.test(d = .5, power = .8, type = "paired")$n,
  anova_per_group = pwr::pwr.anova.test(k = 4, f = .25, power = .8)$n,
  anova_power = pwr::pwr.anova.test(k = 4, n = 300, f = .1)$power,
  t_test_power = pwr::pwr.t.test(n = 64, d = .5)$power
)

# Weighted kappa: two people, three values, a table of 30 units.
agreed <- matrix(c(8, 2, 1, 3, 7, 2, 0, 3, 4), 3, byrow = TRUE)
linear <- 1 - abs(outer(1:3, 1:3, "-")) / 2
kappa <- list(
  table = agreed,
  plain = psych::cohen.kappa(agreed)$kappa,
  linear = psych::cohen.kappa(agreed, w = linear)$weighted.kappa,
  quadratic = psych::cohen.kappa(agreed)$weighted.kappa
)

# Clustered errors of a mean by two groupings at once (Cameron, Gelbach & Miller 2011).
clusters <- data.frame(
  y = c(1, 3, 2, 5, 4, 4, 2, 1, 3, 5, 5, 2), item = rep(1:4, each = 3), person = rep(1:3, 4)
)
one <- lm(y ~ 1, clusters)
two_way <- sandwich::vcovCL(one, ~ item + person, type = "HC0", cadjust = FALSE)

packages <- c("lme4", "lmerTest", "emmeans", "ordinal", "psych", "pwr", "sandwich")
versions <- lapply(setNames(packages, packages), function(p) as.character(packageVersion(p)))

cat(toJSON(list(
  what = "Numbers of R and its packages, made by other_programs.R; none is a dependency.",
  versions = c(list(R = as.character(getRversion())), versions),
  dyestuff = list(
    by = "lme4::lmer(Yield ~ 1 + (1 | Batch), Dyestuff)",
    yield = Dyestuff$Yield, batch = as.integer(Dyestuff$Batch),
    reml = dyestuff(TRUE), ml = dyestuff(FALSE)
  ),
  penicillin = list(
    by = "lmerTest::lmer(yield ~ treatment + (1 | blend)), emmeans::pairs (Tukey)",
    criterion = numbers(REMLcrit(penicillin_fit)),
    blend = as.data.frame(VarCorr(penicillin_fit))$vcov[1],
    residual = sigma(penicillin_fit)^2,
    coefficients = numbers(fixef(penicillin_fit)),
    standard_errors = numbers(sqrt(diag(as.matrix(vcov(penicillin_fit))))),
    f = anova(penicillin_fit)$`F value`, df_error = anova(penicillin_fit)$DenDF,
    p = anova(penicillin_fit)$`Pr(>F)`,
    pairs = list(
      estimate = penicillin_pairs$estimate, standard_error = penicillin_pairs$SE,
      df = penicillin_pairs$df, p = penicillin_pairs$p.value
    )
  ),
  wine = list(
    by = "ordinal::clmm(rating ~ temp + contact + (1 | judge), wine)",
    rating = as.integer(wine$rating), judge = as.integer(wine$judge),
    warm = as.integer(wine$temp) - 1L, contact = as.integer(wine$contact) - 1L,
    log_likelihood = numbers(logLik(wine_fit)),
    thresholds = numbers(wine_fit$alpha), coefficients = numbers(wine_fit$beta),
    standard_errors = numbers(wine_errors[1:6]),
    judge_variance = numbers(VarCorr(wine_fit)$judge)
  ),
  baseball = list(
    by = "glm(wins ~ 0 + difference of indicators, binomial), against Baltimore",
    teams = teams[1:6], estimate = numbers(baseball[, 1]), standard_error = numbers(baseball[, 2])
  ),
  icc = list(
    by = "psych::ICC(ratings, lmer = FALSE)", ratings = shrout,
    form = c("1,1", "2,1", "3,1", "1,k", "2,k", "3,k"),
    value = icc$ICC, f = icc$F, df1 = icc$df1, df2 = icc$df2, p = icc$p,
    low = icc$`lower bound`, high = icc$`upper bound`
  ),
  power = c(list(by = "pwr::pwr.t.test, pwr::pwr.anova.test; power .8, two-sided .05"), power),
  kappa = c(list(by = "psych::cohen.kappa(table)"), kappa),
  two_way = list(
    by = "sandwich::vcovCL(lm(y ~ 1), ~ item + person, type = 'HC0', cadjust = FALSE)",
    y = clusters$y, item = clusters$item, person = clusters$person, variance = numbers(two_way)
  ),
  studentized_range = list(
    by = "ptukey(q, 4, 12, lower.tail = FALSE)", q = c(2, 3.5, 4.2, 6),
    p = ptukey(c(2, 3.5, 4.2, 6), 4, 12, lower.tail = FALSE)
  )
), auto_unbox = TRUE, digits = 15, pretty = TRUE))
