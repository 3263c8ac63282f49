from typing import Any, Sequence

def bits(shape: int | Sequence[int], *, key: int, offset: int = ..., device: str | None = ...) -> Any: ...
def uniform(
    shape: int | Sequence[int],
    *,
    key: int,
    offset: int = ...,
    dtype: Any = ...,
    device: str | None = ...,
) -> Any: ...
def normal(
    shape: int | Sequence[int],
    *,
    key: int,
    offset: int = ...,
    dtype: Any = ...,
    device: str | None = ...,
) -> Any: ...
