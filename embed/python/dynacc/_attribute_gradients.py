"""Derivatives by attributes of an object: `argnums` that are names (docs/gradients.md)."""
import types as _types

_MISSING = object()


def are_names(argnums):
    """Whether it is a name or a sequence of names. TypeError for names among numbers, and for anything else."""
    if isinstance(argnums, str):
        return True
    if isinstance(argnums, int):
        return False
    if not isinstance(argnums, (tuple, list, range)):
        raise TypeError(f"argnums {argnums!r}: they are a position, a name of an attribute, or a sequence of either")
    kinds = {isinstance(each, str) for each in argnums}
    if len(kinds) == 2:
        raise TypeError(f"argnums {argnums!r}: they are positions or names of attributes, not both")
    return kinds == {True}


class ByAttributes:
    """A function's derivative by attributes of its first argument, or of the object that it is a method of.

    transform  makes the derivative by the first argument of a function
    names      "weight" or "layer.weight", or several
    """

    def __init__(self, transform, fun, names):
        self._receiver = ()
        if type(fun) is _types.MethodType:
            self._receiver, fun = (fun.__self__,), fun.__func__
        self._is_one = isinstance(names, str)
        if not self._is_one and len(set(names)) < len(names):
            raise ValueError(f"argnums {names!r} name an attribute twice")
        self._places = [tuple(name.split(".")) for name in ((names,) if self._is_one else names)]
        self._derivative = transform(_of_attributes(fun, self._places, self._is_one))

    def __call__(self, *args, **kwargs):
        args = (*self._receiver, *args)
        if not args:
            raise TypeError("argnums are names of attributes, and there is no argument to have them")
        values = [_attribute(args[0], place) for place in self._places]
        return self._derivative(values[0] if self._is_one else tuple(values), *args, **kwargs)


def _attribute(receiver, place):
    """The value of an attribute. AttributeError: there is none of that name."""
    value = receiver
    for name in place:
        value = getattr(value, name, _MISSING)
        if value is _MISSING:
            raise AttributeError(f"argnums {'.'.join(place)!r} is the name of an attribute, and {type(receiver).__name__}, "
                                 "the first argument, has none; an argument is named by its position")
    return value


def _owner(receiver, place):
    for name in place[:-1]:
        receiver = getattr(receiver, name)
    return receiver


def _of_attributes(fun, places, is_one):
    """A function of values of attributes and of fun's arguments; the first of these has the values meanwhile."""
    def of_attributes(values, receiver, *args, **kwargs):
        owners = [_owner(receiver, place) for place in places]
        before = [getattr(owner, place[-1]) for owner, place in zip(owners, places)]
        for owner, place, value in zip(owners, places, [values] if is_one else values):
            setattr(owner, place[-1], value)
        try:
            return fun(receiver, *args, **kwargs)
        finally:
            for owner, place, value in zip(owners, places, before):
                setattr(owner, place[-1], value)

    return of_attributes
