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

__all__ = [
    "DynamicLossScale", "EmaState", "EmptyState", "GradientTransformation", "ScaleByAdamState", "ScaleByLionState",
    "ScaleByScheduleState", "TraceState", "adam", "adamw", "add_decayed_weights", "all_finite", "apply_updates", "chain",
    "clip", "clip_by_global_norm", "constant_schedule", "cosine_decay_schedule", "ema", "exponential_decay",
    "global_norm", "identity", "incremental_update", "join_schedules", "linear_schedule", "lion", "polynomial_schedule",
    "scale", "scale_by_adam", "scale_by_learning_rate", "scale_by_lion", "scale_by_schedule", "select_tree", "sgd",
    "trace", "warmup_cosine_decay_schedule"]

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
        nu = _tree.map(lambda p: _np.zeros(_np.shape(p), _real_dtype(p)), params)
        return ScaleByAdamState(_zero_count(), _zeros(params, mu_dtype), nu)

    def update(updates, state, params=None):
        count = _incremented(state.count)
        mu = _moment(updates, state.mu, b1)
        nu = _tree.map(lambda g, v: (_number(1 - b2, g) * _squared(g) + _number(b2, g) * v).astype(_real_dtype(v)),
                       updates, state.nu)
        if nesterov:
            means = _tree.map(lambda m, g: _number(b1, m) * m + _number(1 - b1, g) * g,
                              _unbiased(mu, b1, _incremented(count)), _unbiased(updates, b1, count))
        else:
            means = _unbiased(mu, b1, count)
        moved = _tree.map(lambda m, v: m / (_np.sqrt(v + _number(eps_root, v)) + _number(eps, v)), means,
                          _unbiased(nu, b2, count))
        return moved, ScaleByAdamState(count, _cast(mu, mu_dtype), nu)

    return GradientTransformation(init, update)


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


def lion(learning_rate, b1=0.9, b2=0.99, mu_dtype=None, weight_decay=1e-3, mask=None):
    """`scale_by_lion`, `add_decayed_weights` and `scale_by_learning_rate`; rates are a third to a tenth of Adam's."""
    return chain(scale_by_lion(b1, b2, mu_dtype), add_decayed_weights(weight_decay, mask),
                 scale_by_learning_rate(learning_rate))


# Schedules: functions from a count, an int or an array of ints, to a number.


def constant_schedule(value):
    """`value` at all times."""
    return lambda count: value


def polynomial_schedule(init_value, end_value, power, transition_steps, transition_begin=0):
    """From init_value to end_value as (1 - t) ** power falls, with t from 0 to 1 over transition_steps.

    It stays at init_value for the first `transition_begin` steps, or for ever if transition_steps is not positive.
    """
    if transition_steps <= 0:
        return constant_schedule(init_value)
    begin = max(transition_begin, 0)

    def schedule(count):
        rest = 1 - _np.minimum(_np.maximum(count - begin, 0), transition_steps) / transition_steps
        return (init_value - end_value) * rest ** power + end_value

    return schedule


def linear_schedule(init_value, end_value, transition_steps, transition_begin=0):
    """`polynomial_schedule` with the power 1."""
    return polynomial_schedule(init_value, end_value, 1, transition_steps, transition_begin)


def exponential_decay(init_value, transition_steps, decay_rate, transition_begin=0, staircase=False, end_value=None):
    """init_value * decay_rate ** (steps / transition_steps), where steps count from `transition_begin`.

    staircase  the exponent is rounded down
    end_value  where it stops

    It is constant if transition_steps is not positive, or decay_rate is 0.
    """
    if transition_steps <= 0 or decay_rate == 0:
        return constant_schedule(init_value)
    begin = max(transition_begin, 0)

    def schedule(count):
        steps = count - begin
        exponent = _np.maximum(steps, 0) / transition_steps
        value = init_value * decay_rate ** (_np.floor(exponent) if staircase else exponent)
        if end_value is None:
            return value
        return _np.maximum(value, end_value) if decay_rate < 1 else _np.minimum(value, end_value)

    return schedule


def cosine_decay_schedule(init_value, decay_steps, alpha=0.0, exponent=1.0):
    """init_value times (1 - alpha) * c ** exponent + alpha, where c = (1 + cos(pi * count / decay_steps)) / 2.

    After decay_steps it stays at alpha * init_value. ValueError if decay_steps is not positive.

    Source: Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", 2016.
    """
    if not decay_steps > 0:
        raise ValueError(f"dynacc.optim.cosine_decay_schedule: decay_steps is {decay_steps}, and must be positive")

    def schedule(count):
        cosine = 0.5 * (1 + _np.cos(_np.pi * _np.minimum(count, decay_steps) / decay_steps))
        return init_value * ((1 - alpha) * cosine ** exponent + alpha)

    return schedule


def warmup_cosine_decay_schedule(init_value, peak_value, warmup_steps, decay_steps, end_value=0.0, exponent=1.0):
    """`linear_schedule` to peak_value over warmup_steps, then `cosine_decay_schedule` to end_value.

    decay_steps  the length of both together. ValueError if it is not more than warmup_steps.
    """
    alpha = 0.0 if peak_value == 0.0 else end_value / peak_value
    return join_schedules([linear_schedule(init_value, peak_value, warmup_steps),
                           cosine_decay_schedule(peak_value, decay_steps - warmup_steps, alpha, exponent)],
                          [warmup_steps])


def join_schedules(schedules, boundaries):
    """The first schedule before the first boundary, then the second, whose count begins there, and so on."""
    def schedule(count):
        value = schedules[0](count)
        for boundary, following in zip(boundaries, schedules[1:]):
            value = _np.where(count < boundary, value, following(count - boundary))
        return value

    return schedule


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


def _unbiased(moments, decay, count):
    correction = 1 - decay ** count
    return _tree.map(lambda m: m / _number(correction, m), moments)


def _applied(parameter, update):
    if update is None:
        return parameter
    total = parameter + update
    return total.astype(_np.asarray(parameter).dtype)
