from typing import Any, Callable, NamedTuple, Sequence

class Node(NamedTuple):
    number: int
    dtype: str
    shape: tuple[str, ...]
    op: str
    operands: tuple[int, ...]
    attributes: str

class CapturedGraph:
    text: str
    label: str
    def __init__(self, text: str, label: str = ...) -> None: ...
    @property
    def nodes(self) -> list[Node]: ...
    @property
    def has_data_dependent_sizes(self) -> bool: ...

class Failure(Exception):
    kind: str
    def __init__(self, kind: str, message: str) -> None: ...

def describe(graph: str) -> dict[str, Any]: ...
def run(
    graph: str,
    target: str = ...,
    inputs: Sequence[Any] | None = ...,
    numbers: Sequence[float] | None = ...,
    seed: int = ...,
) -> list[Any]: ...
def check(
    graph: str, targets: Sequence[str] = ..., numbers: Sequence[float] | None = ..., seed: int = ...
) -> None: ...
def shrink(
    graph: str,
    targets: Sequence[str] = ...,
    numbers: Sequence[float] | None = ...,
    seed: int = ...,
    report: Callable[[int], None] | None = ...,
) -> str: ...
def main(graph: str | None = ..., arguments: Sequence[str] | None = ...) -> int: ...
