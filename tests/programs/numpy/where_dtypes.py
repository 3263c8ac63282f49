"""np.where chooses from arrays of every dtype and many lengths, repeated numbers, steps and odd bools."""
import hashlib

import numpy as np


def choose(c, a, b):
    return np.where(c, a, b)


def with_numbers(c, a):
    return np.where(c, a, 1) + np.where(c, 2, a)


def chosen_and_computed(a, b):
    return np.where(a > b, a - b, b * 0.5)


def digest(results):
    joined = b"".join(np.ascontiguousarray(r).tobytes() for r in results)
    return hashlib.sha1(joined).hexdigest()[:12], [str(r.dtype) for r in results]


rng = np.random.default_rng(0)
for dtype in ["bool", "i1", "u2", "i4", "f4", "f8", "i8", "c8", "c16", "f2"]:
    for n in (0, 1, 5, 31, 32, 33, 64, 1000, 5000):
        c = rng.integers(0, 2, n).astype(bool)
        a = rng.integers(-100, 100, n).astype(dtype)
        b = rng.integers(-100, 100, n).astype(dtype)
        odd = (c.view(np.uint8) * 7).view(bool)  # bytes other than 0 and 1
        results = [choose(c, a, b), choose(c[::-1], a, b[::-1]), choose(odd, a, b)]
        if n > 0:
            results += [choose(c, a[:1], b), choose(c, a, b[:1]), choose(c, a[0], b[0])]
        if dtype not in ("bool", "i1"):
            results.append(with_numbers(c, a))
        if dtype in ("f4", "f8"):
            results.append(chosen_and_computed(a, b))
        print(dtype, n, *digest(results))
