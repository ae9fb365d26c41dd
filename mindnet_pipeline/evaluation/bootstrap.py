"""How sure a mean is: bootstrap intervals over questions. Pure; the same values give the same interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_RESAMPLES = 5000
_SEED = 20_250_101


def interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float]:
    """The percentile interval of the mean. For two systems pass the differences by question: the paired bootstrap.

    >>> interval([1.0, 1.0, 1.0])
    (1.0, 1.0)
    """
    if not values:
        return 0.0, 0.0
    sample = np.asarray(values, dtype=np.float64)
    drawn = np.random.default_rng(_SEED).integers(0, len(sample), size=(_RESAMPLES, len(sample)))
    low, high = np.quantile(sample[drawn].mean(axis=1), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
