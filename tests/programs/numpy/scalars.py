"""Python's and NumPy's scalars meet arrays and each other, and change from call to call."""
# test: compiled numpy2
import numpy as np
from show import repeat, show


def scaled(a, s):
    return a * s + s, s * s, a.sum() * s, a[0] + s


def mixed(x, y):
    return x + y, x * y, x / y, x // y, x % y, x**2, -x, x < y, abs(x)


a = np.arange(5.0, dtype="f4")
for s in (1, 2, 3.5, -1.25, True, np.float32(2.5), np.float64(2.5), np.int8(3), 2**40, 1e300, 1 + 2j, 10**15):
    for _ in range(4):
        result = scaled(a, s)
    show(repr(s), result)
numbers = [7, 2.5, np.float32(7.25), np.float64(2.5), np.int32(5), np.int64(-3), np.uint8(200)]
for x in numbers:
    for y in numbers:
        for _ in range(3):
            result = mixed(x, y)
        print(repr(x), repr(y), [(type(r).__name__, repr(r)) for r in result])


def index_math(a, i):
    j = i * 2 - 1
    return a[i:j + 3], a[j % len(a)], int(a[i]) + j, float(a.sum()) / (j or 1), a.shape[0] * i, divmod(j, 3)


for i in range(12):
    show(f"index {i % 5}", index_math(a, i % 5))
big = 2**62
for k in range(8):
    show("big", (lambda n: (n * 2 + k, n // 3, -n))(big))


def types(a):
    return a.dtype, a.ndim, a.size, a.nbytes, a.itemsize, len(a), a.shape, a.T.shape, a.dtype.kind, a.tolist(), a.item(0)


for _ in range(5):
    result = types(a)
print(result)


def truth_values_are_two_objects(a, b):
    return (a | b) is a, (a & b) is b, (a ^ a) is np.False_, np.isclose(a, a) is np.True_


show("identity", repeat(truth_values_are_two_objects, np.True_, np.False_))


# Scalars out of arrays of rank 0 that NumPy itself makes, and arrays out of scalars.
def out_of_rank_0(x):
    one, two, three = np.array(True)[()], np.array(2.5)[()], x[()]
    arrays = np.asarray(np.float32(1.5)), np.array(3)[...], np.asarray(np.ptp(x)), np.array(np.ptp(x))
    return one, two, three, *arrays, (one is np.True_)


show("rank 0", repeat(out_of_rank_0, np.array([1.0, 4.0])))
