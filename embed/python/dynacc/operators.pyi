from typing import Any, Callable, NamedTuple, Sequence, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])

__all__ = ["Operator", "OperatorError", "Spec", "declare", "get", "op", "registered"]

class Spec(NamedTuple):
    shape: tuple[Any, ...]
    dtype: Any

class OperatorError(RuntimeError): ...

class Operator:
    name: str
    body: Callable[..., Any]
    call: Callable[..., Any]
    rule: Callable[..., Any] | None
    gradient: Callable[..., Any] | None
    decomposition: Callable[..., Any] | None
    effects: bool
    source: str
    dtypes: tuple[Any, ...]
    mutated: tuple[int, ...]
    def __init__(
        self,
        name: str,
        body: Callable[..., Any],
        shape: str | Callable[..., Any] | None,
        mutates: Any,
        effects: bool,
        source: str,
        cuda: str,
        dtypes: Any,
        decomposition: Callable[..., Any] | None,
        gradient: Callable[..., Any] | None,
    ) -> None: ...

def op(
    name: str,
    shape: str | Callable[..., Any] | None = None,
    *,
    mutates: str | Sequence[str] = ...,
    effects: bool = ...,
    elementwise: str = ...,
    cuda: str = ...,
    dtypes: Sequence[Any] = ...,
    decomposition: Callable[..., Any] | None = None,
    gradient: Callable[..., Any] | None = None,
) -> Callable[[_F], _F]: ...
def declare(name: str, shapes: str, function: Callable[..., Any]) -> Callable[..., Any]: ...
def get(name: str) -> Callable[..., Any]: ...
def registered() -> list[str]: ...
