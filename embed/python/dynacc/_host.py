"""What libdynacc_embed asks of Python itself for a C++ program (embed/host)."""
import inspect
import linecache
import types

_KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional only",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional",
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.KEYWORD_ONLY: "keyword only",
    inspect.Parameter.VAR_KEYWORD: "**",
}


class _Loader:
    """Of a module that was made of text: it lives as long as the module's names do."""


def module_of_source(name, source):
    """A new module of that name, not run yet, and its code. Tracebacks show its lines as those of <name>."""
    file = f"<{name}>"
    code = compile(source, file, "exec", dont_inherit=True)
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    module = types.ModuleType(name)
    module.__file__ = file
    module.__loader__ = _Loader()
    return module, code


def signature(function):
    """What inspect tells of a callable: text, documentation, the annotation of what it returns, a dict a parameter."""
    found = inspect.signature(function)
    return {"text": str(found), "documentation": inspect.getdoc(function) or "",
            "returns": _text_of(found.return_annotation),
            "parameters": [_parameter(each) for each in found.parameters.values()]}


def _parameter(of):
    row = {"name": of.name, "kind": _KINDS[of.kind], "annotation": _text_of(of.annotation)}
    if of.default is not inspect.Parameter.empty:
        row["default"] = of.default
    return row


def _text_of(annotation):
    if annotation is inspect.Parameter.empty:
        return ""
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def freeze(function, path, examples, kwargs, dynamic, targets, fast_math):
    """Writes what dynacc.export makes of the function to a file."""
    from dynacc.program import export
    axes = {name: {int(axis): bounds for axis, *bounds in rows} for name, rows in dynamic}
    axes = {name: {axis: tuple(bounds) or None for axis, bounds in of.items()} for name, of in axes.items()}
    export(function, *examples, dynamic=axes or None, targets=targets or None, fast_math=fast_math,
           kwargs=kwargs).save(path)
