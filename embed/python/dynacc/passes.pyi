from typing import Any, Callable, NamedTuple, Sequence, TypeAlias, TypeVar, overload

from dynacc.graph import Graph, Node
from dynacc.graphs import CapturedGraph

_Function: TypeAlias = Callable[[Graph], Graph | None]
_F = TypeVar("_F", bound=Callable[[Graph], Graph | None])

class Match(NamedTuple):
    node: Node
    args: tuple[Node, ...]

def replace_pattern(
    graph: Graph,
    pattern: Callable[..., Any] | Graph,
    replacement: Callable[..., Any] | Graph,
    where: Callable[[Match], bool] | None = None,
    examples: Sequence[Any] | None = None,
) -> list[Match]: ...
@overload
def register(
    name: str, function: _F, before: str | None = None, after: str | None = None
) -> _F: ...
@overload
def register(
    name: str, function: None = None, before: str | None = None, after: str | None = None
) -> Callable[[_F], _F]: ...
def unregister(name: str) -> None: ...
def registered() -> list[str]: ...
def apply(
    graph: Graph, passes: Sequence[str | tuple[str, _Function]] | None = None
) -> Graph: ...
def backend(*passes: str | tuple[str, _Function]) -> Callable[[CapturedGraph], Graph | None]: ...
