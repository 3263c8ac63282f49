"""The standard's namespace inspection."""
from dynacc._dtypes import KINDS, LOW_PRECISION
from dynacc._devices import Device, names
from dynacc._memory import arrays

__all__ = ["__array_namespace_info__"]


_NOT_STANDARD = (arrays.float16, *LOW_PRECISION)


def _check(device):
    """ValueError for what is no device's name."""
    if device is not None:
        Device(device)


class _NamespaceInfo:
    """What __array_namespace_info__ returns."""

    def capabilities(self):
        """Returns what the namespace can do."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 32}

    def default_device(self):
        """Returns the device that tensors are made on."""
        return Device("cpu")

    def devices(self):
        """Returns the devices that there are."""
        return names()

    def default_dtypes(self, *, device=None):
        """Returns the dtypes of numbers for which none is given."""
        _check(device)
        return {"real floating": arrays.float64, "complex floating": arrays.complex128, "integral": arrays.int64,
                "indexing": arrays.int64}

    def dtypes(self, *, device=None, kind=None):
        """Returns the standard's dtypes of a kind, of several, or all, by name."""
        _check(device)
        if kind is None:
            kind = ("bool", "numeric")
        kinds = kind if isinstance(kind, tuple) else (kind,)
        unknown = [one for one in kinds if one not in KINDS]
        if unknown:
            raise ValueError(f"unknown kind of dtype {unknown[0]!r}; there are {', '.join(KINDS)}")
        found = [dtype for one in kinds for dtype in KINDS[one] if dtype not in _NOT_STANDARD]
        return {dtype.name: dtype for dtype in found}


def __array_namespace_info__():
    """Returns an object that tells devices, dtypes and capabilities."""
    return _NamespaceInfo()
