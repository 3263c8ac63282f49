#!/usr/bin/env python3
"""Every row of every table (*.def) has a test. How each table's rows are tested is said here, once.

usage: tables_test.py ROOT      exit status 1 if a table is not named here or a row is tested nowhere

A table's tests are files of two kinds: those that go through all rows (they include or read the table,
or walk over what is made from it, FILE:WORD), and so cannot forget one, and those that must name each
row, by its name in the table, its text there, or the enumerator k<name>.
"""
import pathlib
import re
import sys

# table -> (files that enumerate it, files that together name every row)
TABLES = {
    "codegen/loops/loop_ops.def": (["tests/codegen/loops/loop_interpreter_test.cc"], []),
    "codegen/ops/ops.def": (["tests/codegen/targets_cpu/numpy_bits_test.py:BridgeNumOps"], []),
    "codegen/passes/passes.def": ([], ["tests/codegen/passes"]),
    "codegen/schedule/epilogue.def": (["tests/codegen/targets_cpu/fused_product_test.cc"], []),
    "codegen/schedule/rules/rules.def": ([], ["tests/codegen/schedule", "tests/codegen/extensions"]),
    "codegen/targets/cpu/loader_symbols.def": (["tests/codegen/targets_cpu/object_loader_test.cc"], []),
    "codegen/targets/cpu/onednn/functions.def": (["codegen/targets/cpu/onednn/library.cc"], []),
    "codegen/targets/cuda/cublaslt_functions.def": (["tests/codegen/targets_cuda/cublaslt_types_test.cc"], []),
    "codegen/targets/cuda/nvrtc_functions.def": (["codegen/targets/cuda/nvrtc_compiler.cc"], []),
    "codegen/targets/targets.def": (["tests/codegen/compiler/option_names_test.cc"], []),
    "runtime/device/cuda/driver_functions.def": (["tests/cuda_sim/driver.cc"], []),
    "embed/host/element_types.def": (["tests/embed/host/values_test.cc:EveryElementTypeKeepsItsName"], []),
    "frontend/arrays/namespaces.def": ([], ["tests/frontend/arrays"]),
    "frontend/arrays/native/dtype_names.def": ([], ["tests/array_api"]),
    "frontend/arrays/native/elementwise.def": ([], ["tests/array_api"]),
    "frontend/arrays/native/native_functions.def": ([], ["tests/array_api"]),
    "frontend/arrays/native/tensor_methods.def": ([], ["tests/array_api"]),
    "frontend/arrays/numpy/numpy_draws.def": (["tests/frontend/arrays/draw_test.py"], []),
    "frontend/arrays/numpy/numpy_attributes.def": (["tests/frontend/arrays/tracing_test.py"], []),
    "frontend/arrays/numpy/numpy_externs.def": (["tests/frontend/arrays/extern_test.py"], []),
    "frontend/arrays/numpy/numpy_keywords.def": (["tests/frontend/arrays/numpy2_calls_test.py"], []),
    "frontend/arrays/numpy/numpy_late.def": (["tests/frontend/arrays/extern_test.py"], []),
    "frontend/arrays/numpy/numpy_inlined.def": (["tests/frontend/arrays/inlined_test.py"], []),
    "frontend/arrays/numpy/numpy_pure.def": (["tests/frontend/arrays/inlined_test.py"], []),
    "frontend/arrays/numpy/numpy_functions.def": (["tests/frontend/arrays/tracing_test.py"], []),
    "frontend/arrays/numpy/numpy_methods.def": (["tests/frontend/arrays/tracing_test.py"], []),
    "frontend/cpython/opcodes.def": (["tests/frontend/tracer/opcode_test.py"], []),
    "frontend/frame/break_hints.def": (["tests/layering/tables_test.py"], []),
    "frontend/frame/elements/loop_calls.def": (["tests/frontend/frame/element_loops_test.py"], []),
    "frontend/frame/elements/loop_opcodes.def": (["tests/frontend/frame/element_loops_test.py"], []),
    "frontend/guards/guards.def": (["tests/frontend/guards/guard_test.cc"], []),
    "frontend/recipe/effects.def": (["tests/frontend/tracer/table_rows_test.py"], []),
    "frontend/recipe/recipe.def": (["tests/frontend/tracer/table_rows_test.py"], []),
    "frontend/sources/sources.def": (["tests/frontend/sources/source_test.cc"], []),
    "frontend/tracer/builtins/builtins.def": (["tests/frontend/tracer/table_rows_test.py"], []),
    "frontend/tracer/stand_ins/library.def": (["tests/frontend/tracer/stand_ins_test.py"], []),
    "frontend/tracer/stand_ins/stand_ins.def": ([], ["tests/frontend/tracer/stand_ins_test.py"]),
    "frontend/tracer/handlers/handlers.def": (["tests/frontend/tracer/opcode_test.py"], []),
    "frontend/values/binary_operators.def": (["tests/array_api/names_test.py:OPERATOR_FORMS",
                                              "tests/frontend/arrays/promotion_test.py:itertools.product(NB, operands"], []),
    "frontend/values/values.def": (["tests/frontend/tracer/table_rows_test.py"], []),
    "runtime/base/log_topics.def": (["tests/embed/tables_in_use_test.py"], []),
    "runtime/base/options.def": (["tests/embed/tables_in_use_test.py"], []),
    "runtime/base/stats.def": (["tests/embed/tables_in_use_test.py"], []),
    "runtime/executor/int_operators.def": ([], ["tests/programs/numpy/integer_scalar_arithmetic.py"]),
    "runtime/scalar/scalar_ops.def": ([], ["tests/runtime/scalar"]),
    "runtime/tensor/dtype.def": (["tests/codegen/ops/element_functions_test.cc"], []),
}


def rows(text):
    """(name, spellings) of each row: the first argument, and every plain word or string of the row."""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.M)
    for match in re.finditer(r'^DYNACC_\w+\((\w+|"[^"]*")((?:[^()"]|"[^"]*"|\([^)]*\))*)\)', text, re.M):
        first = match.group(1).strip('"')
        strings = re.findall(r'"([^"]+)"', match.group(2))
        yield first, [first, f"k{first}", *strings[:1]]


def text_of(root, names):
    paths = [root / name for name in names]
    files = [f for p in paths for f in ([p] if p.is_file() else sorted(p.rglob("*")) if p.is_dir() else [])
             if f.suffix in {".cc", ".h", ".py", ".txt"}]
    return "\n".join(f.read_text(encoding="utf-8") for f in files)


def is_named(spelling, text):
    whole = rf"\b{re.escape(spelling)}\b" if spelling[0].isalnum() else re.escape(spelling)
    return re.search(whole, text) is not None


def offences(root):
    found = {p.relative_to(root).as_posix() for layer in ("runtime", "codegen", "frontend", "embed")
             for p in (root / layer).rglob("*.def")}
    yield from (f"{table}: not in tests/layering/tables_test.py" for table in sorted(found - set(TABLES)))
    yield from (f"{table}: is no longer there" for table in sorted(set(TABLES) - found))
    for table in sorted(found & set(TABLES)):
        enumerating, naming = TABLES[table]
        short = table.rsplit("/", 1)[1]
        for name in enumerating:
            name, _, word = name.partition(":")
            if not (root / name).is_file() or (word or short) not in (root / name).read_text(encoding="utf-8"):
                yield f"{table}: {name} does not go through it"
        listed = list(rows((root / table).read_text(encoding="utf-8")))
        if not listed:
            yield f"{table}: no rows found"
        if naming:
            text = text_of(root, naming)
            yield from (f"{table}: row {first} is tested nowhere in {', '.join(naming)}"
                        for first, spellings in listed if not any(is_named(s, text) for s in spellings))


def hint_offences(root):
    """break_hints.def: the first row that fits holds, so no row may hide a later one; the last fits all."""
    text = (root / "frontend/frame/break_hints.def").read_text(encoding="utf-8")
    table = re.findall(r'^DYNACC_BREAK_HINT\("([^"]*)", "([^"]+)"\)', text, re.M)
    reasons = " ".join(p.read_text(encoding="utf-8") for p in (root / "frontend").rglob("*.cc"))
    for number, (beginning, hint) in enumerate(table):
        hidden = [later for later, _ in table[number + 1:] if later.startswith(beginning)]
        if hidden:
            yield f"break_hints.def: '{beginning}' hides {hidden}"
        stem = re.sub(r"^(opcode|call of) .*", r"\1 ", beginning)
        if stem not in reasons:
            yield f"break_hints.def: no graph break begins with '{beginning}'"
    if not table or table[-1][0] != "":
        yield "break_hints.def: the last row must fit every reason"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = [*offences(root), *hint_offences(root)]
    print(*found, sep="\n")
    print(f"{len(TABLES)} tables, {len(found)} offences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
