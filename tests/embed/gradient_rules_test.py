#!/usr/bin/env python3
"""Derivatives of calls that are left to NumPy (dynacc._gradient_rules): each rule against differences, of the first and
second order, and that each rule has a case."""
import math
import operator
import pathlib
import unittest
import warnings

import numpy as np

import dynacc
from dynacc import _gradient_rules, _gradients  # the latter registers the rules

RANDOM = np.random.default_rng(11)
X = RANDOM.normal(size=6)
V = RANDOM.normal(size=4)
A = RANDOM.normal(size=(4, 4)) + 3 * np.eye(4)
B = RANDOM.normal(size=(4, 3))
S = A @ A.T + np.eye(4)
P = RANDOM.uniform(0.2, 0.9, (3, 5))
W = RANDOM.normal(size=(4, 4))
C = RANDOM.normal(size=(2, 3, 3)) + 2 * np.eye(3)
N = np.where(P > 0.8, np.nan, P)
PLACES = np.array([0, 1, 1, 2, 0, 3])
IS_NUMPY_1 = np.__version__.startswith("1.")  # 2 has no method ptp, and warns of trapz, or has none


def symmetric(a):
    return (a + a.T) / 2


def changed(x, change):
    y = x * 2
    change(y)
    return y


def spectrum(y):
    """A real number of a complex array, whose derivative is not the same in all of it."""
    return (np.abs(y) ** 2 * np.arange(1, y.size + 1).reshape(y.shape)).sum() + np.real(y * (1 + 2j)).sum()


def weighed(y):
    return (y * y * np.arange(1, y.size + 1).reshape(y.shape)).sum()


# Functions of the module math of one number, which lies between 0.2 and 1 here.
MATH = ["acos", "asin", "asinh", "atan", "atanh", "cos", "cosh", "degrees", "erf", "erfc", "exp", "expm1", "fabs", "log",
        "log10", "log1p", "log2", "radians", "sin", "sinh", "sqrt", "tan", "tanh"]
MATH += [name for name in ("cbrt", "exp2") if hasattr(math, name)]
MORE_MATH = ["acosh", "atan2", "ceil", "copysign", "fmod", "hypot", "trunc"]  # in other cases
# Of an array of float32 and a scalar of float64, NumPy 1 lets the scalar's value decide about the dtype.
PROMOTING = ["add", "subtract", "true_divide", "maximum", "minimum", "fmax", "fmin", "arctan2", "hypot", "logaddexp",
             "logaddexp2", "fmod", "remainder", "copysign"]
# By the rule's name: functions, each with the arguments by all of which it is differentiated.
CASES = {
    "operator.pow": [(lambda x: x.sum() ** 2 + 2.0 ** x[0] + abs(x[1]) ** x[2], X)],
    "operator.mod": [(lambda x: x.sum() % 2.0 * x[0], X)],
    "operator.floordiv": [(lambda x: x[0] * (x.sum() // 0.3), X)],
    "operator.add": [(lambda x: (float(x.sum()) + x[0]) ** 2, X)],
    "operator.sub": [(lambda x: (float(x.sum()) - x[0]) ** 2, X)],
    "operator.mul": [(lambda x: float(x.sum()) * x[0], X)],
    "multiply": [(lambda b: spectrum(np.multiply(np.fft.fft2(b * (1 + 1j)), 2 - 1j)), B)],
    "math.log": [(lambda x: sum(getattr(math, name)(0.2 + abs(x[i % 6]) / 4) * x[i % 5] ** 2
                                for i, name in enumerate(MATH)), X)],
    "math.pow": [(lambda x: math.acosh(2 + x[0] ** 2) * x[1] + math.atan2(x[0], x[1]) * x[2] + math.fmod(x[2], x[3]) * x[0]
                  + math.copysign(x[0], x[1]) * x[2] + math.hypot(x[0], x[1], x[2]) * x[3]
                  + math.pow(abs(x[0]), x[1]) * x[2], X)],
    "math.floor": [(lambda x: float(math.floor(x[0] * 3)) + float(math.ceil(x[1] * 3)) + float(math.trunc(x[2] * 3))
                    + x[1] ** 2, X)],
    "operator.abs": [(lambda x: abs(float(x[0])) * x[1], X)],
    "operator.max": [(lambda x: max(float(x[0]), 0.1, float(x[1])) * x[2]
                      + min(x[0].item(), x[1].item()) * x[3], X)],
    "power": [(lambda x, v: weighed(np.power(np.abs(x[:4]), v)) + weighed(np.power(x, 3.0)), X, V)],
    "float_power": [(lambda x: weighed(np.float_power(np.abs(x), 1.5)), X)],
    "absolute": [(lambda x: weighed(np.absolute(x * (1 + 2j))), X)],
    "operator.truediv": [(lambda x: float(x.sum()) / x[0], X)],
    "operator.neg": [(lambda x: -float(x.sum()) * x[0], X)],
    "operator.getitem": [(lambda x: x[np.searchsorted(np.linspace(-1, 1, 4), 0.1)] ** 2, X)],
    "round": [(lambda x: x[0] * round(x[1], 2), X)],
    "take": [(lambda x: weighed(np.take(x, [0, 2, 2])), X), (lambda b: weighed(np.take(b, [1, 0], axis=1)), B)],
    ".take": [(lambda x: weighed(x.take([0, 2, 2])), X)],
    "repeat": [(lambda x: weighed(np.repeat(x, 2)), X), (lambda b: weighed(np.repeat(b, 2, axis=0)), B)],
    ".repeat": [(lambda b: weighed(b.repeat(3, 1)), B)],
    "tile": [(lambda b: weighed(np.tile(b, (2, 2))), B)],
    "pad": [(lambda b: weighed(np.pad(b.T, ((1, 2), (0, 1)))), B),
            (lambda b: weighed(np.pad(b.T, 1, "constant", constant_values=3.0)), B),
            *[(lambda b, mode=mode: weighed(np.pad(b.T, 1, mode=mode)), B)
              for mode in ("edge", "reflect", "symmetric", "wrap")]],
    "add.reduceat": [(lambda x: weighed(np.add.reduceat(x, [0, 2, 1])), X),
                     (lambda b: weighed(np.add.reduceat(b, [0, 1], axis=1)), B)],
    "modf": [(lambda x: weighed(np.modf(x)[0]) + weighed(np.modf(x)[1]), X)],
    "delete": [(lambda x: weighed(np.delete(x, 2)), X)],
    "insert": [(lambda x, v: weighed(np.insert(x, [1, 1, 3, 5], v)), X, V),
               (lambda x: weighed(np.insert(x, 2, 1.0)), X)],
    "append": [(lambda x, v: weighed(np.append(x, v)), X, V)],
    "resize": [(lambda x: weighed(np.resize(x, (3, 3))), X)],
    "diag": [(lambda x: weighed(np.diag(x) @ np.diag(x)), X), (lambda a: weighed(np.diag(a, 1)), A)],
    "diagflat": [(lambda x: weighed(np.diagflat(x, 1)), X)],
    "diagonal": [(lambda a: weighed(np.diagonal(a, 1)), A)],
    ".diagonal": [(lambda a: weighed(a.diagonal(1)), A)],
    "sum": [(lambda b: weighed(np.sum(b, axis=0, initial=0.5, where=b > 0)), B),
            (lambda b: spectrum(np.sum(b, axis=0, dtype=np.complex128)), B)],
    ".sum": [(lambda b: weighed(b.sum(1, where=[True, False, True])), B)],
    "prod": [(lambda b: weighed(np.prod(b, axis=0, initial=2.0, where=b > 0)), B)],
    ".prod": [(lambda b: weighed(b.prod(1, initial=2.0)), B)],
    "max": [(lambda b: weighed(np.max(b, axis=0, initial=0.5)), B)],
    ".max": [(lambda b: weighed(b.max(1, initial=-9.0, where=b < 0.5)), B)],
    "min": [(lambda b: weighed(np.min(b, axis=0, initial=-0.5)), B)],
    ".min": [(lambda b: weighed(b.min(1, initial=9.0, where=b > -0.5)), B)],
    "mean": [(lambda b: weighed(np.mean(b, axis=1, where=b > b[:, 1:2] - 1)), B)],
    ".mean": [(lambda b: b.mean(where=[True, False, True]) ** 2, B)],
    "var": [(lambda b: weighed(np.var(b, axis=0, ddof=1, where=np.arange(4)[:, None] < 3)), B),
            (lambda b: np.var(b * (1 + 1j), where=[True, False, True]), B)],
    ".var": [(lambda b: b.var(where=[True, False, True]) ** 2, B)],
    "std": [(lambda b: weighed(np.std(b, axis=0, keepdims=True, where=np.arange(4)[:, None] < 3)), B)],
    ".std": [(lambda b: b.std(where=[True, False, True]) ** 2, B)],
    "cumsum": [(lambda b: spectrum(np.cumsum(b, axis=0, dtype=np.complex128)), B)],
    ".cumsum": [(lambda b: weighed(b.cumsum(dtype=float)), B)],
    "cumprod": [(lambda b: spectrum(np.cumprod(b, axis=0, dtype=np.complex128)), B)],
    ".cumprod": [(lambda b: weighed(b.cumprod(dtype=float)), B)],
    "where": [(lambda b: weighed(np.where([True, False, True], b, b * b)), B),
              (lambda x: weighed(np.where(x > 0, x, [1.0, x[0], 2.0, 3.0, 4.0, 5.0])), X),
              (lambda x: (np.sin(x[np.where(x > 0)]) ** 2).sum(), X), (lambda b: (b[np.where(b > 0)[0]] ** 2).sum(), B)],
    "array": [(lambda b: weighed(np.array([b, 2 * b])), B), (lambda x: weighed(np.array([[x.sum(), 1], [2, x[0]]])), X),
              (lambda x: weighed(np.array([[np.cos(x[0]), -x[1]], [x[1], 1.0]], dtype=float)), X),
              (lambda x: weighed(np.array(x, dtype=float)), X), (lambda x: weighed(np.array(x[::2], ndmin=3)), X),
              (lambda b: weighed(np.array([b, 2 * b], ndmin=4)), B)],
    "asarray": [(lambda b: weighed(np.asarray([b, 2 * b])), B), (lambda x: weighed(np.asarray([x[0], x[1]], float)), X)],
    "asanyarray": [(lambda x: weighed(np.asanyarray([x[0], x[1]])), X)],
    "clip": [(lambda x: weighed(np.clip(x, x.mean() - x.std(), x.mean() + x.std())), X),
             (lambda x: weighed(np.clip(x, [-0.5] * 6, [0.7] * 6)), X),
             (lambda b: weighed(np.clip(b.T, b[:1].T, 5.0)), B), (lambda x: weighed(np.clip(0.1, x[:2], 0.2)), X),
             (lambda x, v: weighed(np.clip(x[:4], v, v + 0.5)), X, V), (lambda x: weighed(np.clip(x, -0.5, 0.7)), X)],
    ".clip": [(lambda x: weighed(x.clip(x.mean() - x.std(), 0.7)), X)],
    "around": [(lambda x: weighed(np.around(x, 1) + np.round(x, 2) + x), X)],
    ".round": [(lambda x: weighed(x.round(1) + x), X)],
    "angle": [(lambda x, v: weighed(np.angle(x[:4] + 1j * v)), X, V), (lambda x: weighed(np.angle(x) + x), X),
              (lambda x: weighed(np.angle(x + 1j, deg=True)), X)],
    "concatenate": [(lambda x: weighed(np.concatenate([[0.0], x, [x[0], 2]])), X),
                    (lambda b: weighed(np.concatenate([[[1, 2, 3]], b])), B)],
    "hstack": [(lambda x: weighed(np.hstack([0.0, x, x[0]])), X)],
    "vstack": [(lambda x: weighed(np.vstack([x, [1.0] * 6])), X)],
    "column_stack": [(lambda x: weighed(np.column_stack([x, [1.0] * 6])), X)],
    "r_": [(lambda x: weighed(np.r_[0.0, x, x[0], [1.0, x[1]]]), X), (lambda x: weighed(np.c_[x, [1.0] * 6]), X)],
    "outer": [(lambda x: weighed(np.outer(x, [1.0, 2.0])), X)],
    "roll": [(lambda x: weighed(np.roll([x[0], x[1], x[2]], 1)), X)],
    "polyfit": [(lambda x: weighed(np.polyfit(np.arange(6.0), x, 2)), X)],
    "logaddexp.reduce": [(lambda x: np.logaddexp.reduce(x) ** 2, X),
                         (lambda b: weighed(np.logaddexp.reduce(b, axis=1)), B)],
    "maximum.accumulate": [(lambda x: weighed(np.maximum.accumulate(x)), X),
                           (lambda b: weighed(np.maximum.accumulate(b, axis=1)), B)],
    "minimum.accumulate": [(lambda b: weighed(np.minimum.accumulate(b)), B)],
    "bincount": [(lambda x: (np.bincount(PLACES, x) ** 3).sum(), X),
                 (lambda x: weighed(np.bincount(PLACES, weights=x * x, minlength=6)), X)],
    "zeros_like": [(lambda b: weighed(np.zeros_like(b.T.copy()[::-1]) + b.T), B)],
    "ones_like": [(lambda b: weighed(np.ones_like(b.T.copy()[::-1]) + b.T), B)],
    "empty_like": [(lambda b: weighed(np.empty_like(b.T.copy()[::-1]) * 0 + b.T), B)],
    "full": [(lambda x: weighed(np.full((2, 3), x[0] * x[1])), X), (lambda v: weighed(np.full((3, 4), v)), V),
             (lambda x: weighed(np.full(3, x[0], dtype=float)), X)],
    "full_like": [(lambda x: weighed(np.full_like(x, x[0] * x[1])), X),
                  (lambda x: weighed(np.full_like(x, x[0], dtype=float)), X)],
    "linspace": [(lambda x: weighed(np.linspace(x[0], 3, 4, dtype=float)), X),
                 (lambda x: weighed(np.linspace(x[0], x[1] * x[2], 5)), X),
                 (lambda v: weighed(np.linspace(v, v[0], 5, endpoint=False)), V)],
    "meshgrid": [(lambda x, v: weighed(np.meshgrid(x, v * v)[0] * np.meshgrid(x, v)[1]), X, V),
                 (lambda x, v: weighed(np.meshgrid(x, v, v, indexing="ij")[1] + np.meshgrid(x, v)[0][0, 0]), X, V)],
    "ldexp": [(lambda x: weighed(np.ldexp(x, 3)), X)],
    "stack": [(lambda x: weighed(np.stack([x[0] * 2, *x[1:]])), X)],
    "diff": [(lambda x: weighed(np.diff(x, prepend=x[:1], append=x[1:3])), X),
             (lambda x: weighed(np.diff(x, 2, prepend=0.0, append=x[0])), X),
             (lambda b: weighed(np.diff(b, axis=0, prepend=0)), B), (lambda x: spectrum(np.diff(x * (1 + 2j))), X)],
    "multiply.outer": [(lambda x, v: weighed(np.multiply.outer(x, [1.0, 2.0])), X, V)],
    "tril": [(lambda a: weighed(np.tril(a, -1)), A)],
    "triu": [(lambda c: weighed(np.triu(c)), C)],
    "fft.fftshift": [(lambda x: weighed(np.fft.fftshift(x)), X)],
    "fft.ifftshift": [(lambda b: weighed(np.fft.ifftshift(b, axes=1)), B)],
    "block": [(lambda a, v: weighed(np.block([[a, a], [v, v * v]])), A, V)],
    "choose": [(lambda x: weighed(np.choose([0, 1, 0, 1, 0, 1], [x, x ** 2])), X)],
    ".choose": [(lambda x: weighed(np.array([0, 1, 0, 1, 0, 1]).choose([x, x ** 2])), X)],
    "select": [(lambda x: weighed(np.select([x > 0, x < -0.5], [x ** 2, x ** 3], x)), X)],
    "sort": [(lambda x: weighed(np.sort(x)), X), (lambda b: weighed(np.sort(b, axis=0)), B)],
    "partition": [(lambda x: np.partition(x, 2)[2] ** 2, X)],
    ".sort": [(lambda x: weighed(changed(x, lambda y: y.sort())), X),
              (lambda b: weighed(changed(b, lambda y: y.sort(axis=0))), B),
              (lambda b: weighed(changed(b, lambda y: y[1].sort())), B),
              (lambda b: weighed(changed(b, lambda y: y[:, 0].sort())), B)],
    ".partition": [(lambda x: changed(x, lambda y: y.partition(2))[2] ** 2, X)],
    "nanmedian": [(lambda p: weighed(np.nanmedian(p, axis=1, keepdims=True)), N), (lambda p: np.nanmedian(p) ** 2, N)],
    "nanquantile": [(lambda p: weighed(np.nanquantile(p, 0.3, axis=0)), N)],
    "nanpercentile": [(lambda p: np.nanpercentile(p, 30) ** 2, N)],
    "median": [(lambda x: np.median(x) ** 2, X), (lambda p: weighed(np.median(p, axis=1, keepdims=True)), P)],
    "quantile": [(lambda p: weighed(np.quantile(p, 0.3, axis=0)), P),
                 (lambda x: weighed(np.quantile(x, [0.2, 0.7])), X)],
    "percentile": [(lambda x: np.percentile(x, 30) ** 2, X)],
    "ptp": [(lambda p: weighed(np.ptp(p, axis=1)), P)],
    ".ptp": [(lambda x: x.ptp() ** 2, X)] if IS_NUMPY_1 else [],
    "nansum": [(lambda p: np.nansum(p * p), N),
               (lambda p: weighed(np.nansum(p, axis=1, where=np.arange(5) > 0, initial=1.0)), N)],
    "nanprod": [(lambda p: weighed(np.nanprod(p, axis=1)), N)],
    "nanmax": [(lambda p: weighed(np.nanmax(p, axis=1)), N)],
    "nanmin": [(lambda p: weighed(np.nanmin(p, axis=0)), N)],
    "nancumsum": [(lambda p: weighed(np.nancumsum(p, axis=1)), N)],
    "nancumprod": [(lambda p: weighed(np.nancumprod(p, axis=1)), N)],
    "nanmean": [(lambda p: weighed(np.nanmean(p, axis=1)), N)],
    "nanvar": [(lambda p: weighed(np.nanvar(p, axis=1)), N)],
    "nanstd": [(lambda p: weighed(np.nanstd(p, axis=1, ddof=1)), N)],
    "average": [(lambda p: weighed(np.average(p, axis=0, weights=np.arange(1.0, 4))), P),
                (lambda x: np.average(x, weights=x * x), X)],
    "cov": [(lambda p: weighed(np.cov(p)), P), (lambda x, y: weighed(np.cov(x, y, bias=True)), X, X[::-1].copy())],
    "corrcoef": [(lambda p: weighed(np.corrcoef(p)), P)],
    "trapz": [(lambda x: np.trapz(x ** 2, dx=0.1), X),
              (lambda p: weighed(np.trapz(p, np.arange(5.0) ** 2)), P)] if IS_NUMPY_1 else [],
    "trapezoid": [(lambda x: np.trapezoid(x ** 2, dx=0.1), X)],
    "gradient": [(lambda x: weighed(np.gradient(x, 0.5)), X), (lambda b: weighed(np.gradient(b)[1]), B)],
    "i0": [(lambda x: weighed(np.i0(x * 3)), np.append(X, 0.0)), (lambda x: weighed(np.i0(x + 8) / 1e3), X)],
    "polyder": [(lambda x: weighed(np.polyder(x)), X), (lambda x: weighed(np.polyder(x, 2)), X)],
    "polyint": [(lambda x: weighed(np.polyint(x)), X), (lambda x: weighed(np.polyint(x, 2)), X)],
    "ediff1d": [(lambda x: weighed(np.ediff1d(x)), X)],
    "unwrap": [(lambda x: weighed(np.unwrap(3 * x)), X)],
    "sinc": [(lambda x: weighed(np.sinc(x)), np.append(X, 0.0))],
    "nan_to_num": [(lambda p: weighed(np.nan_to_num(p)), P)],
    "interp": [(lambda q, v: weighed(np.interp(q, [0.0, 0.3, 0.6, 1.0], v)), np.linspace(0.11, 0.89, 5), V)],
    "polyval": [(lambda p, x: weighed(np.polyval(p, x)), V, X)],
    "vander": [(lambda x: weighed(np.vander(x, 3)), X)],
    "inner": [(lambda a, w: weighed(np.inner(a, w)), A, W), (lambda x, v: np.inner(x[:4], v) ** 2, X, V)],
    "tensordot": [(lambda c, b: weighed(np.tensordot(c, b, ((1,), (1,)))), C, B),
                  (lambda a, b: weighed(np.tensordot(a, b, 1)), A, B)],
    "dot": [(lambda x: np.dot(x, x[::-1]) ** 2, X), (lambda x: spectrum(np.dot(x * (1 + 1j), x[::-1])), X),
            (lambda c, x: weighed(np.dot(c, np.multiply.outer(x, C))[0]), C, X),
            (lambda c, b: weighed(np.dot(c, b[0])), C, B), (lambda a, b: weighed(np.dot(a, b)), A, B),
            (lambda a, v: weighed(np.dot(a, v)) + weighed(np.dot(v, a)), A, V),
            (lambda a, b: spectrum(np.dot(a * (2 - 1j), np.fft.fft(b))), A, B)],
    ".dot": [(lambda x: x.dot(x[::-1]) ** 2, X), (lambda a, b: weighed(a.dot(b)), A, B)],
    "operator.matmul": [(lambda x, v: (x[:4] @ v) ** 2, X, V)],
    "matmul": [(lambda x, v: np.matmul(x[:4], v) ** 2, X, V)],
    "vecdot": [(lambda x, v: np.vecdot(x[:4], v) ** 2, X, V), (lambda a, w: weighed(np.vecdot(a, w, axis=0)), A, W),
               (lambda a, w: weighed(np.linalg.vecdot(a, w)), A, W)],
    "matvec": [(lambda c, b: weighed(np.matvec(c, b[:2])), C, B)],
    "vecmat": [(lambda c, b: weighed(np.vecmat(b[:2], c)), C, B)],
    "vdot": [(lambda a, w: np.vdot(a, w) ** 2, A, W)],
    "kron": [(lambda a, b: weighed(np.kron(a, b)), A, B)],
    "cross": [(lambda b, c: weighed(np.cross(b[:3], c[0])), B, C)],
    "trace": [(lambda a: np.trace(a @ a, 1) ** 2, A), (lambda c: weighed(np.trace(c, axis1=1, axis2=2)), C)],
    ".trace": [(lambda a: (a @ a).trace() ** 2, A)],
    "linalg.multi_dot": [(lambda a, b: weighed(np.linalg.multi_dot([a, a, b])), A, B)],
    "linalg.matrix_power": [(lambda a: weighed(np.linalg.matrix_power(a, 3)), A),
                            (lambda a: weighed(np.linalg.matrix_power(a, -2)), A)],
    "einsum": [(lambda a, b: weighed(np.einsum("ij,jk->ik", a, b)), A, B), (lambda a: np.einsum("ii", a) ** 2, A),
               (lambda a, b, w: weighed(np.einsum("ij,jk,li->kl", a, b, w)), A, B, W),
               (lambda c, b: weighed(np.einsum("bij,kj->bk", c, b)), C, B),
               (lambda a: weighed(np.einsum("ij->j", a)), A),
               (lambda c, b: weighed(np.einsum("...ij,kj->...ik", c, b)), C, B),
               (lambda c, b: weighed(np.einsum("...ij,...jk", c, c)) + weighed(b), C, B)],
    "convolve": [(lambda x, v: weighed(np.convolve(x, v)), X, V),
                 (lambda x, v: weighed(np.convolve(x, v, "same")), X, V),
                 (lambda v, x: weighed(np.convolve(v, x, "valid")), V, X)],
    "correlate": [(lambda x, v: weighed(np.correlate(x, v, "full")), X, V),
                  (lambda x, v: weighed(np.correlate(x, v, "same")), X, V),
                  (lambda v, x: weighed(np.correlate(v, x, "same")), V, X),
                  (lambda x, v: weighed(np.correlate(x, v)), X, V)],
    "linalg.inv": [(lambda c: weighed(np.linalg.inv(c)), C)],
    "linalg.solve": [(lambda a, b: weighed(np.linalg.solve(a, b)), A, B),
                     (lambda a, v: weighed(np.linalg.solve(a, v)), A, V),
                     (lambda c, b: weighed(np.linalg.solve(c, b)), C, C[:, :, :2].copy())],
    "linalg.det": [(lambda c: weighed(np.linalg.det(c)), C)],
    "linalg.slogdet": [(lambda c: weighed(np.linalg.slogdet(c)[1]) + np.linalg.slogdet(c)[0].sum(), C)],
    "linalg.cholesky": [(lambda s: weighed(np.linalg.cholesky(symmetric(s))), S)],
    "linalg.qr": [(lambda b: weighed(np.linalg.qr(b)[0]) + weighed(np.linalg.qr(b)[1]), B)],
    "linalg.eigh": [(lambda s: weighed(np.linalg.eigh(symmetric(s))[1] ** 2), S),
                    (lambda s: weighed(np.linalg.eigh(symmetric(s))[0]), S)],
    "linalg.eigvalsh": [(lambda s: weighed(np.linalg.eigvalsh(symmetric(s))), S)],
    "linalg.svd": [(lambda b: weighed(np.linalg.svd(b, compute_uv=False)), B),
                   (lambda b: weighed(np.linalg.svd(b, full_matrices=False)[0] ** 2), B),
                   (lambda b: weighed(np.linalg.svd(b.T, full_matrices=False)[2] ** 2), B),
                   (lambda a: weighed(np.linalg.svd(a)[1]), A)],
    "linalg.pinv": [(lambda b: weighed(np.linalg.pinv(b)), B), (lambda b: weighed(np.linalg.pinv(b.T)), B)],
    "linalg.lstsq": [(lambda a, v: weighed(np.linalg.lstsq(a, v, rcond=None)[0]), A, V),
                     (lambda a, v: weighed(np.linalg.lstsq(a, v, rcond=None)[3]), A, V),
                     (lambda b, v: weighed(np.linalg.lstsq(b, v, rcond=None)[0]), B, V)],
    "linalg.cond": [(lambda a, p=p: np.linalg.cond(a, p) ** 2, A) for p in (None, -2, 1, "fro")],
    "linalg.norm": [(lambda b, ord=ord: np.linalg.norm(b, ord) ** 2, B) for ord in ("fro", "nuc", 2, -2, 1, np.inf)]
    + [(lambda b, ord=ord: weighed(np.linalg.norm(b, ord, axis=0)), B) for ord in (1, 3, np.inf, -np.inf)],
    "fft.fft": [(lambda x: spectrum(np.fft.fft(x)), X),
                (lambda b: spectrum(np.fft.fft(b, 6, axis=0, norm="ortho")), B)],
    "fft.ifft": [(lambda x: spectrum(np.fft.ifft(x * x + 1j * x)), X), (lambda x: spectrum(np.fft.ifft(x, 4)), X)],
    "fft.fft2": [(lambda a: spectrum(np.fft.fft2(a)), A)],
    "fft.fftn": [(lambda b: spectrum(np.fft.fftn(b, (3, 4), (0, 1))), B)],
    "fft.ifft2": [(lambda a: spectrum(np.fft.ifft2(a * (1 + 1j))), A)],
    "fft.ifftn": [(lambda b: spectrum(np.fft.ifftn(b, axes=(0,))), B)],
    "fft.rfft": [(lambda x: spectrum(np.fft.rfft(x)), X), (lambda b: spectrum(np.fft.rfft(b, 5, axis=0)), B)],
    "fft.irfft": [(lambda x: weighed(np.fft.irfft(x * (1 + 2j))), X),
                  (lambda x: weighed(np.fft.irfft(x * (1 + 2j), 7)), X)],
    "fft.rfft2": [(lambda a: spectrum(np.fft.rfft2(a)), A)],
    "fft.rfftn": [(lambda b: spectrum(np.fft.rfftn(b)), B)],
    "fft.irfft2": [(lambda a: weighed(np.fft.irfft2(a * (1 + 1j))), A)],
    "fft.irfftn": [(lambda b: weighed(np.fft.irfftn(b * (1 + 1j), (4, 4), (0, 1))), B)],
}

# Ufuncs of an array that a call gives: NumPy 2's loops depend on how it lies in memory.
for name in ("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "cos", "cosh", "exp", "exp2", "expm1",
             "log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh"):
    shift = 1.5 if name == "arccosh" else 0.4
    CASES[name] = [(lambda a, ufunc=getattr(np, name), shift=shift: weighed(ufunc(0.01 * np.tensordot(a, a, 0) + shift)), A)]


def key_of(name):
    """What RULES has for a name of CASES; None: this NumPy has no such function."""
    if name.startswith("."):
        return name[1:]
    found = {"operator": operator, "math": math}.get(name.split(".")[0], np)
    builtins = {"round": round, "operator.abs": abs, "operator.max": max, "r_": np.r_.__getitem__.__func__}
    if name in builtins:
        return builtins[name]
    for part in name.split(".")[0 if found is np else 1:]:
        found = getattr(found, part, None)
    return found


def differences(f, arguments, index, step=1e-5):
    found = np.zeros_like(arguments[index])
    for at in np.ndindex(found.shape):
        up, down = [[a.copy() for a in arguments] for _ in range(2)]
        up[index][at] += step
        down[index][at] -= step
        found[at] = (f(*up) - f(*down)) / (2 * step)
    return found


# Functions that are traced by what stands for them (dynacc._call_forms).
FORMS = [
    (lambda x: weighed(np.piecewise(x, [x < 0, x >= 0], [lambda v: v ** 2, np.sin])), X),
    (lambda x: weighed(np.piecewise(x, [x < -0.5, x > 0.5], [-1, lambda v, a: v * a, lambda v, a: a - v], 2.0)), X),
    (lambda b: weighed(np.piecewise(b, [b > 0], [lambda v: np.cos(v), lambda v: v ** 3])), B),
    (lambda b: weighed(np.apply_along_axis(lambda row: np.outer(row, row), 0, b)), B),
    (lambda b: weighed(np.apply_along_axis(lambda row: row.prod(), -1, b)), B),
]


class Rules(unittest.TestCase):
    def test_functions_that_call_back(self):
        for number, (function, x) in enumerate(FORMS):
            with self.subTest(case=number):
                value, gradient = dynacc.value_and_grad(function)(x)
                self.assertEqual(np.asarray(value).tobytes(), np.asarray(function(x)).tobytes())
                np.testing.assert_allclose(gradient, differences(function, [x], 0), rtol=1e-6, atol=1e-8)

    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")

    def test_each_rule_has_a_case(self):
        known = [key_of(name) for name in [*CASES, *PROMOTING]] + [getattr(math, name) for name in MATH + MORE_MATH] + [min]
        # NumPy 2 has some functions under two names.
        aliases = [getattr(np.linalg, name, None) for name in
                   ("diagonal", "trace", "tensordot", "svdvals", "vector_norm")]
        aliases += [getattr(np, name, None) for name in ("round", "round_")]
        self.assertEqual([], [key for key in _gradient_rules.RULES if key not in known + aliases])

    def test_the_guide_names_each_function(self):
        guide = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "gradients.md").read_text(encoding="utf-8")
        section = guide[guide.index("## Functions of NumPy's own"):guide.index("## Gradients of your own")]
        names = [*MATH, *MORE_MATH]
        names += [name for name, cases in [*CASES.items(), *((name, [0]) for name in PROMOTING)]
                 if "operator" not in name and not name.startswith(".") and cases]
        absent = [name for name in names if f"`{name}`" not in section and f"`{name.split('.')[-1]}`" not in section]
        self.assertEqual([], absent)

    def test_values_and_gradients(self):
        compared = 0
        for name, cases in CASES.items():
            for number, (f, *arguments) in enumerate(cases):
                if key_of(name) is None:
                    continue
                with self.subTest(rule=name, case=number):
                    every = tuple(range(len(arguments)))
                    value, found = dynacc.value_and_grad(f, argnums=every)(*arguments)
                    self.assertEqual(np.asarray(value).tobytes(), np.asarray(f(*arguments)).tobytes())
                    for index in every:
                        known = ~np.isnan(arguments[index])
                        wanted = differences(f, arguments, index)
                        scale = np.abs(wanted[known]).max() + 1
                        np.testing.assert_allclose(found[index][known], wanted[known], rtol=1e-5, atol=1e-6 * scale)
                        compared += known.sum()
        self.assertGreater(compared, 1000)

    def test_scalars_whose_value_decides_about_the_dtype(self):
        for name in PROMOTING:
            with self.subTest(ufunc=name):
                ufunc = getattr(np, name)
                f = lambda x, s: weighed(ufunc(x, (s * 1.0).mean())) + weighed(ufunc((s * 2.0).mean(), x))
                value, found = dynacc.value_and_grad(f, (0, 1))(X.astype(np.float32), V)
                self.assertEqual(value, f(X.astype(np.float32), V))
                for single, double in zip(found, dynacc.grad(f, (0, 1))(X, V)):
                    np.testing.assert_allclose(single, double, rtol=1e-4, atol=1e-4)

    def test_choices_between_an_array_and_a_computed_number(self):
        choices = (lambda x, s: np.where(x > 0.4, x, s.sum() * 0.1), lambda x, s: np.where(x > s.sum(), s.sum() * 0.5, x),
                   lambda x, s: np.where(x > s.sum() * 0.1, x * x, s.sum() * 0.1))
        for number, choose in enumerate(choices):
            with self.subTest(number=number):
                f = lambda x, s: weighed(choose(x, s * 0.3))
                for x in (X.astype(np.float32), X):
                    value, found = dynacc.value_and_grad(f, (0, 1))(x, V)
                    self.assertEqual(value, f(x, V))
                for single, double in zip(dynacc.grad(f, (0, 1))(X.astype(np.float32), V), found):
                    np.testing.assert_allclose(single, double, rtol=1e-4, atol=1e-4)

    def test_lists_beside_arrays(self):
        ones = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        functions = [
            lambda x: np.dot(ones, x), lambda x: x @ ones, lambda x: ones @ x, lambda x: np.inner(x, ones),
            lambda x: np.vdot(x, ones), lambda x: np.convolve(x, [1.0, 2.0]), lambda x: np.convolve([1.0, 2.0], x),
            lambda x: np.correlate(x, [1.0, 2.0]), lambda x: np.cross(x[:3], [1.0, 2.0, 3.0]),
            lambda x: np.einsum("i,i->i", x, ones), lambda x: np.kron(x, [1.0, 2.0]),
            lambda x: np.mean([x[0], x[1] ** 2]), lambda x: np.mean([x, x ** 2], axis=0), lambda x: np.mean([x[0], 1.0]),
            lambda x: np.max([x[0], x[1], 0.1]), lambda x: np.std([x[0], x[1], 1.0]), lambda x: np.sort([x[0], x[1]]),
            lambda x: np.median([x[0], x[1], x[2]]), lambda x: np.linalg.norm([x[0], x[1]]), lambda x: np.abs([x[0], x[1]]),
            lambda x: np.abs(np.fft.fft([x[0], x[1], 1.0])), lambda x: np.cov([x[:3], x[3:]]),
            lambda x: np.linalg.det([[x[0], x[1]], [x[2], x[3]]]), lambda x: np.diff([x[0], x[1], x[3]]),
            lambda x: np.repeat([x[0], x[1]], 2), lambda x: np.pad([x[0], x[1]], 1), lambda x: np.gradient([x[0], x[1], x[2]]),
            lambda x: np.power([x[0], x[1]], 2.0), lambda x: np.array([[x[0], x[1]], [x[2], 1.0]]) @ [1.0, 2.0],
        ]
        for number, of_lists in enumerate(functions):
            with self.subTest(function=number):
                f = lambda x: weighed(np.asarray(of_lists(x)))
                value, found = dynacc.value_and_grad(f)(X)
                self.assertEqual(value, f(X))
                np.testing.assert_allclose(found, differences(f, [X], 0), rtol=1e-5, atol=1e-6)

    def test_second_order(self):
        compared = 0
        for name, cases in CASES.items():
            for number, (f, *arguments) in enumerate(cases):
                if key_of(name) is None or np.isnan(arguments[0]).any():
                    continue
                with self.subTest(rule=name, case=number):
                    first, rest = arguments[0], arguments[1:]
                    direction = RANDOM.normal(size=first.shape)
                    gradient = dynacc.grad(f)
                    _, found = dynacc.jvp(lambda x: f(x, *rest), (first,), (direction,))
                    step = 1e-5
                    wanted = (f(first + step * direction, *rest) - f(first - step * direction, *rest)) / (2 * step)
                    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5 * (1 + abs(wanted)))
                    along = dynacc.hessian(f)(*arguments) if first.size <= 16 else None
                    if along is None:
                        continue
                    pushed = np.tensordot(along, direction, direction.ndim)
                    ahead = gradient(first + step * direction, *rest)
                    behind = gradient(first - step * direction, *rest)
                    wanted = (ahead - behind) / (2 * step)
                    scale = np.abs(wanted).max() + 1
                    np.testing.assert_allclose(pushed, wanted, rtol=1e-4, atol=1e-5 * scale)
                    compared += wanted.size
        self.assertGreater(compared, 400)

    def test_uncovered_calls_are_errors_that_name_the_line(self):
        for f, x in ((lambda x: np.frexp(x)[0].sum(), X), (lambda b: weighed(np.linalg.qr(b.T)[0]), B)):
            with self.assertRaisesRegex(NotImplementedError, "gradient_rules_test.py:"):
                dynacc.grad(f)(x)


class Stores(unittest.TestCase):
    """Functions that write into an array, each with what a difference quotient says."""

    def check(self, f, x):
        value, found = dynacc.value_and_grad(f)(x)
        self.assertEqual(value, f(x))
        np.testing.assert_allclose(found, differences(f, [x], 0), rtol=1e-5, atol=1e-6)
        direction = np.linspace(-1.0, 1.0, x.size).reshape(x.shape)
        np.testing.assert_allclose(dynacc.vjp(f, x)[1](1.0)[0], found, rtol=1e-10)
        _, pushed = dynacc.jvp(f, (x,), (direction,))
        np.testing.assert_allclose(pushed, (found * direction).sum(), rtol=1e-10)

    def test_places_that_are_multiplied_or_become_an_extreme(self):
        x = np.concatenate([X, X[:2] / 2])
        places, columns = np.array([0, 1, 1, 2, 0, 2, 2, 3]), np.array([1, 0, 1, 1, 0, 0, 1, 1])
        for ufunc in (np.multiply, np.maximum, np.minimum):
            def into_vector(x):
                y = np.linspace(0.5, 2.0, 4) * x[0]
                ufunc.at(y, places, x)
                return weighed(y)

            def into_matrix(x):
                y = np.ones((4, 2)) * x[1]
                ufunc.at(y, (places, columns), x)
                ufunc.at(y, [0, 3], 0.75)
                ufunc.at(y, places[:3], x[3:5])
                return weighed(y)

            for f in (into_vector, into_matrix):
                with self.subTest(ufunc=ufunc, f=f.__name__):
                    self.check(f, x)
                    second = dynacc.hessian(f)(x)
                    gradient = dynacc.grad(f)
                    for i, direction in enumerate(np.eye(8) * 1e-6):
                        expected = (gradient(x + direction) - gradient(x - direction)) / 2e-6
                        np.testing.assert_allclose(second[i], expected, rtol=1e-4, atol=1e-5)

    def test_products_of_complex_arrays_that_are_stored(self):
        """Their values may differ from NumPy's in the last digit."""
        def in_place(x):
            z = x * (1 + 2j)
            z *= x * 1j + 3
            z[1:] *= 2 - 1j
            return spectrum(z)

        def into_another(x):
            z = np.empty((2, 6), complex)
            np.multiply(x * (1 + 2j), x + 1j, out=z[0])
            z[1] = z[0] * z[0]
            return spectrum(z)

        for f in (in_place, into_another):
            value, found = dynacc.value_and_grad(f)(X)
            np.testing.assert_allclose(value, f(X), rtol=1e-14)
            np.testing.assert_allclose(found, differences(f, [X], 0), rtol=1e-5, atol=1e-6)

    def test_factors_that_are_zero(self):
        places = np.array([0, 1, 1, 2, 2, 3, 3, 3])

        def products(x):
            y = np.full(4, 1.5)
            np.multiply.at(y, places, x)
            return weighed(y) + y.sum()

        x = np.array([0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        # Of one zero the others' product; of two zeros nothing, and in the second derivative what is left.
        np.testing.assert_allclose(dynacc.grad(products)(x), [1.5, 3.0, 0, 0, 0, 0, 0, 0], atol=1e-12)
        second = dynacc.hessian(products)(x)
        self.assertAlmostEqual(second[3, 4], 1.5)
        self.assertAlmostEqual(second[1, 2], 1.5)
        self.assertEqual(second[5, 6], 0)

    def test_what_masks_select(self):
        def computed(x):
            y = np.zeros(6)
            k = x > 0
            y[k] = np.log(x[k])
            return weighed(y)

        def of_itself(b):
            y = b * 2.0
            k = y > 0
            y[k] = np.sin(y[k])
            return weighed(y)

        def rows(b):
            y = b * 2.0
            y[b[:, 0] > 0] = b[0]
            return weighed(y)

        def columns(b):
            y = b * 2.0
            k = b[0] > 0
            y[:, k] = np.exp(b[:, k])
            y[1, k] = b[2, k] ** 2
            return weighed(y)

        def number(b):
            y = b * 2.0
            k = b > 0
            y[k] = b[k].mean()
            return weighed(y)

        def nothing(b):
            y = b * 2.0
            y[b > 100] = b[0, 0]
            return weighed(y)

        for f, x in ((computed, X), (of_itself, B), (rows, B), (columns, B), (number, B), (nothing, B)):
            with self.subTest(f.__name__):
                self.check(f, x)

        def too_many_axes(b):
            y = b * 2.0
            y[b > 0] = b[None, 0]
            return weighed(y)

        with self.assertRaises((NotImplementedError, TypeError, ValueError)):
            dynacc.grad(too_many_axes)(B)

    def test_put_place_and_putmask(self):
        def put(x):
            y = x * 2
            np.put(y, [0, 2], x[3:5] ** 2)
            np.put(y, [1, -1], x[0])
            return weighed(y)

        def put_into_a_matrix(b):
            y = b * 2
            np.put(y, np.array([0, 7]), b[0, :2] ** 2)
            return weighed(y)

        def place(x):
            y = x * 2
            k = x > 0
            np.place(y, k, x[k] ** 2)
            return weighed(y)

        def putmask(x):
            y = x * 2
            np.putmask(y, x > 0, x ** 2)
            return weighed(y)

        for f, x in ((put, X), (put_into_a_matrix, B), (place, X), (putmask, X)):
            with self.subTest(f.__name__):
                self.check(f, x)

    def test_lists(self):
        def lists(x):
            y = np.zeros((3, 2))
            y[:, 0] = x[0], x[1], 2.0
            y[0] = [x[2] ** 2, 1]
            y[1:] = [[x[3], x[4]], (x[0] * x[1], 5.0)]
            return weighed(y)

        def swapped(x):
            y = x * 2
            y[:2] = [y[1], y[0]]
            return weighed(y)

        self.check(lists, X)
        self.check(swapped, X)

    def test_what_is_stored_over_needs_no_gradient(self):
        def twice(x):
            y = np.zeros((2, 6))
            y[0] = np.i0(x)  # has no rule
            y[0] = x * x
            return weighed(y)

        def the_same_value_twice(b):
            y = b.copy()
            y[0], y[0] = y[0].copy(), y[0].copy()
            return weighed(y)

        self.check(twice, X)
        self.check(the_same_value_twice, B)


class Ties(unittest.TestCase):
    def test_clip_shares_with_its_bounds(self):
        x = np.array([0.0, 1.0, 1.5, 2.0, 3.0])
        wanted = [0.0, 0.5, 1.0, 0.5, 0.0]
        low, high = np.ones(5), np.full(5, 2.0)
        for f in (lambda x: np.clip(x, 1.0, 2.0), lambda x: x.clip(1.0, 2.0), lambda x: np.clip(x, low, high),
                  lambda x: np.minimum(np.maximum(x, 1.0), 2.0), lambda x: np.clip(np.clip(x, 1.0, None), None, 2.0),
                  lambda x: np.clip(x, 1.0, 2.0, out=np.zeros(5))):
            self.assertEqual(dynacc.grad(lambda x: f(x).sum())(x).tolist(), wanted)
            self.assertEqual(dynacc.jvp(f, (x,), (np.ones(5),))[1].tolist(), wanted)
        by_low, by_high = dynacc.grad(lambda low, high: np.clip(x, low, high).sum(), (0, 1))(low, high)
        self.assertEqual(by_low.tolist(), [1.0, 0.5, 0.0, 0.0, 0.0])
        self.assertEqual(by_high.tolist(), [0.0, 0.0, 0.0, 0.5, 1.0])
        self.assertEqual(dynacc.hessian(lambda x: (np.clip(x, 1.0, 2.0) ** 2).sum())(x).diagonal().tolist(),
                         [0.0, 0.5, 2.0, 0.5, 0.0])


if __name__ == "__main__":
    unittest.main()
