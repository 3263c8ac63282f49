"""Constants: tensors that never change, so that what is made of them can be kept."""
from dynacc._creation import asarray
from dynacc._memory import Tensor, arrays

__all__ = ["constant", "is_constant"]


def constant(obj, /, *, dtype=None, device=None):
    """Returns a tensor of obj's elements that never changes, a constant; obj itself if it is one.

    Its memory is a copy that nobody else has, and what would write to it raises ValueError or BufferError. Its views
    are constants, its copies are not. The first product x @ w with a constant w of float32 or bfloat16 brings w into the
    order in which such products read it quickest, and keeps that, as large as w, beside w for later ones.
    """
    tensor = asarray(obj, dtype=dtype, device=device)
    return tensor if arrays.is_constant(tensor) else arrays.constant_over(tensor.__copy__())


def is_constant(x, /):
    """Whether x is a constant, or a view of one."""
    return isinstance(x, Tensor) and arrays.is_constant(x)
