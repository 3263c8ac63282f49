from contextlib import AbstractContextManager
from os import PathLike
from types import CellType, CodeType
from typing import Any, Callable, Generic, ParamSpec, Self, Sequence, TypedDict, TypeVar, overload

from dynacc import (
    backends as backends,
    initializers as initializers,
    losses as losses,
    operators as operators,
    optim as optim,
    program as program,
    testing as testing,
    tree as tree,
)
from dynacc._config import config as config, list_mode_options as list_mode_options, list_options as list_options
from dynacc.graph import GraphBreak as GraphBreak
from dynacc.operators import OperatorError as OperatorError, op as op
from dynacc.program import Program as Program, export as export, load_program as load_program

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Model = TypeVar("_Model")
_Backend = Callable[..., Any]
_Callback = Callable[[CodeType, int, str], object]

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

class _Place(TypedDict):
    file: str
    line: int
    function: str

class _Break(_Place):
    callers: list[_Place]
    source: str
    reason: str
    hint: str

class _Recompile(TypedDict):
    line: int
    reason: str

class _Instruction(TypedDict):
    offset: int
    text: str
    where: str

class _Line(TypedDict):
    file: str
    number: int
    text: str
    state: str
    notes: list[str]
    bytecode: list[_Instruction]

class _Segment(TypedDict):
    start_line: int
    visits: int
    entries: list[_Entry]

class Explanation:
    name: str
    result: Any
    segments: list[_Segment]
    breaks: list[_Break]
    recompiles: list[_Recompile]
    lines: list[_Line]
    def __init__(self, result: Any, data: dict[str, Any], code: CodeType | None = ...) -> None: ...
    def as_dict(self) -> dict[str, Any]: ...
    def listing(self, bytecode: bool = ...) -> str: ...
    def dot(self) -> str: ...
    @property
    def graphs(self) -> list[str]: ...
    @property
    def guards(self) -> list[str]: ...
    @property
    def kernels(self) -> list[str]: ...

class _Compiled(Generic[_P, _R]):
    __wrapped__: Callable[_P, _R]
    __name__: str
    __qualname__: str
    @property
    def __code__(self) -> CodeType: ...
    @property
    def __globals__(self) -> dict[str, Any]: ...
    @property
    def __closure__(self) -> tuple[CellType, ...] | None: ...
    @property
    def __defaults__(self) -> tuple[Any, ...] | None: ...
    @property
    def __kwdefaults__(self) -> dict[str, Any] | None: ...
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
    @overload
    def __get__(self, instance: None, owner: Any = ...) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: Any = ...) -> Callable[..., _R]: ...
    def forget(self) -> None: ...
    def stats(self) -> dict[str, int]: ...

class ScriptExplanation:
    program: str
    status: int
    functions: list[Explanation]
    def __init__(self, recording: Any) -> None: ...

@overload
def compile(
    model: Callable[_P, _R],
    *,
    fullgraph: bool = ...,
    dynamic: bool | None = ...,
    backend: str | _Backend = ...,
    mode: str | None = ...,
    options: dict[str, Any] | None = ...,
    disable: bool = ...,
    fast_math: bool | None = ...,
    device: str | None = ...,
    on_graph_break: _Callback | None = ...,
    on_recompile: _Callback | None = ...,
) -> _Compiled[_P, _R]: ...
@overload
def compile(
    model: None = ...,
    *,
    fullgraph: bool = ...,
    dynamic: bool | None = ...,
    backend: str | _Backend = ...,
    mode: str | None = ...,
    options: dict[str, Any] | None = ...,
    disable: bool = ...,
    fast_math: bool | None = ...,
    device: str | None = ...,
    on_graph_break: _Callback | None = ...,
    on_recompile: _Callback | None = ...,
) -> Callable[[Callable[_P, _R]], _Compiled[_P, _R]]: ...
@overload
def compile(
    model: _Model,
    *,
    fullgraph: bool = ...,
    dynamic: bool | None = ...,
    backend: str | _Backend = ...,
    mode: str | None = ...,
    options: dict[str, Any] | None = ...,
    disable: bool = ...,
    fast_math: bool | None = ...,
    device: str | None = ...,
    on_graph_break: _Callback | None = ...,
    on_recompile: _Callback | None = ...,
) -> _Model: ...
def disable(model: Callable[_P, _R]) -> Callable[_P, _R]: ...
def reset() -> None: ...

def list_backends() -> list[str]: ...

# What calls do.
def mark_dynamic(array: Any, axis: int | Sequence[int], *, min: int | None = ..., max: int | None = ...) -> None: ...
def mark_static(array: Any, axis: int | Sequence[int] | None = ...) -> None: ...

class set_stance:
    def __init__(self, stance: str) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def __call__(self, function: Callable[_P, _R]) -> Callable[_P, _R]: ...

@overload
def explain(function: Callable[_P, Any], *, fresh: bool = ...) -> Callable[_P, Explanation]: ...
@overload
def explain(function: str | PathLike[str], *, fresh: bool = ...) -> ScriptExplanation: ...
def info() -> dict[str, Any]: ...
def set_logs(*topics: str) -> None: ...
def stats() -> dict[str, Any]: ...
def load_ipython_extension(shell: Any) -> None: ...

# Derivatives: trees of arrays and numbers in, trees of arrays and numbers out.
_Positions = int | str | Sequence[int] | Sequence[str]

def grad(
    fun: Callable[..., Any], argnums: _Positions = ..., has_aux: bool = ..., *, budget: float | None = ...
) -> Callable[..., Any]: ...
def value_and_grad(
    fun: Callable[..., Any], argnums: _Positions = ..., has_aux: bool = ..., *, budget: float | None = ...
) -> Callable[..., Any]: ...
def vjp(fun: Callable[..., Any], *primals: Any, has_aux: bool = ..., budget: float = ...) -> tuple[Any, ...]: ...
def jvp(
    fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = ...
) -> tuple[Any, ...]: ...
def jacobian(fun: Callable[..., Any], argnums: _Positions = ..., has_aux: bool = ...) -> Callable[..., Any]: ...
def hessian(fun: Callable[..., Any], argnums: _Positions = ...) -> Callable[..., Any]: ...
def debug_nans(enabled: bool = ...) -> AbstractContextManager[None]: ...
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
