"""Arrays in all memory orders are reshaped, and results in other orders than C's are changed in place."""
import numpy as np


def shown(x, *others):
    return x.dtype.str, x.shape, x.strides, x.flags.c_contiguous, x.flags.f_contiguous, x.flags.owndata, [np.shares_memory(x, o) for o in others], x.tolist()


def flat(a):
    return a.ravel(), a.reshape(-1), a.reshape(-1) * 2, a.ravel("F")


def reshaped(a, m, n):
    b = a.reshape(m, n)
    return b, b + 1, b.sum(axis=0), np.reshape(a, (n, m), order="F")


def split_axis(a):
    b = a.reshape(a.shape[0], -1, 1, 2)
    return b, b[..., 0] * 3, b.sum(axis=1)


def reshaped_and_written(a):
    b = a.reshape(-1, 2)
    b[0] = 5
    c = a.reshape(-1)
    a += 1
    return b, c, a


def contiguous(a):
    return np.ascontiguousarray(a), np.ascontiguousarray(a) is a


def changed(a, x):
    b = a * 2
    b += 1
    b[0] = -1
    b[..., -1] *= 3
    b -= x
    row = b[-1]
    row[:] = 2
    return b, row, row.base is b, b.sum(), b.copy(), b + b.T if b.shape == b.T.shape else b


def changed_copy(a):
    b = np.copy(a)
    b[0] = 0
    c = np.sort(a, axis=0)
    c[0] += 1
    d = a.astype("f4")
    d *= 2
    return b, c, d


def clipped(a):
    b = np.exp(-np.abs(a))
    b[b < 0.5] = 0
    np.add(b, 1, out=b)
    b[1:] += b[:-1]
    b.sort(axis=0)
    return b, b.cumsum(axis=0)


def attempt(function, x, *args):
    try:
        return [shown(r, x) if isinstance(r, np.ndarray) else r for r in function(x, *args)]
    except Exception as error:
        return type(error).__name__, str(error)


base = np.arange(24.0).reshape(4, 3, 2)
ARRAYS = [base, base.T, base.transpose(1, 0, 2), np.asfortranarray(base), base[::-1], base[:, ::2], base[:, :, ::-1], base[1:3], base[..., :1].repeat(2, -1),
          np.broadcast_to(base[0], (4, 3, 2)), base.astype("f4").swapaxes(0, 2), base.astype(complex).real, base[:, 1:].astype("i2", order="F"), base[:0]]
for a in ARRAYS:
    first = a[0] if len(a) else a
    calls = [(flat, a), (reshaped, a, a.size // 4, 4), (reshaped, a, 4, a.size // 4), (split_axis, a), (contiguous, a), (changed, a, 1.5), (changed, a, first), (changed_copy, a),
             (clipped, a), (flat, first), (changed, first, 0.5)]
    for repeat in range(3):
        for function, *args in calls:
            print(function.__name__, attempt(function, *args))
        print(attempt(reshaped_and_written, a.copy("K")[::1]))
for n in range(3, 9):
    whole = np.arange(100.0).reshape(10, 10)
    print([shown(r) for r in flat(whole[:n, :n + 1])], [shown(r) for r in reshaped(whole[:n, ::2], 5, n)])
