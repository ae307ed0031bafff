# Sums of squares and F of split-plot tables by R's aov(), for tests/kernels/test_anova.py.
#
#   Rscript tests/reference/anova_r.R 2026-11-15 > tests/reference/anova_r.json
#
# Scores come from a formula, not from a random generator, so that Python can make the
# very same ones: round(100 * sin(7 a + 3 b^2 + 5 h + a h) + 10 h + 4 a) / 8.

score <- function(a, b, h) round(100 * sin(7 * a + 3 * b^2 + 5 * h + a * h) + 10 * h + 4 * a) / 8

table_of <- function(sizes, k, blocks) {
  rows <- do.call(rbind, lapply(seq_along(sizes), function(a)
    expand.grid(a = a, b = seq_len(sizes[a]), h = seq_len(k))))
  rows$score <- score(rows$a, rows$b, rows$h)
  rows$algorithm <- factor(rows$a)
  rows$run <- factor(paste(rows$a, rows$b))
  rows$step <- factor(rows$h)
  first <- cumsum(c(0, sizes))
  rows$block <- factor(if (is.null(blocks)) 0 else blocks[first[rows$a] + rows$b])
  rows
}

number <- function(x) format(x, digits = 17, scientific = TRUE, trim = TRUE)

strata <- function(sizes, k, blocks) {
  rows <- table_of(sizes, k, blocks)
  blocked <- !is.null(blocks)
  formula <- if (blocked) score ~ block * step + algorithm * step + Error(run / step)
             else score ~ algorithm * step + Error(run / step)
  between <- summary(aov(formula, data = rows))
  top <- between[["Error: run"]][[1]]
  bottom <- between[["Error: run:step"]][[1]]
  get <- function(part, name, column) part[trimws(rownames(part)) == name, column]
  entry <- function(source, part, name) sprintf(
    '   "%s": {"df": %d, "ss": %s, "f": %s}', source, as.integer(get(part, name, "Df")),
    number(get(part, name, "Sum Sq")),
    if (is.na(get(part, name, "F value"))) "null" else number(get(part, name, "F value")))
  crossed <- grep(":", trimws(rownames(bottom)), value = TRUE)
  interaction <- crossed[grepl("algorithm", crossed)]
  parts <- c(
    entry("algorithm", top, "algorithm"),
    entry("curves", top, "Residuals"),
    entry("training", bottom, "step"),
    entry("interaction", bottom, interaction),
    entry("residual", bottom, "Residuals"))
  if (blocked) parts <- c(parts,
    entry("blocks", top, "block"),
    entry("blocks × training", bottom, setdiff(crossed, interaction)))
  sprintf('  {"sizes": [%s], "n_steps": %d, "blocks": [%s], "rows": {\n%s\n  }}',
          paste(sizes, collapse = ", "), k, paste(blocks, collapse = ", "), paste(parts, collapse = ",\n"))
}

designs <- c(
  strata(c(10, 10), 8, NULL),
  strata(c(4, 4, 4), 5, NULL),
  strata(c(3, 7), 6, NULL),
  strata(c(2, 5, 4, 3), 9, NULL),
  strata(c(6, 6), 5, rep(1:6, 2)),
  strata(c(4, 4, 4), 7, rep(1:4, 3)),
  # Several runs to a block, in unequal proportions.
  strata(c(5, 6), 5, c(1, 1, 2, 3, 3, 1, 2, 2, 2, 3, 1)),
  # Incomplete blocks: A and B, B and C, C and A.
  strata(c(4, 4, 4), 4, c(1, 2, 5, 6, 1, 2, 3, 4, 3, 4, 5, 6)))

cat(sprintf('{\n "made_by": "anova_r.R",\n "with": "%s",\n "on": "%s",\n "designs": [\n%s\n ]\n}\n',
            R.version.string, commandArgs(trailingOnly = TRUE)[1],
            paste(designs, collapse = ",\n")))
