"""The schedules of dynacc.optim: functions from a count, an int or an array of ints, to a number."""
import numpy as _np


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


def warmup_constant_schedule(init_value, peak_value, warmup_steps):
    """`linear_schedule` to peak_value, where it stays."""
    return linear_schedule(init_value, peak_value, warmup_steps)


def warmup_exponential_decay_schedule(init_value, peak_value, warmup_steps, transition_steps, decay_rate,
                                      transition_begin=0, staircase=False, end_value=None):
    """`linear_schedule` to peak_value over warmup_steps, then `exponential_decay`."""
    return join_schedules([linear_schedule(init_value, peak_value, warmup_steps),
                           exponential_decay(peak_value, transition_steps, decay_rate, transition_begin, staircase,
                                             end_value)], [warmup_steps])


def piecewise_constant_schedule(init_value, boundaries_and_scales=None):
    """init_value, times a further factor from each boundary on.

    boundaries_and_scales  {count: factor}. ValueError for a negative factor.
    """
    steps = sorted((boundaries_and_scales or {}).items())
    if any([factor < 0 for _, factor in steps]):
        raise ValueError("dynacc.optim.piecewise_constant_schedule: factors must not be negative")

    def schedule(count):
        value = init_value
        for boundary, factor in steps:
            value = value * _np.where(count < boundary, 1.0, factor)
        return value

    return schedule


def sgdr_schedule(cosine_kwargs):
    """One `warmup_cosine_decay_schedule` after another.

    cosine_kwargs  for each the arguments, as a dict

    Source: Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", 2016.
    """
    schedules, boundaries, end = [], [], 0
    for arguments in cosine_kwargs:
        schedules.append(warmup_cosine_decay_schedule(**arguments))
        end += arguments["decay_steps"]
        boundaries.append(end)
    return join_schedules(schedules, boundaries[:-1])


def join_schedules(schedules, boundaries):
    """The first schedule before the first boundary, then the second, whose count begins there, and so on."""
    def schedule(count):
        value = schedules[0](count)
        for boundary, following in zip(boundaries, schedules[1:]):
            value = _np.where(count < boundary, value, following(count - boundary))
        return value

    return schedule
