"""Escape times of the Mandelbrot set, by whole-array iteration and by shrinking masks."""
import hashlib

import numpy as np


def escape_times(c, limit=60):
    z = np.zeros_like(c)
    times = np.zeros(c.shape, dtype=np.int32)
    for _ in range(limit):
        inside = np.abs(z) <= 2.0
        z = np.where(inside, z * z + c, z)
        times += inside
    return times


def escape_times_real(x, y, limit=60):
    zx = np.zeros_like(x)
    zy = np.zeros_like(y)
    times = np.zeros(x.shape, dtype=np.int64)
    for _ in range(limit):
        x2, y2 = zx * zx, zy * zy
        inside = x2 + y2 <= 4.0
        if not inside.any():
            break
        zx, zy = np.where(inside, x2 - y2 + x, zx), np.where(inside, 2.0 * zx * zy + y, zy)
        times[inside] += 1
    return times


def main(width=180, height=120):
    x = np.linspace(-2.2, 0.9, width)
    y = np.linspace(-1.2, 1.2, height)
    times = escape_times(x[None, :] + 1j * y[:, None])
    real = escape_times_real(*np.meshgrid(x, y))
    print("inside", int((times == 60).sum()), "differ", int((times != real).sum()))
    palette = np.array(list(" .:-=+*#%@"))
    for row in times[::8, ::3]:
        print("".join(palette[np.minimum(row // 6, 9)]))
    print(hashlib.md5(times.tobytes()).hexdigest(), hashlib.md5(real.tobytes()).hexdigest())


if __name__ == "__main__":
    main()
