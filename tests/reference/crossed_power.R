# Power of a crossed design, simulated and analysed in R alone; made once and kept in
# crossed_power_r.json beside this script. Made anew, in a minute or two, by
#
#   Rscript tests/reference/crossed_power.R > tests/reference/crossed_power_r.json
#
# with R and the packages lme4 and jsonlite. Neither is a dependency of ours.
#
# Every participant scores the outputs of two systems for every item on five points. A score is the
# nearest point to 3 + opinion, where opinions are normal around the system's quality, with the
# standard deviations below. The test is that of the crossed mixed model by REML with
# Satterthwaite's degrees of freedom. In a balanced table it is that of the analysis of variance
# unless a variance would be negative; studies in which one would be are fitted by lme4. Satterthwaite's
# degrees of freedom are then 2 v^2 / (g' A g), v being the variance of the difference, g its gradient
# in the parameters of the random effects, and A twice the inverse Hessian of the REML criterion, by
# central differences: the definition in Kuznetsova, Brockhoff & Christensen (2017), whose package
# lmerTest was not at hand. `example` holds what this gives for a table of which lmerTest's numbers
# are known (SE .2393682, df 2.9996). The first studies are fitted both ways, which must agree.

suppressPackageStartupMessages({
  library(lme4)
  library(jsonlite)
})

items <- 40; people <- 8; studies <- 1000; seed <- 17
spread <- list(item_difficulty = 0.4, system_by_item = 0.5, severity = 0.5,
               system_by_participant = 0.3, noise = 0.7)

draw_study <- function(effect) {
  d <- expand.grid(item = 1:items, participant = 1:people, system = 1:2)
  item <- rnorm(items, 0, spread$item_difficulty)
  person <- rnorm(people, 0, spread$severity)
  own <- matrix(rnorm(2 * items, 0, spread$system_by_item), items)
  taste <- matrix(rnorm(2 * people, 0, spread$system_by_participant), people)
  opinion <- ifelse(d$system == 1, effect, 0) + item[d$item] + person[d$participant] +
    own[cbind(d$item, d$system)] + taste[cbind(d$participant, d$system)] +
    rnorm(nrow(d), 0, spread$noise)
  d$score <- pmin(pmax(floor(3 + opinion + 0.5), 1), 5)
  d
}

# Twice the negative log restricted likelihood, and the variance of the difference, as functions of
# the relative standard deviations of the random effects and of the residual's standard deviation.
criterion_of <- function(fit) {
  evaluate <- update(fit, devFunOnly = TRUE)
  inside <- environment(evaluate)
  n <- length(inside$resp$y) - ncol(inside$pp$X)
  function(at) {
    evaluate(at[-length(at)])
    sigma <- at[length(at)]
    rss <- inside$resp$wrss() + inside$pp$sqrL(1)
    spread <- sigma^2 * chol2inv(inside$pp$RX())
    c(n * log(2 * pi * sigma^2) + inside$pp$ldL2() + inside$pp$ldRX2() + rss / sigma^2,
      spread[2, 2])
  }
}

satterthwaite <- function(fit) {
  f <- criterion_of(fit)
  at <- c(getME(fit, "theta"), sigma(fit))
  free <- which(at > 1e-5)  # a variance of 0 stays where it is
  h <- 1e-3 * pmax(abs(at), 0.1)
  moved <- function(i, j, a, b) { x <- at; x[i] <- x[i] + a * h[i]; x[j] <- x[j] + b * h[j]; f(x) }
  middle <- f(at)
  k <- length(free)
  hessian <- matrix(0, k, k)
  slope <- numeric(k)
  for (a in seq_len(k)) {
    i <- free[a]
    up <- moved(i, i, 1, 0); down <- moved(i, i, -1, 0)
    hessian[a, a] <- (up[1] - 2 * middle[1] + down[1]) / h[i]^2
    slope[a] <- (up[2] - down[2]) / (2 * h[i])
    for (b in seq_len(a - 1)) {
      j <- free[b]
      hessian[a, b] <- hessian[b, a] <- (moved(i, j, 1, 1)[1] - moved(i, j, 1, -1)[1] -
        moved(i, j, -1, 1)[1] + moved(i, j, -1, -1)[1]) / (4 * h[i] * h[j])
    }
  }
  2 * middle[2]^2 / as.numeric(t(slope) %*% (2 * solve(hessian)) %*% slope)
}

analyse <- function(d) {
  d$first <- ifelse(d$system == 1, 0.5, -0.5)
  for (name in c("item", "participant", "system")) d[[name]] <- factor(d[[name]])
  fit <- suppressMessages(suppressWarnings(lmer(
    score ~ first + (1 | item) + (1 | participant) + (1 | system:item) + (1 | system:participant),
    data = d, control = lmerControl(calc.derivs = FALSE, check.conv.singular = "ignore"))))
  found <- summary(fit)$coefficients["first", ]
  variance <- as.data.frame(VarCorr(fit))
  df <- satterthwaite(fit)
  c(found[["Estimate"]], found[["Std. Error"]], df,
    2 * pt(-abs(found[["t value"]]), df),
    variance$vcov[variance$grp == "system:participant"] < 1e-8)
}

# The same from mean squares: NULL where REML would put a variance at 0.
analyse_squares <- function(d) {
  y <- array(d$score, c(items, people, 2))
  squares <- function(x, times) sum((x - mean(x))^2) * times
  total <- sum((y - mean(y))^2)
  item <- squares(apply(y, 1, mean), 2 * people)
  person <- squares(apply(y, 2, mean), 2 * items)
  system <- squares(apply(y, 3, mean), items * people)
  by_item <- squares(apply(y, c(1, 3), mean), people) - item - system
  by_person <- squares(apply(y, c(2, 3), mean), items) - person - system
  rest <- total - item - person - system - by_item - by_person  # with item x participant
  m <- c(item / (items - 1), person / (people - 1), by_item / (items - 1),
         by_person / (people - 1), rest / (2 * (items - 1) * (people - 1)))
  if (m[3] < m[5] || m[4] < m[5] || m[1] < m[3] || m[2] < m[4]) return(NULL)
  v <- m[3] + m[4] - m[5]
  df <- v^2 / (m[3]^2 / (items - 1) + m[4]^2 / (people - 1) +
    m[5]^2 / (2 * (items - 1) * (people - 1)))
  difference <- mean(y[, , 1]) - mean(y[, , 2])
  error <- sqrt(2 * v / (items * people))
  c(difference, error, df, 2 * pt(-abs(difference / error), df), 0)
}

simulate <- function(effect) {
  set.seed(seed + round(100 * effect))
  fitted <- 0
  found <- t(sapply(seq_len(studies), function(study) {
    d <- draw_study(effect)
    quick <- analyse_squares(d)
    if (!is.null(quick) && study > 3) return(quick)
    fitted <<- fitted + 1
    full <- analyse(d)
    if (!is.null(quick)) stopifnot(max(abs(full[1:2] / quick[1:2] - 1)) < 1e-3)
    full
  }))
  list(effect = effect, studies = studies, rejected = sum(found[, 4] < 0.05, na.rm = TRUE),
       undefined = sum(is.na(found[, 4])), mean = mean(found[, 1]), sd = sd(found[, 1]),
       mean_standard_error = mean(found[, 2]), median_df = median(found[, 3]),
       fitted_by_lme4 = fitted, without_system_by_participant = sum(found[, 5]))
}

# Six items by four people, the scores of two systems side by side.
example <- function() {
  cells <- strsplit(paste("43 54 33 42 22 31 22 33 54 55 43 53 33 42 31 22 44 53 43 33",
                          "12 32 21 21"), " ")[[1]]
  d <- expand.grid(participant = 1:4, item = 1:6, system = 1:2)
  place <- (d$item - 1) * 4 + d$participant
  d$score <- as.numeric(substr(cells[place], d$system, d$system))
  found <- analyse(d)
  list(value = found[1], standard_error = found[2], df = found[3], p = found[4])
}

cat(toJSON(list(
  what = "Power of a crossed design, simulated and analysed in R by crossed_power.R.",
  versions = list(R = paste(R.version$major, R.version$minor, sep = "."),
                  lme4 = as.character(packageVersion("lme4"))),
  items = items, participants = people, seed = seed, spread = spread, example = example(),
  effects = lapply(c(0, 0.3), simulate)
), auto_unbox = TRUE, pretty = TRUE, digits = 10), "\n")
