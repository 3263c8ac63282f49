"""Windows over several axes in two loops: reductions, products, views with names, and what NumPy says of them."""
# test: compiled
import hashlib
import traceback
import warnings

import numpy as np


def pools(x, k):
    n, h, w, c = x.shape
    shape = (n, h // k, w // k, c)
    most, least, sums, means = (np.zeros(shape) for _ in range(4))
    for i in range(h // k):
        for j in range(w // k):
            most[:, i, j, :] = np.max(x[:, k * i:k * i + k, k * j:k * j + k, :], axis=(1, 2))
            least[:, i, j] = x[:, k * i:k * i + k, k * j:k * j + k].min(axis=(1, 2))
            sums[:, i, j] = np.sum(x[:, k * i:k * i + k, k * j:k * j + k], axis=(-3, -2))
            means[:, i, j] = x[:, k * i:k * i + k, k * j:k * j + k].mean(axis=(1, 2))
    return most, least, sums, means


def plane(image, k):
    h, w = image.shape
    out = np.zeros((6, h - k + 1, w - k + 1))
    for i in range(h - k + 1):
        for j in range(w - k + 1):
            out[0, i, j] = image[i:i + k, j:j + k].max()
            out[1, i, j] = image[i:i + k, j:j + k].sum()
            out[2, i, j] = np.mean(image[i:i + k, j:j + k])
            part = image[i:i + k, j:j + k]
            out[3, i, j] = part.sum(axis=0).max() - np.min(part)
            out[4, i, j] = np.sum(part * part) - (part - 0.5).sum()
            out[5, i, j] = (part / (2.0 + out[1, i, j]) + part).mean(axis=1).sum()
    return out


def convolution(images, weights):
    k = weights.shape[0]
    n, h, w, _ = images.shape
    out = np.empty((n, h - k + 1, w - k + 1, weights.shape[3]))
    for i in range(h - k + 1):
        for j in range(w - k + 1):
            window = images[:, i:i + k, j:j + k, :]
            out[:, i, j, :] = np.sum(window[:, :, :, :, np.newaxis] * weights[np.newaxis, :, :, :], axis=(1, 2, 3))
    return out


def depthwise(x, kernel):
    k = kernel.shape[0]
    out = np.zeros((x.shape[0] - k + 1, x.shape[1] - k + 1, x.shape[2]))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = (x[i:i + k, j:j + k, :] * kernel).sum(axis=(0, 1))
            out[i, j, 1:] += (x[i:i + k, j:j + k] * kernel[:, :, :1]).sum((0, 1))[1:]
    return out


def matched(image, shape):
    """Sums of what an operation gives of two windows, one that has another reader, and greatest of products."""
    h, w, c = image.shape
    k = len(shape)
    out = np.zeros((5, h - k + 1, w - k + 1, c))
    for i in range(h - k + 1):
        for j in range(w - k + 1):
            part = image[i:i + k, j:j + k]
            out[0, i, j] = (part - shape).sum(axis=(0, 1))
            out[1, i, j] = np.sum(part / shape, axis=(0, 1))
            out[2, i, j] = (shape[:, :, :1] * part).sum(axis=(0, 1))
            out[3, i, j] = (part * shape).max(axis=(0, 1))
            out[4, i, j] = (part[:, :, ::-1] * shape).sum(axis=(0, 1)) + (part * 2.0).sum(axis=(0, 1))
    return out


def patches(x, k):
    columns = np.zeros((x.shape[0] - k, x.shape[1] - k, k, k))
    for i in range(x.shape[0] - k):
        for j in range(x.shape[1] - k):
            columns[i, j] = x[i:i + k, j:j + k]
            columns[i, j, :2, :] = x[i:i + 2, j:j + k] * 2.0
    return columns


def in_place(x, rounds):
    for i in range(rounds):
        for j in range(rounds):
            x[i:i + 3, j:j + 2] = x[i + 1:i + 4, j:j + 2] * 0.5
            x[i:i + 3, j:j + 2] = x[i + 1:i + 4, j + 1:j + 3]
    return x


def ends(x, k):
    """Windows that are cut off at the ends, and empty ones."""
    out = np.zeros(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = x[max(i - k, 0):i + k + 1, max(j - k, 0):j + k + 1].sum()
            if i > j:
                out[i, j] += x[i:i + k, j:j - 1].sum() + x[-i:, -j:][0].sum()
    return out


def report(name, values):
    for value in values if isinstance(values, tuple) else (values,):
        print(name, value.shape, value.dtype, hashlib.sha256(value.tobytes()).hexdigest())


def failing(function, *arguments):
    out = np.zeros((6, 6))
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function(out, *arguments)
        print([(str(one.message), one.lineno) for one in caught][:3], len(caught))
    except (ValueError, IndexError) as error:
        print(type(error).__name__, error, traceback.extract_tb(error.__traceback__)[-1].lineno)
    print(hashlib.sha256(out.tobytes()).hexdigest(), np.isnan(out).sum())


def too_far(out, x):
    for i in range(6):
        for j in range(6):
            out[i, j] = 1.0
            out[i, j] = x[i:i + 2, j:j + 2, i * j].sum()


def no_rows(out, x):
    for i in range(6):
        for j in range(6):
            out[i, j] = x[i:i + 4 - j, j:j + 2, 0].max()


def other_shapes(out, x):
    for i in range(6):
        for j in range(6):
            out[i:i + 2, j:j + 2] = x[i:i + 2, j:j + 3 - i // 2, 1]
            out[i:i + 2, j:j + 2] = x[i:i + 2, j:j + 2, 0] * 3.0


def warns(out, x):
    for i in range(5):
        for j in range(5):
            out[i, j] = (x[i:i + 2, j:j + 2, 0] * 1e200).sum()
            out[i, j] += x[i:i + 2, j:j + 2, 1].max()


def special(rng):
    x = rng.standard_normal((12, 12))
    x[3, 4], x[7, 2], x[9, 9] = np.nan, np.inf, -np.inf
    x[5:7, 5:7] = [[0.0, -0.0], [-0.0, 0.0]]
    x[10, :] = -0.0
    x[11, :] = 0.0
    return x


def main():
    rng = np.random.default_rng(7)
    x = rng.standard_normal((3, 9, 8, 5))
    for turn in range(3):
        for k in (2, 3):
            report("pools", pools(x, k))
            report("strided", pools(x[::-1, ::2, :, ::-1], 1 + k % 2))
            report("columns first", pools(np.asfortranarray(x), k))
        for k in (1, 2, 3, 9):
            report("plane", plane(rng.standard_normal((20, 30)), k))
            report("of a plane", plane(x[1, :, :, turn], min(k, 3)))
        report("convolution", convolution(x, rng.standard_normal((3, 3, 5, 4))))
        report("depthwise", depthwise(rng.standard_normal((10, 11, 6)), rng.standard_normal((3, 3, 6))))
        for channels in (1, 2, 3, 4, 7, 8, 12, 21):
            image, shape = rng.standard_normal((8, 9, channels)), rng.standard_normal((3, 3, channels))
            report(f"matched {channels}", matched(image, shape))
            report(f"convolution to {channels}", convolution(x, rng.standard_normal((2, 2, 5, channels))))
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                image[4, 4, -1], shape[1, 1, -1] = 1e200, 1e200
                report(f"overflowing {channels}", matched(image, shape))
                image[2, 2, 0], image[6, 6, 0] = np.inf, np.nan
                report(f"infinite {channels}", matched(image, shape))
                image[:] = -0.0
                report(f"zeros {channels}", matched(image, np.abs(shape)))
            print([(str(one.message), one.lineno) for one in caught][:20], len(caught))
        report("patches", patches(rng.standard_normal((9, 12)), 4))
        report("in place", in_place(rng.standard_normal((12, 12)), 8))
        report("ends", ends(rng.standard_normal((14, 15)), turn))
        with np.errstate(all="ignore"):
            report("special", plane(special(rng), 3))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            report("special", plane(special(rng), 2))
        print(len(caught))
    big = rng.standard_normal((6, 6, 12))
    failing(too_far, big)
    failing(no_rows, big)
    failing(other_shapes, big)
    big[2, 3, 0] = 1e200
    big[4, 4, 1] = np.nan
    failing(warns, big)


main()
