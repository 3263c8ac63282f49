"""Operands are non-contiguous, reversed, transposed, Fortran-ordered, unaligned, byte-swapped or read-only."""
# test: compiled numpy2
import numpy as np
from show import repeat, show


def formula(a, b):
    return a * b + a - 0.5 * b


base = np.arange(240.0).reshape(12, 20)
layouts = {
    "contiguous": base.copy(),
    "fortran": np.asfortranarray(base),
    "transposed": np.ascontiguousarray(base.T).T,
    "every other": np.repeat(base, 2, axis=1)[:, ::2],
    "reversed": base[::-1, ::-1],
    "broadcast": np.broadcast_to(base[0], base.shape),
    "offset": np.arange(241.0)[1:].reshape(12, 20),
    "swapped": base.astype(">f8"),
    "unaligned": np.frombuffer(b"x" + base.tobytes(), dtype="f8", offset=1).reshape(12, 20),
    "field": np.array([(v, 0) for v in base.ravel()], dtype="f8,i4")["f0"].reshape(12, 20),
}
for left, a in layouts.items():
    for right, b in layouts.items():
        show(f"{left} and {right}", repeat(formula, a, b, times=3))
readonly = base.copy()
readonly.flags.writeable = False
show("readonly", repeat(formula, readonly, readonly))


def write(a):
    a += 1


for _ in range(4):
    try:
        write(readonly)
    except ValueError as error:
        print(error)
cube = np.arange(120.0).reshape(4, 5, 6).transpose(2, 0, 1)
show("cube", repeat(lambda a: (a + 1, a * a[:, :, :1], a.sum(axis=1), np.sqrt(a)), cube))


def square_of_integers(a):
    return a ** 2.0, np.sign(a) + a ** 2.0


integers = np.arange(60, dtype="i1").reshape(5, 4, 3)
for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1)):
    show(f"square of integers {order}", repeat(square_of_integers, integers.transpose(order)))
    show(f"strides {order}", repeat(square_of_integers, integers.transpose(order))[0].strides)


def clipped(a, low, high):
    return np.clip(a, low, high)


# np.clip is one ufunc of three operands; where an axis of size 1 lies tells which way it went.
columns = np.linspace(-1, 3, 42).reshape(1, 6, 7).T
bounds = {"number": 1, "fortran": columns - 1, "c": np.ones((7, 6, 1)), "small": np.ones((1, 1, 1)),
          "single": columns.astype("f4"), "across": np.ones((6, 7, 1)).transpose(1, 0, 2),
          "row": np.ones((1, 6, 1))}
for left, low in bounds.items():
    for right, high in bounds.items():
        result = repeat(clipped, columns, low, high, times=3)
        show(f"clipped by {left} and {right}", result)
        print(result.strides, repeat(clipped, columns[::-1, :, :], low, high, times=3).strides)
