"""Tensors and NumPy's arrays, one over the other's memory: what the other files of the namespace are written with.

A function that NumPy does as well as could be is called on views of the tensors and its result is taken over as it is.
"""
import numpy as _np

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

    def __enter__(self):
        self.before = arrays.errors_off()

    def __exit__(self, kind, error, traceback):
        arrays.errors_back(self.before)


def promoted(*operands):
    """NumPy's arrays over the tensors (and Python numbers), all of the dtype that these have together."""
    dtype = arrays.result_type(*operands)
    return [array_in(operand, dtype) for operand in operands]


def array_in(operand, dtype):
    """The tensor's (or Python number's) array in this dtype; over its memory if it has that already."""
    if not isinstance(operand, Tensor):
        return array_of(arrays.full((), dtype, operand))
    return array_of(operand if operand.dtype is dtype else arrays.cast(operand, dtype))


def positions(array, axis):
    """0, 1, 2 ... along an axis of an array that is on a device, made there."""
    along = array[tuple([slice(None) if i == axis % array.ndim else 0 for i in range(array.ndim)])]
    ones = ((along == along) | (along != along)).astype(_np.int64)  # what depends on no array would come from the host
    return _np.add.accumulate(ones, 0) - 1
