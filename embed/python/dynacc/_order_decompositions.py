"""Decompositions of NumPy's functions of order: searches, counts and extremes; and of sums of neighbours' products.

_decompositions.py says what these are.
"""
import numpy as _np

from dynacc._decomposition_table import decomposes, end_run_if, is_int, scalar_of


@decomposes("lexsort")
def _lexsort(keys, axis=-1):
    if not isinstance(keys, (list, tuple)) or not keys or any([_np.ndim(key) != 1 for key in keys]):
        return NotImplemented
    order = _np.argsort(keys[0], kind="stable")
    for key in keys[1:]:
        order = order[_np.argsort(key[order], kind="stable")]
    return order


@decomposes("quantile")
def _quantile(a, q, axis=None, **kwargs):
    if not isinstance(q, (list, tuple)) or not q or kwargs:
        return NotImplemented
    return _np.concatenate([_np.quantile(a, each, axis)[None] for each in q])


@decomposes("percentile")
def _percentile(a, q, axis=None, **kwargs):
    if not isinstance(q, (list, tuple)) or not q or kwargs:
        return NotImplemented
    return _np.concatenate([_np.percentile(a, each, axis)[None] for each in q])


# --- Searches --------------------------------------------------------------------------------------------------------

def _of_one_dtype(a, b):
    a, b = _np.asarray(a), _np.asarray(b)
    dtype = _np.promote_types(a.dtype, b.dtype)
    return a.astype(dtype), b.astype(dtype)


@decomposes("searchsorted", method="searchsorted")
def _searchsorted(a, v, side="left", sorter=None):
    if sorter is not None:
        return NotImplemented
    a, v = _of_one_dtype(a, v)
    if a.ndim != 1:
        return NotImplemented
    return _np.searchsorted(a, v, side) if v.ndim else _np.searchsorted(a, v.reshape(1), side)[0]


@decomposes("digitize")
def _digitize(x, bins, right=False):
    x, bins = _of_one_dtype(x, bins)
    if bins.ndim != 1 or x.dtype.kind == "c":
        return NotImplemented
    return _np.digitize(x, bins, right) if x.ndim else _np.digitize(x.reshape(1), bins, right)[0]


# --- Counts ----------------------------------------------------------------------------------------------------------

@decomposes("bincount")
def _bincount(x, weights=None, minlength=0):
    """Of `minlength` places: a greater number, of which NumPy would make the result longer, ends the run."""
    x = _np.asarray(x)
    if not is_int(minlength) or minlength < 1 or x.ndim != 1 or x.dtype.kind not in "iu":
        return NotImplemented
    places = x.astype(_np.int64)
    places = _np.where(places < 0, minlength, places)  # beyond the end, as an index that is negative would not be
    if weights is None:
        counts, each = _np.zeros(minlength, _np.intp), _np.ones(x.shape, _np.intp)
    else:
        counts, each = _np.zeros(minlength), _np.asarray(weights).astype(_np.float64)
    _np.add.at(counts, places, each)
    return counts


def _counts_between(a, edges):
    """How many elements are from each edge to the next, the last one included."""
    ordered = _np.sort(a.reshape(-1), kind="stable")
    before = _np.searchsorted(ordered, edges[:-1], "left")
    return _np.diff(_np.concatenate((before, _np.searchsorted(ordered, edges[-1:], "right"))))


def _edges_over_range(a, count, range):
    """np.histogram's edges of so many bins that are equally wide, over a range or over all elements."""
    if range is not None:
        first, last = [float(edge) for edge in range]
        if first == last:
            first, last = first - 0.5, last + 0.5
        if not (last - first) / count > 1e-6 * max(abs(first), abs(last)):
            return NotImplemented
        return _np.linspace(first, last, count + 1, dtype=a.dtype if a.dtype.kind == "f" else _np.float64)
    if a.dtype == _np.float32:
        return NotImplemented  # what is computed in float64 differs between NumPy 1 and 2
    a = a.astype(_np.float64)
    first, last = _np.min(a), _np.max(a)
    first = first + end_run_if(~_np.isfinite(last - first), _np.float64)
    half = _np.where(first == last, 0.5, 0.0)
    first, last = first - half, last + half
    edges = _np.arange(count + 1.0) * ((last - first) / count) + first
    edges[-1] = last
    return edges


def _are_numbers(values):
    return isinstance(values, (list, tuple)) and all([isinstance(value, (int, float)) for value in values])


def _edges_of(a, bins, range):
    if is_int(bins) and bins > 0 and (range is None or _are_numbers(range) and len(range) == 2):
        return _edges_over_range(a, bins, range)
    if not _are_numbers(bins) or len(bins) < 2 or range is not None:
        return NotImplemented
    if any([not low <= high for low, high in zip(bins[:-1], bins[1:])]):
        return NotImplemented
    return _np.asarray(bins)


@decomposes("histogram")
def _histogram(a, bins=10, range=None, density=None, weights=None, **kwargs):
    """NumPy finds bins of one width by a division, and then looks at the edges, so that they alone decide."""
    a = _np.asarray(a)
    if weights is not None or kwargs or a.ndim == 0 or a.dtype.kind not in "iuf":
        return NotImplemented
    edges = _edges_of(a, bins, range)
    if edges is NotImplemented:
        return NotImplemented
    counts = _counts_between(*_of_one_dtype(a, edges))
    return (counts / _np.diff(edges).astype(_np.float64) / counts.sum() if density else counts), edges


# --- Sums of products of neighbours ----------------------------------------------------------------------------------

_LONGEST = 64  # more terms would make a large graph


def _in_order(a, v):
    """np.correlate of all overlaps of a with a shorter v, where each sum is added from its first term to its last."""
    sums = []
    for place in range(-len(v) + 1, len(a)):
        total = a.dtype.type(0)
        for offset in range(max(-place, 0), min(len(a) - place, len(v))):
            total = total + a[place + offset] * v[offset]
        sums.append(total)
    return _np.array(sums, a.dtype)


def _orders_of_sums():
    """Whether this NumPy's np.correlate adds in order: {(dtype, mode, whether v has at most 11 elements)}.

    It does so itself for v of at most 11 elements that overlap in full, and leaves the other sums to BLAS.
    """
    orders, random = {}, _np.random.RandomState(5)
    for dtype in (_np.float32, _np.float64):
        for is_short, counts in ((True, (2, 3, 5, 8, 11)), (False, (12, 17, 33, _LONGEST))):
            samples = [[random.normal(size=size).astype(dtype) for size in (_LONGEST + 5, count)] for count in counts]
            for mode in ("valid", "full"):
                orders[_np.dtype(dtype).char, mode, is_short] = all([
                    _np.correlate(a, v, mode).tobytes()
                    == (_in_order(a, v) if mode == "full" else _in_order(a, v)[len(v) - 1:1 - len(v) or None]).tobytes()
                    for a, v in samples])
    return orders


_ORDERS_OF_SUMS = {}


def find_orders():
    """Looks at what this NumPy does, once; before functions are traced."""
    if not _ORDERS_OF_SUMS:
        _ORDERS_OF_SUMS.update(_orders_of_sums())


def _has_order(dtype, mode, count):
    kind = "valid" if mode == "valid" else "full"
    return dtype.kind in "iu" or _ORDERS_OF_SUMS.get((dtype.char, kind, count <= 11), False)


def _correlated(a, v, mode):
    """np.correlate of a v that is not the longer one."""
    count, rest = v.shape[0], v.shape[0] - 1
    if mode not in ("valid", "same", "full") or not isinstance(count, int) or not 0 < count <= _LONGEST:
        return NotImplemented
    if not _has_order(a.dtype, mode, count):
        return NotImplemented
    is_inside = None
    if mode != "valid":
        outside = _np.zeros(rest, _np.bool_)
        is_inside = _np.concatenate((outside, _np.ones(a.shape, _np.bool_), outside))
        a = _np.concatenate((_np.zeros(rest, a.dtype), a, _np.zeros(rest, a.dtype)))
    size = a.shape[0] - rest
    sums = _np.zeros(size, a.dtype)
    for place in range(count):
        terms = a[place:place + size] * v[place]
        if is_inside is not None:
            terms = _np.where(is_inside[place:place + size], terms, a.dtype.type(0))
        sums = sums + terms
    if mode == "same":
        first = rest - count // 2
        sums = sums[first:first + size - rest]
    return _np.ascontiguousarray(sums)


def _are_vectors(a, v):
    return a.ndim == 1 and v.ndim == 1 and a.dtype.kind in "iuf"


@decomposes("correlate")
def _correlate(a, v, mode="valid"):
    a, v = _of_one_dtype(a, v)
    if not _are_vectors(a, v) or a.shape[0] < v.shape[0]:
        return NotImplemented
    return _correlated(a, v, mode)


@decomposes("convolve")
def _convolve(a, v, mode="full"):
    a, v = _of_one_dtype(a, v)
    if not _are_vectors(a, v):
        return NotImplemented
    if v.shape[0] > a.shape[0]:
        a, v = v, a
    return _correlated(a, v[::-1], mode)


# --- Extremes --------------------------------------------------------------------------------------------------------

def _nan_place(find, neutral, a, axis, out, keepdims):
    """NumPy raises an error where there are only NaNs."""
    a = _np.asarray(a)
    if out is not None or keepdims or a.ndim == 0 or a.dtype.kind != "f":
        return NotImplemented
    is_nan = _np.isnan(a)
    numbers = _np.where(is_nan, a.dtype.type(neutral), a)
    return find(numbers, axis) + end_run_if(is_nan.all(axis))


@decomposes("nanargmax")
def _nanargmax(a, axis=None, out=None, *, keepdims=False):
    return _nan_place(_np.argmax, -_np.inf, a, axis, out, keepdims)


@decomposes("nanargmin")
def _nanargmin(a, axis=None, out=None, *, keepdims=False):
    return _nan_place(_np.argmin, _np.inf, a, axis, out, keepdims)


def _extremes_so_far(extreme, array, axis, dtype, out):
    """Each element with those before it, first with one, then with two, four ..."""
    a = _np.asarray(array)
    if dtype is not None or out is not None or a.ndim == 0 or not isinstance(a.shape[axis], int):
        return NotImplemented
    rows, step = _np.moveaxis(a, axis, 0), 1
    while step < rows.shape[0]:
        rows = _np.concatenate((rows[:step], extreme(rows[:-step], rows[step:])))
        step *= 2
    return _np.ascontiguousarray(_np.moveaxis(rows, 0, axis))


@decomposes("maximum.accumulate")
def _maximum_so_far(array, axis=0, dtype=None, out=None):
    return _extremes_so_far(_np.maximum, array, axis, dtype, out)


@decomposes("minimum.accumulate")
def _minimum_so_far(array, axis=0, dtype=None, out=None):
    return _extremes_so_far(_np.minimum, array, axis, dtype, out)
