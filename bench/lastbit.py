"""How often numpy.quantile misses the exact value, rounded once: python3 bench/lastbit.py

For samples of n random float64 and a random q each, by the default method. Ranks are
NumPy's own; only the interpolation between the two order statistics is judged, in exact
fractions.
"""

from fractions import Fraction

import numpy as np

rng = np.random.default_rng(1)
for n, cases in (2, 20000), (1000, 20000):
    missed = 0
    for _ in range(cases):
        x, q = rng.standard_normal(n), rng.random()
        v = (n - 1) * q  # the virtual index, in float64 as NumPy has it
        lo = int(v)
        a, b = np.partition(x, (lo, lo + 1))[lo : lo + 2]
        exact = Fraction(float(a)) + (Fraction(v) - lo) * (Fraction(float(b)) - Fraction(float(a)))
        missed += float(exact) != np.quantile(x, q)
    print(f"n = {n}: {100 * missed / cases:.1f} % of {cases} samples, NumPy {np.__version__}")
