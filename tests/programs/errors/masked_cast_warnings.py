"""A ufunc with `where` reads what `out` holds as its loop's dtype, and NumPy warns of what does not fit."""
import numpy as np
import warnings

warnings.simplefilter("always")


def added(a, b, mask, out):
    return np.add(a, b, where=mask, out=out)


def rooted(a, mask, out):
    return np.sqrt(a, where=mask, out=out)


def inverted(a, mask, out):
    np.invert(a, where=mask, out=out)
    return out * 2


def scaled_then_added(a, b, mask, out):
    total = a * b - 1
    np.subtract(total, a, out=out, where=mask)
    return total + out


HELD = [1.5, 1e300, -1e300, np.nan, np.inf, 3e9, 7e4]
for _ in range(3):
    for size in (1, 4, 30):
        mask = np.arange(size) % 2 == 0
        for held in HELD:
            for loop in ("f8", "f4", "f2", "i8", "i4", "i1"):
                a, b = np.full(size, 3, loop), np.full(size, 2, loop)
                for wide in ("f8", "f4"):
                    if wide == "f4" and loop == "f8":
                        continue
                    with np.errstate(all="ignore"):
                        out = np.full(size, held).astype(wide)
                    print(loop, wide, held, added(a, b, mask, out)[:3], scaled_then_added(a, b, ~mask, out)[:3])
    for size in (0, 1, 5):
        mask = np.ones(size, bool)
        out = np.full(size, 2 + 1j)
        print(inverted(np.arange(size), mask, out), rooted(np.arange(size), mask, out))
        print(inverted(np.int64(5), mask, out), rooted(np.float64(4), mask, out), rooted(np.arange(size), True, out))
        print(rooted(out, mask, out))

# Nothing is lost in these, and nothing is said.
for _ in range(3):
    mask = np.array([True, False, True])
    print(added(np.ones(3), np.ones(3, "f4"), mask, np.full(3, 1e300)))
    print(added(np.ones(3, "i4"), np.ones(3, "i4"), mask, np.full(3, 2**40)))
    print(added(np.ones(3), np.ones(3), mask, np.full(3, 7, "f4")))

# A number that is reported as an error leaves the result as it was.
with np.errstate(over="raise"):
    for _ in range(3):
        out = np.full(3, 1e300)
        try:
            added(np.ones(3, "f4"), np.ones(3, "f4"), mask, out)
        except FloatingPointError as error:
            print(error, out)

# A signalling NaN is reported as it is cast for the loop, also where the mask leaves it out.
signalling = np.array([0x3F800000, 0x40000000, 0x7F800001, 0x3F800000], "u4").view("f4")
mask = np.array([True, True, False, True])
for _ in range(3):
    for other in (np.ones(4), np.ones(4, "f4"), np.arange(4)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            print(added(signalling, other, mask, np.zeros(4)), added(other, signalling, mask, np.zeros(4))[:2])
        print([(str(warning.message), warning.lineno) for warning in caught])
