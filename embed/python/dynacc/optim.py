"""Optimizers in plain NumPy: gradient transformations with the names, arguments, defaults and formulas of optax 0.2.

    optimizer = chain(clip_by_global_norm(1.0), adamw(warmup_cosine_decay_schedule(0, 1e-3, 100, 10_000)))
    state = optimizer.init(params)
    updates, state = optimizer.update(gradient, state, params)
    params = apply_updates(params, updates)

Parameters, gradients, updates and states are trees (`dynacc.tree`); no function writes into its arguments. Each leaf
keeps its dtype: numbers are cast to it before they meet. Counts are int32 arrays of no axes, as optax's, so that a step
is the same graph in each round. What is computed of a count alone, as a learning rate is, is float64. Nothing here is
special to the compiler: a step is a program like another, and is captured as one.

Gradients of complex leaves come conjugated (docs/gradients.md): conjugate them before an update, as for optax.
docs/training.md is the guide.
"""
import typing as _typing

import numpy as _np

from dynacc import tree as _tree
from dynacc._schedules import (
    constant_schedule, cosine_decay_schedule, exponential_decay, join_schedules, linear_schedule,
    piecewise_constant_schedule, polynomial_schedule, sgdr_schedule, warmup_constant_schedule,
    warmup_cosine_decay_schedule, warmup_exponential_decay_schedule)

__all__ = [
    "DynamicLossScale", "EmaState", "EmptyState", "GradientTransformation", "ScaleByAdamState", "ScaleByAmsgradState",
    "ScaleByLionState", "ScaleByRStdDevState", "ScaleByRStdDevWithCountState", "ScaleByRmsState",
    "ScaleByRmsWithCountState", "ScaleByRssState", "ScaleByScheduleState", "TraceState", "adagrad", "adam", "adamax",
    "adamaxw", "adamw", "add_decayed_weights", "all_finite", "amsgrad", "apply_updates", "chain", "clip",
    "clip_by_global_norm", "constant_schedule", "cosine_decay_schedule", "ema", "exponential_decay", "global_norm",
    "identity", "incremental_update", "join_schedules", "lamb", "linear_schedule", "lion", "nadam", "nadamw",
    "piecewise_constant_schedule", "polynomial_schedule", "rmsprop", "scale", "scale_by_adam", "scale_by_adamax",
    "scale_by_amsgrad", "scale_by_learning_rate", "scale_by_lion", "scale_by_rms", "scale_by_rss",
    "scale_by_schedule", "scale_by_stddev", "scale_by_trust_ratio", "select_tree", "sgd", "sgdr_schedule", "trace",
    "warmup_constant_schedule", "warmup_cosine_decay_schedule", "warmup_exponential_decay_schedule"]

_LAST_COUNT = _np.int32(2**31 - 2)


class GradientTransformation(_typing.NamedTuple):
    """What makes updates of gradients.

    init(params)                          the first state
    update(updates, state, params=None)   (new updates, new state); ValueError where `params` are needed and not given
    """

    init: _typing.Callable
    update: _typing.Callable


class EmptyState(_typing.NamedTuple):
    """Of what keeps nothing."""


class TraceState(_typing.NamedTuple):
    """Of `trace`: the sum of gradients, each round decayed."""

    trace: _typing.Any


class EmaState(_typing.NamedTuple):
    """Of `ema`: how many updates came, and their moving average before the bias is corrected."""

    count: _typing.Any
    ema: _typing.Any


class ScaleByAdamState(_typing.NamedTuple):
    """Of `scale_by_adam`: how many updates came, and the averages of gradients and of their squares."""

    count: _typing.Any
    mu: _typing.Any
    nu: _typing.Any


class ScaleByAmsgradState(_typing.NamedTuple):
    """Of `scale_by_amsgrad`: as ScaleByAdamState, and the greatest average of squares so far."""

    count: _typing.Any
    mu: _typing.Any
    nu: _typing.Any
    nu_max: _typing.Any


class ScaleByRssState(_typing.NamedTuple):
    """Of `scale_by_rss`: the sum of all squared gradients."""

    sum_of_squares: _typing.Any


class ScaleByRmsState(_typing.NamedTuple):
    """Of `scale_by_rms`: the average of squared gradients."""

    nu: _typing.Any


class ScaleByRmsWithCountState(_typing.NamedTuple):
    """Of `scale_by_rms` with `bias_correction`: how many updates came, and the average of squared gradients."""

    count: _typing.Any
    nu: _typing.Any


class ScaleByRStdDevState(_typing.NamedTuple):
    """Of `scale_by_stddev`: the averages of gradients and of their squares."""

    mu: _typing.Any
    nu: _typing.Any


class ScaleByRStdDevWithCountState(_typing.NamedTuple):
    """Of `scale_by_stddev` with `bias_correction`: how many updates came, and the averages."""

    count: _typing.Any
    mu: _typing.Any
    nu: _typing.Any


class ScaleByLionState(_typing.NamedTuple):
    """Of `scale_by_lion`: how many updates came, and the average of gradients."""

    count: _typing.Any
    mu: _typing.Any


class ScaleByScheduleState(_typing.NamedTuple):
    """Of `scale_by_schedule`: how many updates came."""

    count: _typing.Any


# Steps and trees.


def apply_updates(params, updates):
    """params + updates, each leaf in the dtype of the parameter. A None among the updates leaves its parameter alone."""
    return _tree.map(_applied, params, updates)


def incremental_update(new_tensors, old_tensors, step_size):
    """step_size * new + (1 - step_size) * old for each leaf: an average of parameters over time."""
    return _tree.map(lambda new, old: _number(step_size, new) * new + _number(1.0 - step_size, old) * old, new_tensors,
                     old_tensors)


def global_norm(updates):
    """The square root of the sum of all elements' squared absolute values, in float64."""
    total = _np.float64(0)
    for leaf in _tree.leaves(updates):
        squares = _squared(leaf)
        total = total + (squares.sum() if squares.ndim else squares)  # the sum of a scalar would be a graph break
    return _np.sqrt(total)


# Transformations.


def identity():
    """Passes updates through."""
    return GradientTransformation(_empty, lambda updates, state, params=None: (updates, state))


def chain(*transforms):
    """Applies transformations one after another; the state is the tuple of theirs."""
    def init(params):
        return tuple([transform.init(params) for transform in transforms])

    def update(updates, state, params=None):
        if len(state) != len(transforms):
            raise ValueError(f"dynacc.optim.chain: {len(transforms)} transformations and {len(state)} states: is this "
                             "the state of another optimizer?")
        states = []
        for transform, each in zip(transforms, state):
            updates, each = transform.update(updates, each, params)
            states.append(each)
        return updates, tuple(states)

    return GradientTransformation(init, update)


def scale(step_size):
    """Multiplies updates by a number."""
    def update(updates, state, params=None):
        return _tree.map(lambda g: _number(step_size, g) * g, updates), state

    return GradientTransformation(_empty, update)


def scale_by_schedule(step_size_fn):
    """Multiplies updates by step_size_fn(count), where count is 0 in the first round."""
    def init(params):
        return ScaleByScheduleState(_zero_count())

    def update(updates, state, params=None):
        step_size = step_size_fn(state.count)
        return (_tree.map(lambda g: _number(step_size, g) * g, updates), ScaleByScheduleState(_incremented(state.count)))

    return GradientTransformation(init, update)


def scale_by_learning_rate(learning_rate, *, flip_sign=True):
    """Multiplies updates by minus the learning rate, a number or a schedule; without `flip_sign` by the rate itself."""
    sign = -1 if flip_sign else 1
    if callable(learning_rate):
        return scale_by_schedule(lambda count: sign * learning_rate(count))
    return scale(sign * learning_rate)


def clip(max_delta):
    """Cuts each element off at -max_delta and max_delta."""
    def update(updates, state, params=None):
        return _tree.map(lambda g: _np.minimum(_np.maximum(g, _number(-max_delta, g)), _number(max_delta, g)),
                         updates), state

    return GradientTransformation(_empty, update)


def clip_by_global_norm(max_norm):
    """Scales all updates together so that `global_norm` is at most max_norm.

    Source: Pascanu et al., "On the difficulty of training recurrent neural networks", 2012.
    """
    def update(updates, state, params=None):
        norm = global_norm(updates)
        small = norm < max_norm
        divisor = _np.where(small, 1.0, norm)  # not by a norm of 0, of which NumPy would warn
        clipped = _tree.map(lambda g: _np.where(small, g, g / _number(divisor, g) * _number(max_norm, g)), updates)
        return clipped, state

    return GradientTransformation(_empty, update)


def trace(decay, nesterov=False, accumulator_dtype=None):
    """Momentum: t = g + decay * t; the update is t, or with `nesterov` g + decay * t of the new t.

    accumulator_dtype  the dtype in which t is kept; None: the parameters'
    """
    def init(params):
        return TraceState(_zeros(params, accumulator_dtype))

    def update(updates, state, params=None):
        traces = _tree.map(lambda g, t: g + _number(decay, g) * t, updates, state.trace)
        moved = _tree.map(lambda g, t: g + _number(decay, g) * t, updates, traces) if nesterov else traces
        return moved, TraceState(_cast(traces, accumulator_dtype))

    return GradientTransformation(init, update)


def ema(decay, debias=True, accumulator_dtype=None):
    """The moving average of updates: a = (1 - decay) * g + decay * a; with `debias` a / (1 - decay ** count).

    accumulator_dtype  the dtype in which a is kept; None: the parameters'
    """
    def init(params):
        return EmaState(_zero_count(), _zeros(params, accumulator_dtype))

    def update(updates, state, params=None):
        count = _incremented(state.count)
        average = _moment(updates, state.ema, decay)
        moved = _unbiased(average, decay, count) if debias else average
        return moved, EmaState(count, _cast(average, accumulator_dtype))

    return GradientTransformation(init, update)


def scale_by_adam(b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, *, nesterov=False):
    """Divides the average of gradients by the root of the average of their squares, both without their bias.

    mu = b1 * mu + (1 - b1) * g, nu = b2 * nu + (1 - b2) * |g| ** 2, and the update is
    mu / (1 - b1 ** count) / (sqrt(nu / (1 - b2 ** count) + eps_root) + eps). With `nesterov` mu / (1 - b1 ** (count + 1))
    and g / (1 - b1 ** count), weighted by b1 and 1 - b1, stand in the place of the first quotient.

    mu_dtype  the dtype in which mu is kept; None: the parameters'

    Sources: Kingma and Ba, "Adam", 2014; Dozat, "Incorporating Nesterov Momentum into Adam", 2016.
    """
    def init(params):
        return ScaleByAdamState(_zero_count(), _zeros(params, mu_dtype), _full_real(params, 0))

    def update(updates, state, params=None):
        count = _incremented(state.count)
        mu = _moment(updates, state.mu, b1)
        nu = _moment_of_squares(updates, state.nu, b2)
        if nesterov:
            means = _tree.map(lambda m, g: _number(b1, m) * m + _number(1 - b1, g) * g,
                              _unbiased(mu, b1, _incremented(count)), _unbiased(updates, b1, count))
        else:
            means = _unbiased(mu, b1, count)
        moved = _tree.map(lambda m, v: m / (_np.sqrt(v + _number(eps_root, v)) + _number(eps, v)), means,
                          _unbiased(nu, b2, count))
        return moved, ScaleByAdamState(count, _cast(mu, mu_dtype), nu)

    return GradientTransformation(init, update)


def scale_by_amsgrad(b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None):
    """As `scale_by_adam`, but divides by the root of the greatest average of squares so far.

    Source: Reddi et al., "On the Convergence of Adam and Beyond", 2018.
    """
    def init(params):
        zeros = _full_real(params, 0)
        return ScaleByAmsgradState(_zero_count(), _zeros(params, mu_dtype), zeros, zeros)

    def update(updates, state, params=None):
        count = _incremented(state.count)
        mu = _moment(updates, state.mu, b1)
        nu = _moment_of_squares(updates, state.nu, b2)
        nu_max = _tree.map(_np.maximum, state.nu_max, _unbiased(nu, b2, count))
        moved = _tree.map(lambda m, v: m / (_np.sqrt(v + _number(eps_root, v)) + _number(eps, v)),
                          _unbiased(mu, b1, count), nu_max)
        return moved, ScaleByAmsgradState(count, _cast(mu, mu_dtype), nu, nu_max)

    return GradientTransformation(init, update)


def scale_by_adamax(b1=0.9, b2=0.999, eps=1e-8):
    """As `scale_by_adam`, but divides by nu = max(|g| + eps, b2 * nu), which has no bias.

    Source: Kingma and Ba, "Adam", 2014.
    """
    def init(params):
        return ScaleByAdamState(_zero_count(), _zeros(params, None), _full_real(params, 0))

    def update(updates, state, params=None):
        count = _incremented(state.count)
        mu = _moment(updates, state.mu, b1)
        nu = _tree.map(lambda g, v: _np.maximum(_np.abs(g) + _number(eps, g), _number(b2, g) * v), updates, state.nu)
        moved = _tree.map(lambda m, v: m / v, _unbiased(mu, b1, count), nu)
        return moved, ScaleByAdamState(count, mu, nu)

    return GradientTransformation(init, update)


def scale_by_rss(initial_accumulator_value=0.1, eps=1e-7):
    """Divides updates by the root of the sum of all their squares: s = |g| ** 2 + s, and g / sqrt(s + eps).

    Where s is 0 the update is 0.

    initial_accumulator_value  the first s

    Source: Duchi et al., "Adaptive Subgradient Methods for Online Learning and Stochastic Optimization", 2011.
    """
    def init(params):
        return ScaleByRssState(_full_real(params, initial_accumulator_value))

    def update(updates, state, params=None):
        def moved(g, s):
            # Nothing is divided by a sum of 0, of which NumPy would warn if eps is 0.
            quotient = g / _np.sqrt(_np.where(s > 0, s, _number(1, s)) + _number(eps, s))
            return _np.where(s > 0, quotient, _number(0, g))

        sums = _tree.map(lambda g, s: _squared(g) + s, updates, state.sum_of_squares)
        return _tree.map(moved, updates, sums), ScaleByRssState(sums)

    return GradientTransformation(init, update)


def scale_by_rms(decay=0.9, eps=1e-8, initial_scale=0.0, eps_in_sqrt=True, bias_correction=False):
    """Divides updates by the root of the average of their squares: nu = decay * nu + (1 - decay) * |g| ** 2.

    initial_scale    the first nu
    eps_in_sqrt      the divisor is sqrt(nu + eps), else sqrt(nu) + eps
    bias_correction  it is of nu / (1 - decay ** count)

    Source: Hinton, "Overview of mini-batch gradient descent", 2012.
    """
    def init(params):
        nu = _full_real(params, initial_scale)
        return ScaleByRmsWithCountState(_zero_count(), nu) if bias_correction else ScaleByRmsState(nu)

    def update(updates, state, params=None):
        nu = _moment_of_squares(updates, state.nu, decay)
        count = _incremented(state.count) if bias_correction else None
        seen = _unbiased(nu, decay, count) if bias_correction else nu
        moved = _tree.map(lambda g, v: g / _root(v, eps, eps_in_sqrt), updates, seen)
        return moved, ScaleByRmsWithCountState(count, nu) if bias_correction else ScaleByRmsState(nu)

    return GradientTransformation(init, update)


def scale_by_stddev(decay=0.9, eps=1e-8, initial_scale=0.0, eps_in_sqrt=True, bias_correction=False):
    """As `scale_by_rms`, but divides by the root of nu - |mu| ** 2, where mu = decay * mu + (1 - decay) * g.

    Source: Graves, "Generating Sequences With Recurrent Neural Networks", 2013.
    """
    def init(params):
        mu, nu = _zeros(params, None), _full_real(params, initial_scale)
        return ScaleByRStdDevWithCountState(_zero_count(), mu, nu) if bias_correction else ScaleByRStdDevState(mu, nu)

    def update(updates, state, params=None):
        mu, nu = _moment(updates, state.mu, decay), _moment_of_squares(updates, state.nu, decay)
        count = _incremented(state.count) if bias_correction else None
        means, squares = (_unbiased(mu, decay, count), _unbiased(nu, decay, count)) if bias_correction else (mu, nu)
        moved = _tree.map(lambda g, m, v: g / _root(v - _squared(m), eps, eps_in_sqrt), updates, means, squares)
        following = ScaleByRStdDevWithCountState(count, mu, nu) if bias_correction else ScaleByRStdDevState(mu, nu)
        return moved, following

    return GradientTransformation(init, update)


def scale_by_trust_ratio(min_norm=0.0, trust_coefficient=1.0, eps=0.0):
    """Multiplies the updates of each leaf by trust_coefficient * |params| / (|updates| + eps), where |x| is the norm.

    min_norm  the least that a norm counts for

    A leaf whose parameters or updates have the norm 0 keeps its updates.

    Source: You et al., "Large Batch Optimization for Deep Learning: Training BERT in 76 minutes", 2019.
    """
    def update(updates, state, params=None):
        if params is None:
            raise ValueError("dynacc.optim: a trust ratio needs the parameters: update(gradient, state, params)")

        def moved(g, p):
            of_params, of_updates = _norm(p, min_norm), _norm(g, min_norm)
            is_zero = (of_params == 0) | (of_updates == 0)
            divisor = _np.where(is_zero, _number(1, of_updates), of_updates + _number(eps, of_updates))
            ratio = _number(trust_coefficient, of_params) * of_params / divisor
            return g * _number(_np.where(is_zero, _number(1, ratio), ratio), g)

        return _tree.map(moved, updates, params), state

    return GradientTransformation(_empty, update)


def scale_by_lion(b1=0.9, b2=0.99, mu_dtype=None):
    """The sign of (1 - b1) * g + b1 * mu; then mu = (1 - b2) * g + b2 * mu.

    mu_dtype  the dtype in which mu is kept; None: the parameters'

    Source: Chen et al., "Symbolic Discovery of Optimization Algorithms", 2023.
    """
    def init(params):
        return ScaleByLionState(_zero_count(), _zeros(params, mu_dtype))

    def update(updates, state, params=None):
        moved = _tree.map(_np.sign, _moment(updates, state.mu, b1))
        mu = _cast(_moment(updates, state.mu, b2), mu_dtype)
        return moved, ScaleByLionState(_incremented(state.count), mu)

    return GradientTransformation(init, update)


def add_decayed_weights(weight_decay=0.0, mask=None):
    """Adds weight_decay * params to the updates.

    mask  which parameters decay: a tree of bools that has the parameters' nodes or the uppermost of them, where a bool
          stands for all that is under it; or a function from the parameters to such a tree. None: all.
    """
    def update(updates, state, params=None):
        if params is None:
            raise ValueError("dynacc.optim: weight decay needs the parameters: update(gradient, state, params)")
        def decay(g, p):
            return g + _number(weight_decay, p) * p
        if mask is None:
            return _tree.map(decay, updates, params), state
        chosen = mask(params) if callable(mask) else mask
        return _tree.map(lambda take, g, p: _tree.map(decay, g, p) if take else g, chosen, updates, params), state

    return GradientTransformation(_empty, update)


# Optimizers. `learning_rate` is a number or a schedule.


def sgd(learning_rate, momentum=None, nesterov=False, accumulator_dtype=None):
    """Gradient descent, with momentum if it is given: `trace` and `scale_by_learning_rate`."""
    first = identity() if momentum is None else trace(momentum, nesterov, accumulator_dtype)
    return chain(first, scale_by_learning_rate(learning_rate))


def adam(learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, *, nesterov=False):
    """`scale_by_adam` and `scale_by_learning_rate`."""
    return chain(scale_by_adam(b1, b2, eps, eps_root, mu_dtype, nesterov=nesterov),
                 scale_by_learning_rate(learning_rate))


def adamw(learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, weight_decay=1e-4, mask=None, *,
          nesterov=False):
    """Adam with weight decay that is not scaled: `scale_by_adam`, `add_decayed_weights`, `scale_by_learning_rate`.

    Source: Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2017.
    """
    return chain(scale_by_adam(b1, b2, eps, eps_root, mu_dtype, nesterov=nesterov),
                 add_decayed_weights(weight_decay, mask), scale_by_learning_rate(learning_rate))


def nadam(learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None):
    """`adam` with `nesterov`."""
    return adam(learning_rate, b1, b2, eps, eps_root, mu_dtype, nesterov=True)


def nadamw(learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, weight_decay=1e-4, mask=None):
    """`adamw` with `nesterov`."""
    return adamw(learning_rate, b1, b2, eps, eps_root, mu_dtype, weight_decay, mask, nesterov=True)


def amsgrad(learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None):
    """`scale_by_amsgrad` and `scale_by_learning_rate`."""
    return chain(scale_by_amsgrad(b1, b2, eps, eps_root, mu_dtype), scale_by_learning_rate(learning_rate))


def adamax(learning_rate, b1=0.9, b2=0.999, eps=1e-8):
    """`scale_by_adamax` and `scale_by_learning_rate`."""
    return chain(scale_by_adamax(b1, b2, eps), scale_by_learning_rate(learning_rate))


def adamaxw(learning_rate, b1=0.9, b2=0.999, eps=1e-8, weight_decay=1e-4, mask=None):
    """`scale_by_adamax`, `add_decayed_weights` and `scale_by_learning_rate`."""
    return chain(scale_by_adamax(b1, b2, eps), add_decayed_weights(weight_decay, mask),
                 scale_by_learning_rate(learning_rate))


def lamb(learning_rate, b1=0.9, b2=0.999, eps=1e-6, eps_root=0.0, weight_decay=0.0, mask=None):
    """`scale_by_adam`, `add_decayed_weights`, `scale_by_trust_ratio` and `scale_by_learning_rate`."""
    return chain(scale_by_adam(b1, b2, eps, eps_root), add_decayed_weights(weight_decay, mask), scale_by_trust_ratio(),
                 scale_by_learning_rate(learning_rate))


def adagrad(learning_rate, initial_accumulator_value=0.1, eps=1e-7):
    """`scale_by_rss` and `scale_by_learning_rate`."""
    return chain(scale_by_rss(initial_accumulator_value, eps), scale_by_learning_rate(learning_rate))


def rmsprop(learning_rate, decay=0.9, eps=1e-8, initial_scale=0.0, eps_in_sqrt=True, centered=False, momentum=None,
            nesterov=False, bias_correction=False):
    """`scale_by_rms`, if `centered` `scale_by_stddev`; `scale_by_learning_rate`; with momentum `trace`."""
    scale_by = scale_by_stddev if centered else scale_by_rms
    last = identity() if momentum is None else trace(momentum, nesterov)
    return chain(scale_by(decay, eps, initial_scale, eps_in_sqrt, bias_correction),
                 scale_by_learning_rate(learning_rate), last)


def lion(learning_rate, b1=0.9, b2=0.99, mu_dtype=None, weight_decay=1e-3, mask=None):
    """`scale_by_lion`, `add_decayed_weights` and `scale_by_learning_rate`; rates are a third to a tenth of Adam's."""
    return chain(scale_by_lion(b1, b2, mu_dtype), add_decayed_weights(weight_decay, mask),
                 scale_by_learning_rate(learning_rate))


# Leaves.


def _empty(params):
    return EmptyState()


def _zero_count():
    return _np.zeros((), _np.int32)


def _incremented(count):
    """count + 1; the last count stays."""
    return _np.asarray(_np.minimum(count, _LAST_COUNT) + _np.int32(1))


# --- Scaling of losses, with jmp's names -----------------------------------------------------------------------------

class DynamicLossScale(_typing.NamedTuple):
    """A factor of the loss that keeps gradients of float16 from vanishing, and falls when they overflow.

    loss_scale  the factor, float32
    counter     rounds since it changed, int32
    period      so many rounds without an overflow let it grow by `factor`
    """

    loss_scale: _typing.Any = _np.float32(2**15)
    counter: _typing.Any = _np.int32(0)
    period: int = 2000
    factor: int = 2

    def scale(self, tree):
        """The tree, as a rule the loss, times the factor."""
        return _tree.map(lambda leaf: leaf * _number(self.loss_scale, leaf), tree)

    def unscale(self, tree):
        """The tree, as a rule gradients, divided by it."""
        return _tree.map(lambda leaf: leaf / _number(self.loss_scale, leaf), tree)

    def adjust(self, grads_finite):
        """The scale of the next round. grads_finite: `all_finite` of this round's gradients."""
        largest = _np.finfo(_np.float32).max / _np.float32(self.factor)
        grows = (self.counter == self.period - 1) & (self.loss_scale <= largest)
        grown = self.loss_scale * _np.where(grows, _np.float32(self.factor), _np.float32(1))
        fallen = _np.maximum(self.loss_scale / _np.float32(self.factor), _np.float32(1))
        following = (self.counter + _np.int32(1)) % _np.int32(self.period)
        return self._replace(loss_scale=_np.where(grads_finite, grown, fallen),
                             counter=_np.where(grads_finite, following, _np.int32(0)))


def all_finite(tree):
    """Whether no leaf has an infinity or a NaN, as a bool of NumPy."""
    finite = _np.True_
    for leaf in _tree.leaves(tree):
        finite = finite & _np.isfinite(leaf).all()
    return finite


def select_tree(pred, on_true, on_false):
    """One of two trees that are alike: the first if `pred`. Both are there, so that a step is one graph."""
    return _tree.map(lambda a, b: _np.where(pred, a, b), on_true, on_false)


# --- Helpers -----------------------------------------------------------------------------------------------------------

def _real_dtype(leaf):
    return _np.asarray(leaf).real.dtype


def _number(value, leaf):
    """A number that does not change the dtype of what it meets."""
    return _np.asarray(value).astype(_real_dtype(leaf))


def _squared(leaf):
    """The squared absolute values, which are real."""
    array = _np.asarray(leaf)
    return array.real * array.real + array.imag * array.imag if array.dtype.kind == "c" else array * array


def _zeros(params, dtype):
    return _tree.map(lambda p: _np.zeros(_np.shape(p), _np.asarray(p).dtype if dtype is None else dtype), params)


def _cast(tree, dtype):
    return tree if dtype is None else _tree.map(lambda leaf: _np.asarray(leaf).astype(dtype), tree)


def _moment(updates, moments, decay):
    return _tree.map(lambda g, t: _number(1 - decay, g) * g + _number(decay, g) * t, updates, moments)


def _moment_of_squares(updates, moments, decay):
    """As _moment, of squared absolute values, in the real dtypes of the moments."""
    return _tree.map(lambda g, v: (_number(1 - decay, g) * _squared(g) + _number(decay, g) * v).astype(_real_dtype(v)),
                     updates, moments)


def _full_real(params, value):
    return _tree.map(lambda p: _np.full(_np.shape(p), value, _real_dtype(p)), params)


def _root(square, eps, eps_in_sqrt):
    eps = _number(eps, square)
    return _np.sqrt(square + eps) if eps_in_sqrt else _np.sqrt(square) + eps


def _norm(leaf, least):
    """The root of the sum of squares, or `least` if that is more."""
    squares = _squared(leaf)
    norm = _np.sqrt(squares.sum() if squares.ndim else squares)  # the sum of a scalar would be a graph break
    return _np.maximum(norm, _number(least, norm))


def _unbiased(moments, decay, count):
    correction = 1 - decay ** count
    return _tree.map(lambda m: m / _number(correction, m), moments)


def _applied(parameter, update):
    if update is None:
        return parameter
    total = parameter + update
    return total.astype(_np.asarray(parameter).dtype)
