from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

__all__ = ["Program", "ProgramError", "export", "load_program"]

class ProgramError(ValueError): ...

class Program:
    function: str
    inputs: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, str], ...]
    numbers: tuple[tuple[str, str], ...]
    weights: tuple[tuple[str, str], ...]
    levels: tuple[str, ...]
    level: str
    graph: str
    size: int
    def __init__(self, source: Any) -> None: ...
    def save(self, path: str | PathLike[str], weights: str | PathLike[str] | None = ...) -> None: ...
    def run(self, *arrays: Any, numbers: Sequence[float] = ...) -> list[Any]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def export(
    function: Callable[..., Any],
    *examples: Any,
    dynamic: bool | Mapping[str, Sequence[int] | Mapping[int, tuple[int, int] | None]] | None = ...,
    targets: Sequence[str] | None = ...,
    fast_math: bool = ...,
    weights: Literal["external", "pinned"] | None = ...,
    libraries: Mapping[Literal["lapack"], str] | None = ...,
    kwargs: Mapping[str, Any] | None = ...,
) -> Program: ...
def load_program(path: str | PathLike[str], weights: str | PathLike[str] | None = ...) -> Program: ...
