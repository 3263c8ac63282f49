from typing import Any, Callable, Sequence

__all__ = ["check_op"]

def check_op(
    function: Callable[..., Any], *args: Any, targets: Sequence[str] = ..., rtol: float = ..., atol: float = ...
) -> None: ...
