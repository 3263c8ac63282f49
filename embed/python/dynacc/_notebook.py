"""The cell magic %%dynacc of IPython and Jupyter: `%load_ext dynacc` makes it known."""
import ast
import symtable

# Names of the notebook's that are taken while a cell runs: for its function, and for its last expression's value.
_CELL = "_dynacc_cell"
_VALUE = "_dynacc_value"


def register(shell):
    """Adds the magic to an IPython shell."""
    shell.register_magic_function(lambda line, cell: run_cell(shell, line, cell), "cell", "dynacc")


def run_cell(shell, line, cell):
    """Runs a cell compiled, shows its dynacc.Explanation and returns the value of its last expression."""
    import dynacc
    from IPython.display import display
    if line.strip():
        raise ValueError(f"%%dynacc takes nothing behind it, not {line.strip()!r}")
    source = shell.transform_cell(cell)
    file = shell.compile.cache(source)  # where tracebacks and explanations find its lines
    names = shell.user_ns
    exec(compile(_function(source, file), file, "exec"), names)
    function = names.pop(_CELL)
    function.__qualname__ = "cell"
    display(dynacc.explain(function)())
    return names.pop(_VALUE, None)


def _function(source, file):
    """A module that defines a function with the cell as its body, whose names are the notebook's.

    Only functions can be compiled on demand.
    """
    table = symtable.symtable(source, file, "exec")
    bound = [symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()]
    body = [_without_annotation(statement) for statement in ast.parse(source, file).body]
    if body and isinstance(body[-1], ast.Expr):
        target = ast.Name(_VALUE, ast.Store())
        body[-1] = ast.copy_location(ast.Assign([target], body[-1].value), body[-1])
    module = ast.parse(f"def {_CELL}(): pass")
    module.body[0].body = [ast.Global([*bound, _VALUE]), *body]
    return ast.fix_missing_locations(module)


def _without_annotation(statement):
    """`x: int = 1` as `x = 1`: Python has no annotations of a function's global names."""
    if not isinstance(statement, ast.AnnAssign):
        return statement
    if statement.value is None:
        return ast.copy_location(ast.Pass(), statement)
    return ast.copy_location(ast.Assign([statement.target], statement.value), statement)
