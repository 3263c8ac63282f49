"""dynacc.config, list_options and list_mode_options: the table of options (runtime/base/options.def) in Python."""
import collections as _collections
import contextlib as _contextlib

import _dynacc

from dynacc._compile import MODES, did_you_mean, guess

Option = _collections.namedtuple("Option", "name kind scope variable doc value")
Option.__doc__ = """One option.

kind      "bool", "int" (or None: the default that `doc` says), "str" or "path"
scope     what may have a value of its own: "start" (the environment variable decides, when the process starts),
          "process" (dynacc.config may change it) or "compilation" (dynacc.compile(options=...) may, too)
variable  the environment variable of its first value; "" of passes and fusion rules, which are bools: whether they are on
value     the process's
"""
_KINDS = {"Flag": "bool", "Count": "int", "Text": "str", "Path": "path"}


def list_options():
    """All options as a list of Options, passes and fusion rules among them."""
    return [Option(name, _KINDS[kind], *rest) for name, kind, *rest in _dynacc.list_options()]


def list_mode_options(mode=None):
    """What a mode of dynacc.compile sets, as a dict of options; of all modes, by their names, if none is given."""
    if mode is None:
        return {name: dict(options) for name, options in MODES.items()}
    if mode not in MODES:
        raise ValueError(f"dynacc.list_mode_options: there is no mode {mode!r}{did_you_mean(mode, MODES)}")
    return dict(MODES[mode])


class _Config:
    """The process's options as attributes: read and set them. The environment has their first values.

    What a compilation has of its own stays. Compiled variants that are there stay, too: dynacc.reset() drops them.
    ValueError or AttributeError for names that there are not, TypeError for values of another type.
    """

    __slots__ = ()

    def __getattr__(self, name):
        values = self.as_dict()
        if name in values:
            return values[name]
        raise AttributeError(f"dynacc.config: there is no option {name!r}{guess(name, values)}")

    def __setattr__(self, name, value):
        _dynacc.set_option(name, value)

    def __delattr__(self, name):
        raise AttributeError("dynacc.config: options cannot be deleted")

    def __dir__(self):
        return [*super().__dir__(), *self.as_dict()]

    def __repr__(self):
        return f"<dynacc.config: {', '.join(f'{name}={value!r}' for name, value in self.as_dict().items())}>"

    def as_dict(self):
        """All options and their values."""
        return {row[0]: row[5] for row in _dynacc.list_options()}

    @_contextlib.contextmanager
    def patch(self, changes=None, **more):
        """A context manager, and a decorator: the options have these values inside, of all threads, and then the old
        ones again. All of them are set, or none.
        """
        changes = {**(changes or {}), **more}
        before = {name: getattr(self, name) for name in changes}
        try:
            for name, value in changes.items():
                setattr(self, name, value)
            yield self
        finally:
            for name, value in before.items():
                if getattr(self, name) != value:
                    setattr(self, name, value)


config = _Config()
