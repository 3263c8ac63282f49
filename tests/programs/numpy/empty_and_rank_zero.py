"""Arrays without elements, without axes and with one element take part in everything."""
# test: numpy2
import numpy as np
from show import repeat, show


def arithmetic(a):
    return a + 1, a * a - 2, np.sqrt(a * a), a.astype("f4"), a > 0


def sums(a):
    return a.sum(), a.prod(), a.any(), a.all(), a.sum(axis=0) if a.ndim else a


for shape in [(), (0,), (1,), (0, 3), (3, 0), (1, 1), (2, 0, 4)]:
    a = np.ones(shape)
    show(f"arithmetic {shape}", repeat(arithmetic, a))
    show(f"sums {shape}", repeat(sums, a))
for shape in [(), (1,), (0,), (4,)]:
    for other in [(), (1,), (0,)]:
        try:
            show(f"{shape} {other}", repeat(lambda a, b: a * b + a, np.full(shape, 3.0), np.full(other, 2.0)))
        except ValueError as error:
            print(shape, other, error)
for _ in range(6):
    try:
        np.zeros((0, 3)).max()
    except ValueError as error:
        message = str(error)
print(message)


def zero_d(a, b):
    c = a * 2
    c += b
    return c, c[()], float(c), c.item(), type(c + 0).__name__, type(a[...]).__name__


show("zero_d", repeat(zero_d, np.array([1.5]), np.array(2.0)))
try:
    show("zero_d", repeat(zero_d, np.array(1.5), np.array(2.0)))
except Exception as error:
    print(type(error).__name__, error)
