"""Tensors and NumPy's arrays, one over the other's memory: what the other files of the namespace are written with.

A function that NumPy does as well as could be is called on views of the tensors and its result is taken over as it is.
"""
from numpy.core.umath import geterrobj as _geterrobj
from numpy.core.umath import seterrobj as _seterrobj

import _dynacc

arrays = _dynacc.arrays()
Tensor = arrays.Tensor
DType = arrays.DType
array_of = arrays.to_numpy        # an ndarray over a tensor's memory
tensor_of = arrays.from_numpy     # a tensor over an ndarray's memory, or of a NumPy scalar's value


class quiet:
    """with quiet(): NumPy's functions report no floating-point errors. As np.errstate, in a fraction of its time.

    Tensors give no warnings: what overflows is infinite and what is undefined is NaN.
    """
    __slots__ = ("_before",)

    def __enter__(self):
        self._before = _geterrobj()
        _seterrobj([self._before[0], 0, self._before[2]])

    def __exit__(self, *exception):
        _seterrobj(self._before)


def promoted(*operands):
    """NumPy's arrays over the tensors (and Python numbers), all of the dtype that these have together."""
    dtype = arrays.result_type(*operands)
    return [array_in(operand, dtype) for operand in operands]


def array_in(operand, dtype):
    """The tensor's (or Python number's) array in this dtype; over its memory if it has that already."""
    if not isinstance(operand, Tensor):
        return array_of(arrays.full((), dtype, operand))
    return array_of(operand if operand.dtype is dtype else arrays.cast(operand, dtype))


def require_device(device):
    """ValueError for a device that there is not."""
    if device is not None and device != "cpu":
        raise ValueError(f"no device {device!r}: the only one is 'cpu'")
