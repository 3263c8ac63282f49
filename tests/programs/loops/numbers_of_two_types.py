"""Loops whose variables are Python's numbers in some rounds and NumPy's in others."""
# test: compiled
import types
import warnings

import numpy as np


def dilate(img):
    h, w = img.shape
    out = np.zeros((h, w), dtype=np.int64)
    for i in range(h):
        for j in range(w):
            best = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    y = i + di
                    x = j + dj
                    if 0 <= y < h and 0 <= x < w and img[y, x] > best:
                        best = img[y, x]
            out[i, j] = best
    return out, best, type(best)
def greatest(a, start):
    best = start
    for i in range(len(a)):
        if a[i] > best: best = a[i]
    return best, type(best)
def with_max(a, start):
    best = start
    for i in range(len(a)):
        best = max(best, a[i])
    return best, type(best)
def with_min(a, start):
    best = start
    for i in range(len(a)):
        best = min(a[i], best)
    return best, type(best)
def behind_a_test(a, limit):
    s = 0
    for i in range(len(a)):
        if a[i] > limit: s += a[i]
    return s, type(s)
def nearest(points, centres):
    labels = np.zeros(len(points), dtype=np.int64); total = 0.0
    for i in range(len(points)):
        best = 1e300; label = -1
        for k in range(len(centres)):
            d = 0.0
            for j in range(points.shape[1]):
                d += (points[i, j] - centres[k, j]) ** 2
            if d < best:
                best = d; label = k
        labels[i] = label; total += best
    return labels, total, type(best)
def arithmetic(a, start):
    x = start; n = 0
    for i in range(len(a)):
        if a[i] % 3 == 0: x = a[i]
        elif a[i] % 3 == 1: x = i
        y = x + 1
        z = (x * 2 - y) // 3 + (x & 5) - (7 ^ x)
        q = x / 4
        if q > y: n += z
    return x, y, z, q, n, type(y), type(z), type(q), type(n)
def floats(a, start):
    x = start; n = 0
    for i in range(len(a)):
        if a[i] > 2: x = a[i]
        elif a[i] < -2: x = 0.5
        y = x * 2 - i
        z = y / (x + 10) + x ** 2
        if x: n += 1
        if not y < z: n += 2
        if -x < y: n += abs(x) > 1
    return x, y, z, n, type(x), type(y), type(z), type(n)
def both(a, b):
    u = 0; v = 0; n = 0
    for i in range(len(a)):
        if a[i] > 3: u = a[i]
        if b[i] > 3: v = b[i]
        if a[i] < -3: u = i
        if b[i] < -3: v = -i
        w = u + v
        if u < v: n += w
        m = max(u, v)
    return u, v, w, m, n, [type(x) for x in (u, v, w, m, n)]
def flags(a):
    seen = False; n = 0
    for i in range(len(a)):
        if a[i] > 3: seen = a[i] == 5
        if a[i] < -3: seen = True
        if seen: n += 1
        if not seen: n += 10
        t = seen == True
    return seen, n, t, type(seen), type(t)
def stores(a, out, small, f, truth):
    x = 1
    for i in range(len(a)):
        if a[i] > 4: x = a[i]
        if a[i] < -4: x = -i
        out[i] = x; f[i] = x; truth[i] = x
        if -100 < x < 100: small[i] = x
    return out, small, f, truth, type(x)
def into_small(a, small):
    x = 1
    try:
        for i in range(len(a)):
            if a[i] > 4: x = a[i]
            if a[i] < -4: x = 300 + i
            small[i % len(small)] = x
    except OverflowError as error: return str(error), i, x, type(x)
    return small, type(x)
def indices(a, b):
    k = 0; s = 0
    for i in range(len(a)):
        if a[i] > 0: k = a[i]
        else: k = i % 5
        s += b[k] + b[-k - 1]
        b[k] = s % 100
    return s, k, type(k), b
def lists(a):
    xs = [0] * len(a); x = 0
    for i in range(len(a)):
        if a[i] > 0: x = a[i]
        if a[i] < -3: x = i
        xs[i] = x
    return xs, [type(x) for x in xs]
def out_of_range(a, b):
    k = 0
    try:
        for i in range(len(a)):
            if a[i] > 0: k = a[i]
            if a[i] < -8: k = 1000 + i
            b[k] += 1
    except IndexError as error: return str(error), i, k, type(k), b
    return k, b
def pythons_grow(a, step):
    x = 1; n = 0
    for i in range(len(a)):
        if a[i] == 9: x = a[i]
        x = x * step
        if x > 10: n += 1
    return x, n, type(x)
def stopped(a, limit):
    best = 0
    for i in range(len(a)):
        if a[i] > best: best = a[i]
        if best > limit: break
    else: return "end", best, type(best)
    return i, best, type(best)
def returned(a, limit):
    best = 0
    for i in range(len(a)):
        if a[i] > best: best = a[i]
        if best > limit: return best
    return best
def maximum_of(a, k):
    best = -1
    for i in range(k, len(a)):
        if a[i] > best: best = a[i]
    return best
def in_a_function(a):
    n = 0
    for k in range(len(a) + 1):
        n += maximum_of(a, k)
    return n, type(n)
def divided(a):
    x = 4; n = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            for i in range(len(a)):
                if a[i] > 2: x = a[i] - 9
                if a[i] < -9: x = 0
                n += 100 // x
        except ZeroDivisionError as error: return str(error), i, n, type(x)
    return n, type(n), [str(one.message) for one in caught]
def chosen(a):
    best = 0; n = 0
    for i in range(len(a)):
        if a[i] > best: best = a[i]
        y = best if best > 4 else -best
        best = best if i % 7 else 0
        t = best, y
        n += t[0] - t[1]
    return best, y, n, type(best), type(y), t
def shifted(a):
    x = 1
    for i in range(len(a)):
        if a[i] > 4: x = a[i]
        if a[i] < -4: x = 3
        y = 1 << x; z = x >> 1; v = ~x
    return y, z, v, type(y), type(z), type(v)
def conditional_counts(a, b):
    n = 0; total = 0; less = 0
    for i in range(len(a)):
        if a[i] * a[i] + b[i] <= 40: n += 1
        if a[i] != b[i]: total += a[i]
        less -= a[i] < b[i]
    return n, total, less, type(n), type(total), type(less)
def anew(function):
    return types.FunctionType(function.__code__.replace(co_filename="anew"), globals())


rng = np.random.default_rng(3)
ints = rng.integers(-10, 10, 400)
PAIRS = [(ints, 0, greatest), (ints, 2.5, with_min), (ints.astype(float), 5, with_max), (ints.astype(np.uint8), 0, greatest),
         (ints.astype(np.float32), 0.5, greatest), (ints > 0, False, with_max), (ints[::-3], 1 << 70, with_min),
         (ints.astype(np.int32), -3, with_max)]
for a, start, function in PAIRS:
    function = anew(function)
    for repeat in range(3): print(function(a, start), function(a[:0], start))
for repeat in range(3):
    print(dilate(rng.integers(0, 50, (13, 17))), dilate(rng.integers(-9, 1, (5, 4))))
    for a in (ints, ints[:0]):
        print(behind_a_test(a, 2), behind_a_test(a, 1000), stopped(a, 8), stopped(a, 500), returned(a, 3), returned(a, 900))
    print(nearest(rng.random((30, 3)), rng.random((4, 3))), nearest(rng.random((5, 2)), np.full((2, 2), np.inf)))
    print(arithmetic(ints, -2), floats(ints * 0.5, 7.5))
    print(both(ints, ints[::-1]), flags(ints), flags(ints - 20))
    print(*stores(ints, np.zeros(400, np.int64), np.zeros(400, np.int8), np.zeros(400, np.float32), np.zeros(400, bool)))
    print(into_small(ints, np.zeros(9, np.int16)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print(into_small(ints, np.zeros(9, np.uint8)))
    print(indices(ints, np.arange(40)), indices(ints, np.arange(40.0)), lists(ints), out_of_range(ints, np.arange(20)))
    for step in (1, 2, 3, -1): print(pythons_grow(np.zeros(90, int), step))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print(pythons_grow(np.arange(90), 3))
    print(in_a_function(ints[:60]), divided(ints), divided(ints[ints != 9]), chosen(ints), shifted(np.abs(ints)))
    print(conditional_counts(ints, ints[::-1].copy()), conditional_counts(ints * 0.5, ints * 1.5),
          conditional_counts(np.array([2**62, 2**62 - 1, -5, 2**61]), np.zeros(4, int)))
    big = np.full(300, 2**55); print(conditional_counts(big // 2**54, big), conditional_counts(big[:100], big[:100] + 1))
