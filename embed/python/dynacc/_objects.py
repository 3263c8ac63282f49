"""What dynacc.compile makes of objects and modules: CompiledObject and CompiledModule (docs/compile.md)."""
import copy as _copy
import inspect as _inspect
import types as _types
import weakref as _weakref

# Special methods are looked up in the type, past __getattribute__. These are CompiledObject's own.
_OWN = frozenset({"__new__", "__init__", "__init_subclass__", "__class__", "__getattribute__", "__getattr__", "__setattr__",
                  "__delattr__", "__dict__", "__weakref__", "__doc__", "__module__", "__slots__", "__call__", "__repr__",
                  "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__copy__", "__deepcopy__", "__del__",
                  "__subclasshook__", "__class_getitem__", "__getnewargs__", "__getnewargs_ex__", "__sizeof__",
                  "__annotations__", "__set_name__", "__get__", "__set__", "__delete__"})

# What is asked of a CompiledObject itself; all other attributes are the object's.
_ITS_OWN = frozenset({"__class__", "__reduce_ex__", "__copy__", "__deepcopy__"})


def entry_of(obj):
    """The name of the method that a call of `obj` runs: "__call__" or "forward"; None if there is no Python one.

    It is looked up in the type, where no __getattr__ of the object can answer.
    """
    for name in ("__call__", "forward"):
        if isinstance(_inspect.getattr_static(type(obj), name, None), _types.FunctionType):
            return name
    return None


class CompiledObject:
    """What dynacc.compile returns of a callable object, or of one with a method `forward`.

    A call runs the object's __call__ (or forward) compiled; so do its other methods, each compiled when it is first asked
    for. Attributes are read, set and deleted in the object itself, `__wrapped__`. isinstance, repr and operators see the
    object; pickle and copy carry it along. forget() and stats(), if the object has no such names itself, are of all its
    methods together.
    """

    __slots__ = ("_dynacc_state", "__weakref__")

    def __init__(self, obj, arguments):
        object.__setattr__(self, "_dynacc_state", _State(obj, arguments))

    def __call__(self, *args, **kwargs):
        state = _state_of(self)
        return state.function(state.entry)(state.obj, *args, **kwargs)

    def __getattribute__(self, name):
        return object.__getattribute__(self, name) if name in _ITS_OWN else _state_of(self).attribute(name)

    def __setattr__(self, name, value):
        setattr(_state_of(self).obj, name, value)

    def __delattr__(self, name):
        delattr(_state_of(self).obj, name)

    def __dir__(self):
        return dir(_state_of(self).obj)

    def __repr__(self):
        return repr(_state_of(self).obj)

    def __reduce_ex__(self, protocol):
        state = _state_of(self)
        return _made, (state.obj, state.arguments)

    def __copy__(self):
        state = _state_of(self)
        return _made(_copy.copy(state.obj), state.arguments)

    def __deepcopy__(self, memo):
        state = _state_of(self)
        return _made(_copy.deepcopy(state.obj, memo), state.arguments)


class _State:
    """A CompiledObject's own: `compiled` are the CompiledFunctions of methods, by the function that each is made of."""

    def __init__(self, obj, arguments):
        self.obj = obj
        self.arguments = arguments
        self.entry = _inspect.getattr_static(type(obj), entry_of(obj))
        self.compiled = {}

    def attribute(self, name):
        if name == "__wrapped__":
            return self.obj
        try:
            value = getattr(self.obj, name)
        except AttributeError:
            if name in ("forget", "stats"):
                return getattr(self, name)
            raise
        return self.bound(value) if isinstance(value, _types.MethodType) else value

    def bound(self, method):
        """A method as a compiled one; as it is if it is another object's, or no Python function."""
        if method.__self__ is not self.obj or not isinstance(method.__func__, _types.FunctionType):
            return method
        return _types.MethodType(self.function(method.__func__), self.obj)

    def function(self, function):
        compiled = self.compiled.get(function)
        if compiled is None:
            from dynacc._compile import compile
            compiled = self.compiled[function] = compile(function, **self.arguments)
        return compiled

    def forget(self):
        """Forgets what was compiled of all methods."""
        for compiled in self.compiled.values():
            compiled.forget()

    def stats(self):
        """The counters of all methods' compilations, added up."""
        return _sum_of([compiled.stats() for compiled in self.compiled.values()])


class CompiledModule(_types.ModuleType):
    """What dynacc.compile returns of a module: its functions are compiled, each when it is first asked for.

    Only functions that were defined in the module are; everything else is the module's own, `__wrapped__`, which stays
    as it is.
    """

    def __init__(self, module, arguments):
        super().__init__(module.__name__, module.__doc__)
        vars(self).update(__wrapped__=module, _dynacc_arguments=arguments, _dynacc_compiled={})
        for name in ("__loader__", "__spec__", "__package__"):
            del vars(self)[name]  # the module's own are to be seen

    def __getattr__(self, name):
        value = getattr(vars(self)["__wrapped__"], name)
        if not isinstance(value, _types.FunctionType) or value.__module__ != self.__name__:
            return value
        compiled = vars(self)["_dynacc_compiled"]
        if value not in compiled:
            from dynacc._compile import compile
            compiled[value] = compile(value, **vars(self)["_dynacc_arguments"])
        return compiled[value]

    def __setattr__(self, name, value):
        setattr(vars(self)["__wrapped__"], name, value)

    def __delattr__(self, name):
        delattr(vars(self)["__wrapped__"], name)

    def __dir__(self):
        return dir(vars(self)["__wrapped__"])

    def __repr__(self):
        return f"<dynacc.compile of {vars(self)['__wrapped__']!r}>"

    def __reduce__(self):
        return _module_made, (self.__name__, vars(self)["_dynacc_arguments"])

    def forget(self):
        """Forgets what was compiled of all functions."""
        for compiled in vars(self)["_dynacc_compiled"].values():
            compiled.forget()

    def stats(self):
        """The counters of all functions' compilations, added up."""
        return _sum_of([compiled.stats() for compiled in vars(self)["_dynacc_compiled"].values()])


def compiled_object(obj, arguments):
    """A CompiledObject of `obj`, with the special methods that its type has."""
    return _type_for(type(obj))(obj, arguments)


_made = compiled_object


def entry_behind(function):
    """The plain method that a call of a CompiledObject runs; anything else itself."""
    if not issubclass(type(function), CompiledObject):
        return function
    state = _state_of(function)
    return _types.MethodType(state.entry, state.obj)


def _module_made(name, arguments):
    import importlib
    return CompiledModule(importlib.import_module(name), arguments)


def _state_of(compiled):
    return object.__getattribute__(compiled, "_dynacc_state")


def _sum_of(rows):
    names = ("traces", "entries_made", "entries", "hits", "recompiles", "graph_breaks", "limits_reached")
    return {name: sum([row[name] for row in rows]) for name in names}


_types_for = _weakref.WeakKeyDictionary()  # by the type of the object


def _type_for(of):
    """A subclass of CompiledObject that has the special methods of that type."""
    if of not in _types_for:
        _types_for[of] = _make_type_for(of)
    return _types_for[of]


def _make_type_for(of):
    names = {name for base in of.__mro__[:-1] for name in vars(base)}
    special = {name for name in names if name.startswith("__") and name.endswith("__")} - _OWN
    space = {name: _forwarded(name) for name in sorted(special) if callable(getattr(of, name, None))}
    space |= {name: None for name in special if getattr(of, name, ...) is None}  # __hash__ of what has none
    space["__class__"] = property(lambda self: type(_state_of(self).obj))  # for isinstance
    return type("CompiledObject", (CompiledObject,), {"__slots__": (), "__doc__": CompiledObject.__doc__, **space})


def _forwarded(name):
    def forward(self, *args):
        obj = _state_of(self).obj
        return getattr(type(obj), name)(obj, *args)

    forward.__name__ = name
    return forward
