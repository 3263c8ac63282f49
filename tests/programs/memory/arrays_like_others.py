"""zeros_like and its kin keep the order of the array that they imitate, and sums of what is made of them."""
import hashlib
import itertools

import numpy as np


def views():
    """Arrays of all orders, with gaps, backwards and broadcast."""
    for shape in ((3, 4, 5), (3, 1, 5), (4, 5), (5, 1), (1, 1)):
        for axes in itertools.permutations(range(len(shape))):
            for signs in itertools.product((1, -1), repeat=len(shape)):
                for gap in (1, 2):
                    whole = np.arange(float(np.prod(shape)) * gap ** len(shape)).reshape([shape[a] * gap for a in axes])
                    view = whole[tuple(slice(None, None, gap) for _ in shape)].transpose(np.argsort(axes))
                    view = view[tuple(slice(None, None, sign) for sign in signs)] / 7
                    yield view
                    yield np.broadcast_to(view.take([0], axis=0), shape)


def stored_into(x):
    y = np.zeros_like(x)
    y[...] = x * 2
    return y, (y + x).sum()


def added(x):
    y = np.ones_like(x) + x
    return y, y.sum()


def updated(x):
    y = np.full_like(x, 2.5)
    y[0] += x[0]
    y *= x
    return y, y.sum()


def of_ints(x):
    y = np.full_like(x, 2, dtype=np.int64)
    y += 1
    return y, y.sum()


def flattened(x):
    y = np.zeros_like(x)
    flat = y.reshape(-1)
    flat[0] = 3
    return y, flat, flat.base is y, y.flags.c_contiguous, y.flags.f_contiguous


def as_out(x):
    y = np.zeros_like(x.T)
    np.add(x.T, 1, out=y)
    return y, y.T.sum()


def of_results(x):
    y = np.zeros_like(np.sin(x)) + np.sort(x, axis=0)
    return y, (y - x).ravel().sum()


def text(result):
    if isinstance(result, np.ndarray):
        return f"{result.strides} {result.tobytes().hex()}"
    return repr(result)


for function in (stored_into, added, updated, of_ints, flattened, as_out, of_results):
    digest = hashlib.sha256()
    for view in views():
        for result in function(view):
            digest.update(text(result).encode())
    print(function.__name__, digest.hexdigest()[:16])


def multiplied(x):
    z = x + 0j
    return np.zeros_like(z) * z + 1, np.ones_like(z) * 2, np.polyval([1, 2], z)


for view in views():
    for result in multiplied(view):
        digest.update(text(result).encode())
print("multiplied", digest.hexdigest()[:16])
