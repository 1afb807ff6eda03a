# Numbers of R that analyses over several studies are held against, made once and kept in
# several_studies_r.json beside this script. Made anew by
#
#   Rscript tests/reference/several_studies.R > tests/reference/several_studies_r.json
#
# with R and the packages metafor, mvtnorm and jsonlite (Debian: r-cran-metafor and so on). None of
# them is a dependency of ours.

suppressPackageStartupMessages({
  library(metafor)
  library(jsonlite)
})

numbers <- function(x) unname(as.vector(x))

summary_of <- function(fit) {
  guess <- predict(fit)
  list(
    value = numbers(fit$beta), standard_error = fit$se, low = fit$ci.lb, high = fit$ci.ub,
    p = fit$pval, prediction_low = guess$pi.lb, prediction_high = guess$pi.ub,
    tau_squared = fit$tau2, i_squared = fit$I2, q = fit$QE, q_p = fit$QEp,
    tau_low = confint(fit, control = list(tol = 1e-12))$random[1, 2],
    tau_high = confint(fit, control = list(tol = 1e-12))$random[1, 3],
    weights = numbers(weights(fit))
  )
}

fit_by <- function(yi, sei, method, test) {
  summary_of(rma(yi, sei = sei, method = method, test = test,
                 control = list(threshold = 1e-12, maxiter = 1000, tol = 1e-12)))
}

both_ways <- function(yi, sei) {
  list(
    effect = numbers(yi), standard_error = numbers(sei),
    reml = fit_by(yi, sei, "REML", "knha"), reml_floored = fit_by(yi, sei, "REML", "adhoc"),
    paule_mandel = fit_by(yi, sei, "PM", "knha")
  )
}

# Thirteen trials of the vaccine against tuberculosis (Colditz et al. 1994), which metadat has.
bcg <- escalc(measure = "RR", ai = tpos, bi = tneg, ci = cpos, di = cneg, data = dat.bcg)
# Four studies that agree more closely than chance would have it, and three that do not.
close <- list(yi = c(0.42, 0.45, 0.40, 0.44), sei = c(0.10, 0.15, 0.20, 0.12))
apart <- list(yi = c(1.8826, 0.8802, 1.7123), sei = c(0.1201, 0.1784, 0.1894))

# Hedges' g from the printed means and SDs of August et al. (2022): SVM against GeDi and DExpert.
smd <- escalc(measure = "SMD", m1i = c(3.71, 3.71), sd1i = c(0.59, 0.59), n1i = c(200, 200),
              m2i = c(3.20, 2.33), sd2i = c(1.06, 0.85), n2i = c(200, 200))

# Whether a repetition keeps the order of three systems: adjacent differences above 0.
repeated <- function(score, error) {
  contrast <- rbind(c(1, -1, 0), c(0, 1, -1))
  set.seed(1)
  numbers(mvtnorm::pmvnorm(
    lower = c(0, 0), mean = numbers(contrast %*% score),
    sigma = 2 * contrast %*% diag(error^2) %*% t(contrast), algorithm = mvtnorm::TVPACK()
  ))
}

packages <- c("metafor", "metadat", "mvtnorm")
versions <- lapply(setNames(packages, packages), function(p) as.character(packageVersion(p)))
cat(toJSON(list(
  what = "Numbers of R and its packages, made by several_studies.R; none is a dependency.",
  versions = c(list(R = as.character(getRversion())), versions),
  by = "metafor::rma(yi, sei, method, test), predict, confint; test knha, and adhoc for floored",
  bcg = both_ways(bcg$yi, sqrt(bcg$vi)),
  close = both_ways(close$yi, close$sei),
  apart = both_ways(apart$yi, apart$sei),
  smd = list(by = "metafor::escalc(measure = 'SMD')", g = numbers(smd$yi), variance = numbers(smd$vi)),
  order = list(by = "mvtnorm::pmvnorm, twice the covariance of adjacent differences",
               score = c(1, 0.5, 0), error = c(0.3, 0.2, 0.4),
               probability = repeated(c(1, 0.5, 0), c(0.3, 0.2, 0.4)))
), auto_unbox = TRUE, digits = 15, pretty = TRUE))
