"""Names that scores usually have, where they must be told from names of algorithms and runs."""

from __future__ import annotations

import re

__all__ = [
    "is_data_set",
    "is_nothing_but_a_score",
    "is_run_name",
    "is_score_name",
    "score_name_in",
]

# Words of names such as val_loss, eval/mean_reward, multi_logloss, ndcg@5, top1_acc.
WORDS = {
    *(
        "loss",
        "losses",
        "acc",
        "accuracy",
        "error",
        "err",
        "score",
        "scores",
        "return",
        "returns",
    ),
    *(
        "reward",
        "rewards",
        "auc",
        "rmse",
        "mse",
        "mae",
        "mape",
        "f1",
        "precision",
        "recall",
    ),
    *(
        "perplexity",
        "ppl",
        "bleu",
        "map",
        "iou",
        "dice",
        "lr",
        "entropy",
        "crossentropy",
        "kl",
    ),
    *(
        "logloss",
        "merror",
        "mlogloss",
        "ndcg",
        "r2",
        "l1",
        "l2",
        "nll",
        "success",
        "regret",
    ),
    *(
        "rmsle",
        "gamma",
        "poisson",
        "quantile",
        "huber",
        "aucpr",
        "binary",
        "multi",
        "multiclass",
    ),
}
# What a file of numbers may call them, in the plural or not.
NAMED = re.compile(
    r"(return|reward|score|accuracy|loss|error|regret)(?:e?s)?", re.IGNORECASE
)
# Words beside it that say which data or which mean it is of.
BESIDE = {
    *("train", "training", "val", "valid", "validation", "dev", "test", "eval"),
    *("evaluation", "mean", "avg", "average", "total", "episode", "episodic", "ep"),
}
# training, valid_0, validation_1, eval, dtest, learn: what people and libraries call data sets.
DATASET = re.compile(
    r"(?:^|[^a-z])d?(?:train(?:ing)?|learn|val|valid|validation|dev|eval|evaluation|test|"
    r"h[eo]ld[ _-]?out|oob|unseen)"
    r"(?:set|data)?(?:$|[^a-z])",
    re.IGNORECASE,
)
RUN = re.compile(r"(?:seed|run|trial|fold|rep|repeat|s|r)?[ _=-]*\d+", re.IGNORECASE)


def is_score_name(name: str) -> bool:
    """Whether a name has a word that is usual in names of scores.

    >>> [is_score_name(name) for name in ("val_loss", "valid_1-l2", "ppo", "seed3")]
    [True, True, False, False]
    """
    return not WORDS.isdisjoint(re.split(r"[^a-z0-9]+", name.lower()))


def is_nothing_but_a_score(name: str) -> bool:
    """Whether a name can only be that of a score, and not of what has to do with it.

    >>> [is_nothing_but_a_score(name) for name in ("val_loss", "huber_loss", "mse")]
    [True, False, False]
    """
    words = [word for word in re.split(r"[^a-z]+", name.lower()) if word not in BESIDE]
    return len(words) == 1 and NAMED.fullmatch(words[0]) is not None


def is_data_set(name: str) -> bool:
    """Whether a name is that of data to train or to evaluate on.

    >>> [is_data_set(name) for name in ("train", "valid_0", "dtest", "ppo")]
    [True, True, True, False]
    """
    return DATASET.search(name) is not None


def is_run_name(name: str) -> bool:
    """Whether a name is that of a run: a number, alone or after a word such as "seed"."""
    return RUN.fullmatch(name.strip()) is not None


def score_name_in(stem: str) -> str:
    """Return what the name of a file calls the scores in it, or "score".

    >>> score_name_in("returns"), score_name_in("test_losses_ppo"), score_name_in("ppo")
    ('return', 'loss', 'score')
    """
    for word in re.split(r"[^A-Za-z]+", stem):
        match = NAMED.fullmatch(word)
        if match:
            return match[1].lower()
    return "score"
