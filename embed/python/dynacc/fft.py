"""The standard's extension fft, by NumPy's transforms; results have the precision of what is transformed."""
import numpy as _np

from dynacc._dtypes import require_dtype
from dynacc._devices import placed
from dynacc._memory import array_of, arrays, tensor_of

__all__ = ["fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "rfftn", "irfftn", "hfft", "ihfft", "fftfreq", "rfftfreq",
           "fftshift", "ifftshift"]

_SINGLE = (arrays.float16, arrays.float32, arrays.complex64)


def _in_precision(result, x):
    """NumPy transforms in double precision always."""
    if x.dtype in _SINGLE:
        result = result.astype(_np.complex64 if result.dtype.kind == "c" else _np.float32)
    return tensor_of(result)


def fft(x, /, *, n=None, axis=-1, norm="backward"):
    """Returns the discrete Fourier transform along an axis."""
    return _in_precision(_np.fft.fft(array_of(x), n=n, axis=axis, norm=norm), x)


def ifft(x, /, *, n=None, axis=-1, norm="backward"):
    """Returns the inverse discrete Fourier transform along an axis."""
    return _in_precision(_np.fft.ifft(array_of(x), n=n, axis=axis, norm=norm), x)


def fftn(x, /, *, s=None, axes=None, norm="backward"):
    """Returns the discrete Fourier transform along several axes."""
    return _in_precision(_np.fft.fftn(array_of(x), s=s, axes=axes, norm=norm), x)


def ifftn(x, /, *, s=None, axes=None, norm="backward"):
    """Returns the inverse discrete Fourier transform along several axes."""
    return _in_precision(_np.fft.ifftn(array_of(x), s=s, axes=axes, norm=norm), x)


def rfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Returns the half of a real tensor's transform that determines the whole."""
    return _in_precision(_np.fft.rfft(array_of(x), n=n, axis=axis, norm=norm), x)


def irfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Returns the inverse of rfft."""
    return _in_precision(_np.fft.irfft(array_of(x), n=n, axis=axis, norm=norm), x)


def rfftn(x, /, *, s=None, axes=None, norm="backward"):
    """Returns the half of a real tensor's transform along several axes."""
    return _in_precision(_np.fft.rfftn(array_of(x), s=s, axes=axes, norm=norm), x)


def irfftn(x, /, *, s=None, axes=None, norm="backward"):
    """Returns the inverse of rfftn."""
    return _in_precision(_np.fft.irfftn(array_of(x), s=s, axes=axes, norm=norm), x)


def hfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Returns the real transform of a signal that is Hermitian."""
    return _in_precision(_np.fft.hfft(array_of(x), n=n, axis=axis, norm=norm), x)


def ihfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Returns the inverse of hfft."""
    return _in_precision(_np.fft.ihfft(array_of(x), n=n, axis=axis, norm=norm), x)


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """Returns the frequencies of a transform of n samples d apart."""
    return placed(tensor_of(_np.fft.fftfreq(n, d=d).astype(require_dtype(dtype, arrays.float64).dtype)), device)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """Returns the frequencies of the half that rfft gives."""
    return placed(tensor_of(_np.fft.rfftfreq(n, d=d).astype(require_dtype(dtype, arrays.float64).dtype)), device)


def fftshift(x, /, *, axes=None):
    """Returns the transform with the frequency 0 moved to the middle."""
    return tensor_of(_np.fft.fftshift(array_of(x), axes=axes))


def ifftshift(x, /, *, axes=None):
    """Returns the inverse of fftshift."""
    return tensor_of(_np.fft.ifftshift(array_of(x), axes=axes))
