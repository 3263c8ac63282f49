from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

_Tree = Any  # of arrays and numbers
_Schedule = Callable[[Any], Any]
_Rate = float | _Schedule
_DType = Any  # what numpy.dtype takes

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

class GradientTransformation(NamedTuple):
    init: Callable[[_Tree], Any]
    update: Callable[..., tuple[_Tree, Any]]

class EmptyState(NamedTuple): ...

class TraceState(NamedTuple):
    trace: _Tree

class DynamicLossScale(NamedTuple):
    loss_scale: Any = ...
    counter: Any = ...
    period: int = ...
    factor: int = ...
    def scale(self, tree: _Tree) -> _Tree: ...
    def unscale(self, tree: _Tree) -> _Tree: ...
    def adjust(self, grads_finite: Any) -> DynamicLossScale: ...

def all_finite(tree: _Tree) -> Any: ...
def select_tree(pred: Any, on_true: _Tree, on_false: _Tree) -> _Tree: ...

class EmaState(NamedTuple):
    count: Any
    ema: _Tree

class ScaleByAdamState(NamedTuple):
    count: Any
    mu: _Tree
    nu: _Tree

class ScaleByAmsgradState(NamedTuple):
    count: Any
    mu: _Tree
    nu: _Tree
    nu_max: _Tree

class ScaleByRssState(NamedTuple):
    sum_of_squares: _Tree

class ScaleByRmsState(NamedTuple):
    nu: _Tree

class ScaleByRmsWithCountState(NamedTuple):
    count: Any
    nu: _Tree

class ScaleByRStdDevState(NamedTuple):
    mu: _Tree
    nu: _Tree

class ScaleByRStdDevWithCountState(NamedTuple):
    count: Any
    mu: _Tree
    nu: _Tree

class ScaleByLionState(NamedTuple):
    count: Any
    mu: _Tree

class ScaleByScheduleState(NamedTuple):
    count: Any

def apply_updates(params: _Tree, updates: _Tree) -> _Tree: ...
def incremental_update(new_tensors: _Tree, old_tensors: _Tree, step_size: float) -> _Tree: ...
def global_norm(updates: _Tree) -> Any: ...
def identity() -> GradientTransformation: ...
def chain(*transforms: GradientTransformation) -> GradientTransformation: ...
def scale(step_size: float) -> GradientTransformation: ...
def scale_by_schedule(step_size_fn: _Schedule) -> GradientTransformation: ...
def scale_by_learning_rate(learning_rate: _Rate, *, flip_sign: bool = ...) -> GradientTransformation: ...
def clip(max_delta: float) -> GradientTransformation: ...
def clip_by_global_norm(max_norm: float) -> GradientTransformation: ...
def trace(decay: float, nesterov: bool = ..., accumulator_dtype: _DType = ...) -> GradientTransformation: ...
def ema(decay: float, debias: bool = ..., accumulator_dtype: _DType = ...) -> GradientTransformation: ...
def scale_by_adam(
    b1: float = ...,
    b2: float = ...,
    eps: float = ...,
    eps_root: float = ...,
    mu_dtype: _DType = ...,
    *,
    nesterov: bool = ...,
) -> GradientTransformation: ...
def scale_by_amsgrad(
    b1: float = ..., b2: float = ..., eps: float = ..., eps_root: float = ..., mu_dtype: _DType = ...
) -> GradientTransformation: ...
def scale_by_adamax(b1: float = ..., b2: float = ..., eps: float = ...) -> GradientTransformation: ...
def scale_by_rss(initial_accumulator_value: float = ..., eps: float = ...) -> GradientTransformation: ...
def scale_by_rms(
    decay: float = ...,
    eps: float = ...,
    initial_scale: float = ...,
    eps_in_sqrt: bool = ...,
    bias_correction: bool = ...,
) -> GradientTransformation: ...
def scale_by_stddev(
    decay: float = ...,
    eps: float = ...,
    initial_scale: float = ...,
    eps_in_sqrt: bool = ...,
    bias_correction: bool = ...,
) -> GradientTransformation: ...
def scale_by_trust_ratio(
    min_norm: float = ..., trust_coefficient: float = ..., eps: float = ...
) -> GradientTransformation: ...
def scale_by_lion(b1: float = ..., b2: float = ..., mu_dtype: _DType = ...) -> GradientTransformation: ...
def add_decayed_weights(
    weight_decay: float = ..., mask: _Tree | Callable[[_Tree], _Tree] | None = ...
) -> GradientTransformation: ...
def sgd(
    learning_rate: _Rate, momentum: float | None = ..., nesterov: bool = ..., accumulator_dtype: _DType = ...
) -> GradientTransformation: ...
def adam(
    learning_rate: _Rate,
    b1: float = ...,
    b2: float = ...,
    eps: float = ...,
    eps_root: float = ...,
    mu_dtype: _DType = ...,
    *,
    nesterov: bool = ...,
) -> GradientTransformation: ...
def adamw(
    learning_rate: _Rate,
    b1: float = ...,
    b2: float = ...,
    eps: float = ...,
    eps_root: float = ...,
    mu_dtype: _DType = ...,
    weight_decay: float = ...,
    mask: _Tree | Callable[[_Tree], _Tree] | None = ...,
    *,
    nesterov: bool = ...,
) -> GradientTransformation: ...
def nadam(
    learning_rate: _Rate,
    b1: float = ...,
    b2: float = ...,
    eps: float = ...,
    eps_root: float = ...,
    mu_dtype: _DType = ...,
) -> GradientTransformation: ...
def nadamw(
    learning_rate: _Rate,
    b1: float = ...,
    b2: float = ...,
    eps: float = ...,
    eps_root: float = ...,
    mu_dtype: _DType = ...,
    weight_decay: float = ...,
    mask: _Tree | Callable[[_Tree], _Tree] | None = ...,
) -> GradientTransformation: ...
def amsgrad(
    learning_rate: _Rate,
    b1: float = ...,
    b2: float = ...,
    eps: float = ...,
    eps_root: float = ...,
    mu_dtype: _DType = ...,
) -> GradientTransformation: ...
def adamax(learning_rate: _Rate, b1: float = ..., b2: float = ..., eps: float = ...) -> GradientTransformation: ...
def adamaxw(
    learning_rate: _Rate,
    b1: float = ...,
    b2: float = ...,
    eps: float = ...,
    weight_decay: float = ...,
    mask: _Tree | Callable[[_Tree], _Tree] | None = ...,
) -> GradientTransformation: ...
def lamb(
    learning_rate: _Rate,
    b1: float = ...,
    b2: float = ...,
    eps: float = ...,
    eps_root: float = ...,
    weight_decay: float = ...,
    mask: _Tree | Callable[[_Tree], _Tree] | None = ...,
) -> GradientTransformation: ...
def adagrad(
    learning_rate: _Rate, initial_accumulator_value: float = ..., eps: float = ...
) -> GradientTransformation: ...
def rmsprop(
    learning_rate: _Rate,
    decay: float = ...,
    eps: float = ...,
    initial_scale: float = ...,
    eps_in_sqrt: bool = ...,
    centered: bool = ...,
    momentum: float | None = ...,
    nesterov: bool = ...,
    bias_correction: bool = ...,
) -> GradientTransformation: ...
def lion(
    learning_rate: _Rate,
    b1: float = ...,
    b2: float = ...,
    mu_dtype: _DType = ...,
    weight_decay: float = ...,
    mask: _Tree | Callable[[_Tree], _Tree] | None = ...,
) -> GradientTransformation: ...
def constant_schedule(value: float) -> _Schedule: ...
def polynomial_schedule(
    init_value: float, end_value: float, power: float, transition_steps: int, transition_begin: int = ...
) -> _Schedule: ...
def linear_schedule(
    init_value: float, end_value: float, transition_steps: int, transition_begin: int = ...
) -> _Schedule: ...
def exponential_decay(
    init_value: float,
    transition_steps: int,
    decay_rate: float,
    transition_begin: int = ...,
    staircase: bool = ...,
    end_value: float | None = ...,
) -> _Schedule: ...
def cosine_decay_schedule(
    init_value: float, decay_steps: int, alpha: float = ..., exponent: float = ...
) -> _Schedule: ...
def warmup_cosine_decay_schedule(
    init_value: float,
    peak_value: float,
    warmup_steps: int,
    decay_steps: int,
    end_value: float = ...,
    exponent: float = ...,
) -> _Schedule: ...
def warmup_constant_schedule(init_value: float, peak_value: float, warmup_steps: int) -> _Schedule: ...
def warmup_exponential_decay_schedule(
    init_value: float,
    peak_value: float,
    warmup_steps: int,
    transition_steps: int,
    decay_rate: float,
    transition_begin: int = ...,
    staircase: bool = ...,
    end_value: float | None = ...,
) -> _Schedule: ...
def piecewise_constant_schedule(
    init_value: float, boundaries_and_scales: dict[int, float] | None = ...
) -> _Schedule: ...
def sgdr_schedule(cosine_kwargs: Sequence[dict[str, Any]]) -> _Schedule: ...
def join_schedules(schedules: Sequence[_Schedule], boundaries: Sequence[int]) -> _Schedule: ...
