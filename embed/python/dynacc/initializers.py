"""Initial values of parameters. The names and arguments are those of `jax.nn.initializers`.

An initializer is a function init(rng, shape, dtype=numpy.float64) that returns a new array. `rng` is a
numpy.random.Generator, which stands where JAX has a key: equal generators draw equal values. `zeros` and `ones` are
initializers; the other functions return one. Values are drawn in float64 and cast.

The sources of the scales: LeCun et al., "Efficient BackProp", 1998; Glorot and Bengio, "Understanding the difficulty of
training deep feedforward neural networks", 2010; He et al., "Delving Deep into Rectifiers", 2015.
"""
import math as _math

import numpy as _np

from dynacc._compile import did_you_mean as _did_you_mean

__all__ = ["constant", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "lecun_normal", "lecun_uniform",
           "normal", "ones", "orthogonal", "truncated_normal", "uniform", "variance_scaling", "zeros"]

_MODES = ("fan_in", "fan_out", "fan_avg", "fan_geo_avg")
_DISTRIBUTIONS = ("truncated_normal", "normal", "uniform")

# The standard deviation of a normal distribution that is cut off at -2 and 2.
_STDDEV_OF_TRUNCATED = .87962566103423978


def zeros(rng, shape, dtype=_np.float64):
    """An array of zeros; `rng` is not used."""
    return _np.zeros(shape, dtype)


def ones(rng, shape, dtype=_np.float64):
    """An array of ones; `rng` is not used."""
    return _np.ones(shape, dtype)


def constant(value, dtype=_np.float64):
    """An initializer: `value`, a number or an array that broadcasts to the shape."""
    def init(rng, shape, dtype=dtype):
        return _np.full(shape, value, dtype)

    return init


def uniform(scale=1e-2, dtype=_np.float64):
    """An initializer: evenly distributed from 0 up to `scale`."""
    def init(rng, shape, dtype=dtype):
        return (rng.random(shape) * scale).astype(dtype)

    return init


def normal(stddev=1e-2, dtype=_np.float64):
    """An initializer: normally distributed around 0 with the standard deviation `stddev`."""
    def init(rng, shape, dtype=dtype):
        return (rng.standard_normal(shape) * stddev).astype(dtype)

    return init


def truncated_normal(stddev=1e-2, dtype=_np.float64, lower=-2.0, upper=2.0):
    """An initializer: normally distributed, without what lies outside of `lower` and `upper` times `stddev`.

    The standard deviation of what is left is less than `stddev`. ValueError if nothing can lie between the bounds.
    """
    if not lower < upper or upper < -5 or lower > 5:
        raise ValueError(f"dynacc.initializers.truncated_normal: next to nothing lies between {lower} and {upper}")

    def init(rng, shape, dtype=dtype):
        return (_truncated(rng, shape, lower, upper) * stddev).astype(dtype)

    return init


def variance_scaling(scale, mode, distribution, in_axis=-2, out_axis=-1, batch_axis=(), dtype=_np.float64):
    """An initializer whose values have the variance scale / n around 0.

    mode          what n is: "fan_in", the inputs of a unit; "fan_out", the units that an input reaches; "fan_avg", their
                  mean; "fan_geo_avg", the root of their product
    distribution  "truncated_normal" (cut off at twice the standard deviation), "normal" or "uniform"
    in_axis, out_axis, batch_axis  the axis, or a sequence of axes, of inputs, of outputs, and of what is independent.
                  The sizes of all others multiply both, as the space of a filter does.

    ValueError for other words, and for shapes of fewer than two axes.
    """
    if mode not in _MODES:
        raise ValueError("dynacc.initializers.variance_scaling: no mode is called "
                         f"{mode!r}{_did_you_mean(mode, _MODES)}")
    if distribution not in _DISTRIBUTIONS:
        raise ValueError("dynacc.initializers.variance_scaling: no distribution is called "
                         f"{distribution!r}{_did_you_mean(distribution, _DISTRIBUTIONS)}")

    def init(rng, shape, dtype=dtype):
        fan_in, fan_out = _fans(shape, in_axis, out_axis, batch_axis)
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2,
             "fan_geo_avg": _math.sqrt(fan_in * fan_out)}[mode]
        stddev = _math.sqrt(scale / n)
        if distribution == "truncated_normal":
            values = _truncated(rng, shape, -2.0, 2.0) * (stddev / _STDDEV_OF_TRUNCATED)
        elif distribution == "normal":
            values = rng.standard_normal(shape) * stddev
        else:
            values = rng.uniform(-1, 1, shape) * (_math.sqrt(3) * stddev)
        return values.astype(dtype)

    return init


def glorot_uniform(in_axis=-2, out_axis=-1, batch_axis=(), dtype=_np.float64):
    """variance_scaling of 1 / fan_avg, uniform: for tanh and other functions that are linear around 0."""
    return variance_scaling(1.0, "fan_avg", "uniform", in_axis, out_axis, batch_axis, dtype)


def glorot_normal(in_axis=-2, out_axis=-1, batch_axis=(), dtype=_np.float64):
    """variance_scaling of 1 / fan_avg, truncated_normal."""
    return variance_scaling(1.0, "fan_avg", "truncated_normal", in_axis, out_axis, batch_axis, dtype)


def lecun_uniform(in_axis=-2, out_axis=-1, batch_axis=(), dtype=_np.float64):
    """variance_scaling of 1 / fan_in, uniform."""
    return variance_scaling(1.0, "fan_in", "uniform", in_axis, out_axis, batch_axis, dtype)


def lecun_normal(in_axis=-2, out_axis=-1, batch_axis=(), dtype=_np.float64):
    """variance_scaling of 1 / fan_in, truncated_normal."""
    return variance_scaling(1.0, "fan_in", "truncated_normal", in_axis, out_axis, batch_axis, dtype)


def he_uniform(in_axis=-2, out_axis=-1, batch_axis=(), dtype=_np.float64):
    """variance_scaling of 2 / fan_in, uniform: for rectifiers, which let half of their inputs through."""
    return variance_scaling(2.0, "fan_in", "uniform", in_axis, out_axis, batch_axis, dtype)


def he_normal(in_axis=-2, out_axis=-1, batch_axis=(), dtype=_np.float64):
    """variance_scaling of 2 / fan_in, truncated_normal."""
    return variance_scaling(2.0, "fan_in", "truncated_normal", in_axis, out_axis, batch_axis, dtype)


def orthogonal(scale=1.0, column_axis=-1, dtype=_np.float64):
    """An initializer: a matrix whose columns, or rows if those are fewer, are orthogonal and of the length `scale`.

    column_axis  the axis of the columns; all others together are the rows

    The matrix is evenly distributed among such (Mezzadri, "How to generate random matrices from the classical compact
    groups", 2007). ValueError for shapes of fewer than two axes.
    """
    def init(rng, shape, dtype=dtype):
        if len(shape) < 2:
            raise ValueError(f"dynacc.initializers.orthogonal: a matrix has two axes or more, and the shape is "
                             f"{tuple(shape)}")
        columns = shape[column_axis]
        rows = _math.prod(shape) // columns
        q, r = _np.linalg.qr(rng.standard_normal((max(rows, columns), min(rows, columns))))
        q = q * _np.sign(_np.diag(r))
        if rows < columns:
            q = q.T
        others = [size for axis, size in enumerate(shape) if axis != column_axis % len(shape)]
        return (scale * _np.moveaxis(q.reshape((*others, columns)), -1, column_axis)).astype(dtype)

    return init


def _truncated(rng, shape, lower, upper):
    """Normally distributed values between the bounds: what lies outside is drawn again."""
    values = rng.standard_normal(shape)
    values = _np.asarray(values)
    outside = (values < lower) | (values > upper)
    while outside.any():
        values[outside] = rng.standard_normal(int(outside.sum()))
        outside = (values < lower) | (values > upper)
    return values


def _fans(shape, in_axis, out_axis, batch_axis):
    if len(shape) < 2:
        raise ValueError("dynacc.initializers.variance_scaling: a shape of two axes or more has inputs and outputs, "
                         f"not {tuple(shape)}")

    def size(axes):
        return _math.prod([shape[axis] for axis in ((axes,) if isinstance(axes, int) else axes)])

    space = _math.prod(shape) // max(size(in_axis) * size(out_axis) * size(batch_axis), 1)
    return size(in_axis) * space, size(out_axis) * space
