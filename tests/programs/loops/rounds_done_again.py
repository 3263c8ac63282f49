"""Rounds whose arithmetic is looked at once, at the end: infinities, NaNs, and errors in the middle of a round."""
# test: compiled
import sys
import warnings
import zlib

import numpy as np


def bilinear(image, ys, xs, out):
    for k in range(len(ys)):
        y, x = int(ys[k]), int(xs[k])
        dy, dx = ys[k] - y, xs[k] - x
        out[k] = ((image[y, x] * (1 - dx) + image[y, x + 1] * dx) * (1 - dy)
                  + (image[y + 1, x] * (1 - dx) + image[y + 1, x + 1] * dx) * dy)


def nearest(points, centres, out):
    for i in range(len(points)):
        best = 1e300
        for j in range(len(centres)):
            d = 0.0
            for k in range(points.shape[1]):
                t = points[i, k] - centres[j, k]
                d += t * t
            if d < best:
                best = d
                out[i] = j
    return best, d, t


def scattered(places, values, out):
    for i in range(len(places)):
        old = out[places[i]]
        change = (values[i] - old) * 0.5
        new = old + change / (values[i] + 2.0)
        out[places[i]] = new


def two_results(a, places, out, other):
    for i in range(len(a)):
        p = places[i]
        square = a[p] * a[p]
        cube = square * a[p]
        tested = square > 0.25
        if tested:
            out[p] = cube - square
        other[p] = (cube + 1.0) * square


def carried(a, places, out):
    before = 0.5
    total = 1.0
    for i in range(len(a)):
        now = a[places[i]] * 0.25 + before * 0.5
        total = total + now * before
        before = now
        out[places[i]] = total
    return before, total


def many(a, places, out):
    b = c = d = e = f = g = h = m = n = o = p = q = r = s = t = u = v = w = x = y = z = 0.0
    for i in range(len(a)):
        value = a[places[i]]
        b, c, d, e = value + b * 0.1, value + b, c * 0.5, d + e * 0.1
        f, g, h, m = e + b, f * 0.1 + value, g - h * 0.1, h + m * 0.1
        n, o, p, q = m - value, n * 0.1, o + value, p * 0.5
        r, s, t, u = q + 1.0, r * 0.1, s - value, t * t * 0.01
        v, w, x, y, z = u + value, v * 0.1, w + b, x * 0.5 - y * 0.1, y + z * 0.1
        out[places[i]] = z + y * x
    return b, c, d, e, f, g, h, m, n, o, p, q, r, s, t, u, v, w, x, y, z


def show(name, function, *arguments):
    state = ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*arguments)
        except Exception as error:
            frame = error.__traceback__.tb_next
            result = type(error).__name__, str(error), frame.tb_lineno
            state = {key: repr(value) for key, value in frame.tb_frame.f_locals.items()
                     if not isinstance(value, np.ndarray)}
    told = [(str(one.message), one.lineno) for one in caught]
    print(name, [zlib.crc32(one.tobytes()) for one in arguments], result, len(told), told[:3], state)


def operands(n):
    random = np.random.default_rng(n)
    return random, random.uniform(-2, 2, n), random.permutation(n)


def with_values(n, place, value):
    random, a, places = operands(n)
    image = random.random((9, 9))
    ys, xs = random.uniform(0, 7.9, n), random.uniform(0, 7.9, n)
    for where in ("image", "ys", "points", "values"):
        picture, rows, points, values = image.copy(), ys.copy(), random.random((n, 8)), a.copy()
        chosen = {"image": picture, "ys": rows, "points": points, "values": values}[where]
        chosen[tuple(place % size for size in chosen.shape)] = value
        name = f"{where} {n} {place} {value}"
        show(f"bilinear {name}", bilinear, picture, rows, xs, np.zeros(n))
        show(f"nearest {name}", nearest, points, points[::-7].copy(), np.zeros(n, np.int64))
        show(f"scattered {name}", scattered, places, values, np.zeros(n))
        show(f"two results {name}", two_results, values, places, np.zeros(n), np.zeros(n))
        show(f"carried {name}", carried, values, places, np.zeros(n))
        show(f"many {name}", many, values, places, np.zeros(n))


def main():
    for n in (3, 70, 600):
        for place in (0, n // 2, n - 1):
            for value in (0.5, np.inf, -np.inf, np.nan, 1e200, -2.0, 8.0, -9.5, 1e30):
                with_values(n, place, value)
    random, a, places = operands(300)
    a[:] = np.inf
    show("all infinite", carried, a, places, np.zeros(300))
    for wrong in (300, -301):
        places[170] = wrong
        a = random.random(300)
        for function in (carried, many, scattered):
            arguments = (a, places) if function is not scattered else (places, a)
            show(f"{function.__name__} too far", function, *arguments, np.zeros(300))
    places[170] = 3
    with np.errstate(all="raise"):
        a[200] = 1e200
        show("raises", two_results, a, np.arange(300), np.zeros(300), np.zeros(300))
        show("raises", many, a * 1e120, np.arange(300), np.zeros(300))


for _ in range(2):  # the last time by what the first has made
    main()
sys.stdout.flush()
