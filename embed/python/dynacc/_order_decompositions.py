"""Decompositions of NumPy's searches, counts and extremes (_decompositions.py says what these are)."""
import numpy as _np

from dynacc._decomposition_table import NUMPY_MAJOR, decomposes, end_run_if, flat, is_int, of_one_dtype, scalar_of


@decomposes("lexsort")
def _lexsort(keys, axis=-1):
    if not isinstance(keys, (list, tuple)) or not keys or any([_np.ndim(key) != 1 for key in keys]):
        return NotImplemented
    order = _np.argsort(keys[0], kind="stable")
    for key in keys[1:]:
        order = order[_np.argsort(key[order], kind="stable")]
    return order


# --- Quantiles -------------------------------------------------------------------------------------------------------

def _elements_at(rows, places):
    return _np.take_along_axis(rows, places[None].astype(_np.int64), axis=0)[0]


def _with_axis(found, rank, axis, keepdims):
    if not keepdims:
        return scalar_of(found)
    return found.reshape((1,) * rank) if axis is None else _np.expand_dims(found, axis)


def _between(rows, count, fraction, is_one):
    """The linear quantile of the first `count` of rows that are sorted, as NumPy interpolates.

    is_one  whether it is the only one, of which NumPy 2 computes in the dtype of the array
    """
    last = count - 1
    at = last * fraction
    place = _np.clip(_np.floor(at), 0, None)
    is_last = at >= last
    low = _elements_at(rows, _np.maximum(_np.where(is_last, last, place), 0))
    high = _elements_at(rows, _np.maximum(_np.where(is_last, last, place + 1), 0))
    weight = _np.where(is_last, at + 1, at - place)
    apart, rest = high - low, 1 - weight
    dtype = rows.dtype if is_one and NUMPY_MAJOR >= 2 else _np.dtype(_np.float64)
    low, high, apart = low.astype(dtype), high.astype(dtype), apart.astype(dtype)
    return _np.where(weight >= 0.5, high - apart * rest.astype(dtype), low + apart * weight.astype(dtype))


def _sorted_rows(a, axis):
    """The array sorted along its first axis, NaNs at the end; and where those were."""
    a, axis = flat(a, axis)
    a = _np.moveaxis(a, axis, 0)
    return _np.sort(a, axis=0, kind="stable"), _np.isnan(a)


def _quantile_at(a, fraction, axis, keepdims, is_one, ignores_nans):
    rows, is_nan = _sorted_rows(a, axis)
    numbers = (~is_nan).sum(0)
    count = numbers if ignores_nans else _np.full(is_nan.shape[1:], 1) * rows.shape[0]
    found = _between(rows, _np.asarray(count), fraction, is_one)
    is_none = numbers == 0 if ignores_nans else is_nan.any(0)
    return _with_axis(_np.where(is_none, found.dtype.type(_np.nan), found), a.ndim, axis, keepdims)


def _quantiles(a, q, axis, keepdims, others, by, ignores_nans):
    """`by`: what q is divided by; NumPy's function of numbers divides also by 1."""
    a = _np.asarray(a)
    are_many = isinstance(q, (list, tuple)) and len(q) > 0
    fractions = [each / by if by > 1 else float(each) for each in (q if are_many else [q])
                 if isinstance(each, (int, float))]
    is_plain = all([value is None or value is False or value == "linear" for value in others.values()])
    if not is_plain or len(fractions) != (len(q) if are_many else 1) or not (axis is None or is_int(axis)):
        return NotImplemented
    if a.dtype.kind != "f" or a.dtype == _np.float16 or a.ndim == 0 or not all([0 <= each <= 1 for each in fractions]):
        return NotImplemented
    found = [_quantile_at(a, each, axis, keepdims, not are_many, ignores_nans) for each in fractions]
    return _np.concatenate([_np.asarray(each)[None] for each in found]) if are_many else found[0]


@decomposes("quantile")
def _quantile(a, q, axis=None, keepdims=False, **kwargs):
    if _np.asarray(a).dtype == _np.float32:
        return _quantiles(a, q, axis, keepdims, kwargs, 1, False)
    if not isinstance(q, (list, tuple)) or not q or kwargs or keepdims:
        return NotImplemented
    return _np.concatenate([_np.quantile(a, each, axis)[None] for each in q])


@decomposes("percentile")
def _percentile(a, q, axis=None, keepdims=False, **kwargs):
    if _np.asarray(a).dtype == _np.float32:
        return _quantiles(a, q, axis, keepdims, kwargs, 100, False)
    if not isinstance(q, (list, tuple)) or not q or kwargs or keepdims:
        return NotImplemented
    return _np.concatenate([_np.percentile(a, each, axis)[None] for each in q])


@decomposes("nanquantile")
def _nanquantile(a, q, axis=None, keepdims=False, **kwargs):
    return _quantiles(a, q, axis, keepdims, kwargs, 1, True)


@decomposes("nanpercentile")
def _nanpercentile(a, q, axis=None, keepdims=False, **kwargs):
    return _quantiles(a, q, axis, keepdims, kwargs, 100, True)


@decomposes("nanmedian")
def _nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    a = _np.asarray(a)
    if out is not None or a.ndim == 0 or a.dtype.kind != "f" or not (axis is None or is_int(axis)):
        return NotImplemented
    rows, is_nan = _sorted_rows(a, axis)
    count = _np.asarray((~is_nan).sum(0))
    low, high = _elements_at(rows, _np.maximum((count - 1) // 2, 0)), _elements_at(rows, count // 2 * (count > 0))
    two = a.dtype.type(2)
    found = _np.where(count % 2 == 1, low, (low + high) / two)
    return _with_axis(_np.where(count == 0, a.dtype.type(_np.nan), found), a.ndim, axis, keepdims)


# --- Searches --------------------------------------------------------------------------------------------------------

@decomposes("searchsorted", method="searchsorted")
def _searchsorted(a, v, side="left", sorter=None):
    if sorter is not None:
        return NotImplemented
    a, v = of_one_dtype(a, v)
    if a.ndim != 1:
        return NotImplemented
    return _np.searchsorted(a, v, side) if v.ndim else _np.searchsorted(a, v.reshape(1), side)[0]


@decomposes("digitize")
def _digitize(x, bins, right=False):
    x, bins = of_one_dtype(x, bins)
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
    counts = _counts_between(*of_one_dtype(a, edges))
    return (counts / _np.diff(edges).astype(_np.float64) / counts.sum() if density else counts), edges


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
