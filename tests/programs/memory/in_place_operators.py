"""In-place operators and out= change the same buffer and obey the casting rules."""
# test: compiled cuda numpy2
import numpy as np
from show import show


def advance(position, velocity, dt):
    velocity *= 0.99
    position += dt * velocity
    position[position > 5] -= 10
    return position


def out_arguments(a, b, buffer):
    np.multiply(a, b, out=buffer)
    np.add(buffer, 1.0, out=buffer)
    np.exp(buffer, buffer)
    return buffer


position = np.linspace(-4, 4.9, 1000)
velocity = np.sin(np.arange(1000.0))
original = position
for step in range(40):
    result = advance(position, velocity, 0.1)
    assert result is original
show("position", position)
show("velocity", velocity)
buffer = np.empty(1000)
for _ in range(12):
    assert out_arguments(position, velocity, buffer) is buffer
show("buffer", buffer)


def grow(counts):
    counts += 1
    counts <<= 1
    counts //= 3
    return counts


for dtype in ("i4", "u1", "i8"):
    counts = np.arange(10, dtype=dtype)
    for _ in range(12):
        grow(counts)
    show(dtype, counts)


def wrong_cast(a):
    a += 0.5
    return a


for _ in range(3):
    try:
        wrong_cast(np.arange(3))
    except TypeError as error:
        print(type(error).__name__, error)


def slices(a):
    a[1:4] = 7
    a[::2] += a[1::2]
    a[-1], a[0] = a[0], a[-1]
    a[:] = a[::-1]
    return a


a = np.arange(10.0)
for _ in range(12):
    slices(a)
show("slices", a)
