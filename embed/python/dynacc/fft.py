"""The standard's extension fft, by NumPy's transforms.

Results have the precision of what is transformed: single (complex64, float32) of float16, float32 and complex64, else
double. Of the arguments

  n, s  how many elements are transformed along the axis, or along each: x is cut, or filled with zeros
  norm  "backward": the inverse is multiplied by 1 / n; "forward": the transform is; "ortho": both by its root

IndexError for an axis that there is not, ValueError for n < 1 and for another norm.
"""
import numpy as _np
import numpy.fft as _transforms  # not numpy.fft by its name: NumPy 2 imports it when it is first asked for

from dynacc._dtypes import require_dtype
from dynacc._devices import placed
from dynacc._memory import array_of, arrays, quiet, tensor_of

__all__ = ["fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "rfftn", "irfftn", "hfft", "ihfft", "fftfreq", "rfftfreq",
           "fftshift", "ifftshift"]

_SINGLE = (arrays.float16, arrays.float32, arrays.complex64)


def _transformed(transform, x, sizes, axes, norm):
    """NumPy's transform of the tensor, in its precision: NumPy 1 transforms in double precision always."""
    with quiet():
        result = transform(array_of(x), sizes, axes, norm)
        if x.dtype in _SINGLE:
            result = result.astype(_np.complex64 if result.dtype.kind == "c" else _np.float32)
    return tensor_of(result)


def _require_real(x, function):
    if arrays.is_of_kind(x.dtype, "c"):
        raise TypeError(f"dynacc.fft.{function}: a real tensor is needed, not one of {x.dtype}")


def fft(x, /, *, n=None, axis=-1, norm="backward"):
    """Returns the discrete Fourier transform along an axis: complex, with n elements along it."""
    return _transformed(_transforms.fft, x, n, axis, norm)


def ifft(x, /, *, n=None, axis=-1, norm="backward"):
    """Returns the inverse discrete Fourier transform along an axis; shapes and dtypes as of fft."""
    return _transformed(_transforms.ifft, x, n, axis, norm)


def fftn(x, /, *, s=None, axes=None, norm="backward"):
    """Returns the discrete Fourier transform along several axes (None: all), complex; s gives their sizes."""
    return _transformed(_transforms.fftn, x, s, axes, norm)


def ifftn(x, /, *, s=None, axes=None, norm="backward"):
    """Returns the inverse discrete Fourier transform along several axes; shapes and dtypes as of fftn."""
    return _transformed(_transforms.ifftn, x, s, axes, norm)


def rfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Returns the half of a real tensor's transform that determines the whole: n // 2 + 1 complex numbers along
    the axis.

    TypeError for complex tensors.
    """
    _require_real(x, "rfft")
    return _transformed(_transforms.rfft, x, n, axis, norm)


def irfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Returns the inverse of rfft, real, with n numbers along the axis; by default 2 * (m - 1) of m."""
    return _transformed(_transforms.irfft, x, n, axis, norm)


def rfftn(x, /, *, s=None, axes=None, norm="backward"):
    """Returns the half of a real tensor's transform along several axes, n // 2 + 1 complex
    numbers along the last of them.

    TypeError for complex tensors.
    """
    _require_real(x, "rfftn")
    return _transformed(_transforms.rfftn, x, s, axes, norm)


def irfftn(x, /, *, s=None, axes=None, norm="backward"):
    """Returns the inverse of rfftn, real; s gives the sizes along the axes, the last as n of irfft."""
    return _transformed(_transforms.irfftn, x, s, axes, norm)


def hfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Returns the real transform of a Hermitian signal, of which x is the half; n as of irfft."""
    return _transformed(_transforms.hfft, x, n, axis, norm)


def ihfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Returns the inverse of hfft: n // 2 + 1 complex numbers along the axis. TypeError for complex tensors."""
    _require_real(x, "ihfft")
    return _transformed(_transforms.ihfft, x, n, axis, norm)


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """Returns the frequencies of a transform of n samples d apart: [n], float64 if no dtype is given."""
    return placed(tensor_of(_transforms.fftfreq(n, d=d).astype(require_dtype(dtype, arrays.float64).dtype)), device)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """Returns the frequencies of the half that rfft gives: [n // 2 + 1], float64 if no dtype is given."""
    return placed(tensor_of(_transforms.rfftfreq(n, d=d).astype(require_dtype(dtype, arrays.float64).dtype)), device)


def fftshift(x, /, *, axes=None):
    """Returns the transform with the frequency 0 moved to the middle."""
    return _moved(x, axes, 1)


def ifftshift(x, /, *, axes=None):
    """Returns the inverse of fftshift."""
    return _moved(x, axes, -1)


def _moved(x, axes, direction):
    """The tensor rolled by half its size along axes (None: all)."""
    axes = tuple(range(x.ndim)) if axes is None else (axes,) if isinstance(axes, int) else tuple(axes)
    shifts = tuple([direction * (x.shape[axis] // 2) for axis in axes])
    return tensor_of(_np.roll(array_of(x), shifts, axis=axes))
