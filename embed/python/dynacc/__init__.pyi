from typing import Any, Callable, ParamSpec, Sequence, TypedDict, TypeVar, overload

from dynacc import (
    initializers as initializers,
    losses as losses,
    operators as operators,
    optim as optim,
    program as program,
    testing as testing,
    tree as tree,
)
from dynacc.graphs import CapturedGraph
from dynacc.operators import OperatorError as OperatorError, op as op
from dynacc.program import export as export, load_program as load_program

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Run = Callable[[list[Any], list[float]], Sequence[Any]]
_Backend = Callable[[CapturedGraph], str | CapturedGraph | _Run | None]

__version__: str

class _Group(TypedDict):
    kind: str
    nodes: list[int]

class _Entry(TypedDict):
    graph: str
    guards: list[str]
    kernels: str
    optimized: str
    groups: list[_Group]
    hits: int
    misses: int

class _Break(TypedDict):
    file: str
    line: int
    source: str
    reason: str
    hint: str

class _Segment(TypedDict):
    start_line: int
    visits: int
    entries: list[_Entry]

class Explanation:
    name: str
    result: Any
    segments: list[_Segment]
    breaks: list[_Break]
    def __init__(
        self, name: str, result: Any, segments: list[_Segment], breaks: list[_Break]
    ) -> None: ...
    def as_dict(self) -> dict[str, Any]: ...
    def dot(self) -> str: ...
    @property
    def graphs(self) -> list[str]: ...
    @property
    def guards(self) -> list[str]: ...
    @property
    def kernels(self) -> list[str]: ...

@overload
def compile(
    function: Callable[_P, _R],
    *,
    fullgraph: bool = ...,
    dynamic: bool | None = ...,
    fast_math: bool | None = ...,
    backend: str | _Backend = ...,
    device: str | None = ...,
) -> Callable[_P, _R]: ...
@overload
def compile(
    function: None = ...,
    *,
    fullgraph: bool = ...,
    dynamic: bool | None = ...,
    fast_math: bool | None = ...,
    backend: str | _Backend = ...,
    device: str | None = ...,
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...
def disable(function: Callable[_P, _R]) -> Callable[_P, _R]: ...
def explain(function: Callable[_P, Any], *, fresh: bool = ...) -> Callable[_P, Explanation]: ...
def stats() -> dict[str, Any]: ...
def load_ipython_extension(shell: Any) -> None: ...

# Derivatives: trees of arrays and numbers in, trees of arrays and numbers out.
_Positions = int | Sequence[int]

def grad(fun: Callable[..., Any], argnums: _Positions = ..., has_aux: bool = ...) -> Callable[..., Any]: ...
def value_and_grad(fun: Callable[..., Any], argnums: _Positions = ..., has_aux: bool = ...) -> Callable[..., Any]: ...
def vjp(fun: Callable[..., Any], *primals: Any, has_aux: bool = ..., budget: float = ...) -> tuple[Any, ...]: ...
def jvp(
    fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = ...
) -> tuple[Any, ...]: ...
def jacobian(fun: Callable[..., Any], argnums: _Positions = ..., has_aux: bool = ...) -> Callable[..., Any]: ...
def hessian(fun: Callable[..., Any], argnums: _Positions = ...) -> Callable[..., Any]: ...
def stop_gradient(value: _R) -> _R: ...
def checkpoint(fun: Callable[_P, _R], policy: str | None = ...) -> Callable[_P, _R]: ...
def custom_gradient(fun: Callable[_P, tuple[_R, Callable[[_R], Any]]]) -> Callable[_P, _R]: ...

# Control flow that graphs can hold.
def cond(pred: Any, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Any) -> Any: ...
def while_loop(
    cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init_val: Any, *, bound: int | None = ...
) -> Any: ...
def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = ...,
    length: int | None = ...,
    reverse: bool = ...,
    unroll: int = ...,
) -> tuple[Any, Any]: ...
def map(f: Callable[[Any], Any], xs: Any, *, batch_size: int | None = ...) -> Any: ...
def associative_scan(fn: Callable[[Any, Any], Any], elems: Any, reverse: bool = ..., axis: int = ...) -> Any: ...
def vmap(fun: Callable[..., Any], in_axes: Any = ..., out_axes: Any = ...) -> Callable[..., Any]: ...

# The array API standard's names, made when they are asked for.
def __getattr__(name: str) -> Any: ...
