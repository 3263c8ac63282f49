from typing import Any, Callable, Sequence

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
