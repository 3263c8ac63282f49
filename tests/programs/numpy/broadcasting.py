"""Operands of different ranks, and with axes of length one, are broadcast against each other."""
# test: compiled cuda numpy2
import numpy as np
from show import repeat, show


def outer(a, b):
    return a[:, None] * b[None, :] + a[:, None] - b


def affine(x, scale, shift):
    return x * scale + shift


column, row = np.arange(5.0), np.linspace(0, 1, 7)
show("outer", repeat(outer, column, row))
block = np.arange(24.0).reshape(2, 3, 4)
for scale_shape in [(4,), (3, 1), (1, 3, 4), (2, 1, 1), (), (1,)]:
    for shift_shape in [(), (4,), (2, 3, 1)]:
        scale = np.arange(np.prod(scale_shape), dtype=float).reshape(scale_shape) + 2
        shift = np.arange(np.prod(shift_shape), dtype=float).reshape(shift_shape) - 1
        show(f"affine {scale_shape} {shift_shape}", repeat(affine, block, scale, shift))
show("broadcast_to", repeat(lambda a: np.broadcast_to(a, (3, 4)) + 1, np.arange(4)))
try:
    affine(block, np.ones(5), 0)
except ValueError as error:
    print("ValueError:", error)
