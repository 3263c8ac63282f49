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
    "runtime/loops/loop_ops.def": (["tests/runtime/loops/loop_interpreter_test.cc"], []),
    "runtime/ops/ops.def": (["tests/codegen/targets/cpu/numpy_bits_test.py:BridgeNumOps"], []),
    "codegen/autodiff/gradients.def": (["tests/codegen/autodiff/rules_test.py"], []),
    "codegen/autodiff/special_gradients.def": (["tests/embed/foreign_ufuncs_test.py"], []),
    "codegen/batching/batching.def": (["tests/codegen/batching/batching_test.py"], []),
    "codegen/passes/passes.def": ([], ["tests/codegen/passes"]),
    "codegen/passes/algebra.def": (["tests/codegen/passes/algebra_test.cc"], []),
    "runtime/cpu/onednn/epilogue.def": (["tests/runtime/cpu/onednn/fused_matmul_test.cc"], []),
    "codegen/tuning/knobs.def": (["tests/codegen/compile/autotune_test.cc:tuning::Knobs()", "tests/codegen/tuning/choice_test.cc:Knobs()"], []),
    "codegen/schedule/rules.def": ([], ["tests/codegen/schedule", "tests/codegen/extensions"]),
    "runtime/cpu/loader/loader_symbols.def": (["tests/runtime/cpu/loader/object_loader_test.cc"], []),
    "runtime/cpu/onednn/functions.def": (["runtime/cpu/onednn/library.cc"], []),
    "runtime/cuda/cublaslt_functions.def": (["tests/codegen/targets/cuda/cublaslt_types_test.cc"], []),
    "codegen/targets/cuda/nvrtc_functions.def": (["codegen/targets/cuda/nvrtc_compiler.cc"], []),
    "codegen/compile/targets.def": (["tests/codegen/compile/option_names_test.cc"], []),
    "runtime/cuda/driver_functions.def": (["tests/cuda_sim/driver.cc"], []),
    "embed/host/element_types.def": (["tests/embed/host/values_test.cc:EveryElementTypeKeepsItsName"], []),
    "frontend/capture/array_libraries.def": ([], ["tests/frontend/numpy"]),
    "frontend/tensor/dtype_names.def": ([], ["tests/array_api"]),
    "frontend/tensor/elementwise.def": ([], ["tests/array_api"]),
    "frontend/tensor/native_functions.def": ([], ["tests/array_api", "tests/frontend/tracer/subgraphs_test.py", "tests/embed/operators_test.py"]),
    "frontend/tensor/tensor_methods.def": ([], ["tests/array_api"]),
    "frontend/numpy/trace/scipy_special.def": (["tests/embed/foreign_ufuncs_test.py"], []),
    "frontend/numpy/trace/numpy_sampling.def": (["tests/frontend/numpy/sampling_test.py"], []),
    "frontend/numpy/trace/numpy_attributes.def": (["tests/frontend/numpy/tracing_test.py"], []),
    "frontend/numpy/trace/numpy_library_calls.def": (["tests/frontend/numpy/library_call_test.py"], []),
    "frontend/numpy/trace/numpy_keywords.def": (["tests/frontend/numpy/numpy2_calls_test.py"], []),
    "frontend/numpy/trace/numpy_data_dependent.def": (["tests/frontend/numpy/library_call_test.py"], []),
    "frontend/numpy/trace/numpy_inlined.def": (["tests/frontend/numpy/inlined_test.py"], []),
    "frontend/numpy/trace/numpy_pure.def": (["tests/frontend/numpy/inlined_test.py"], []),
    "frontend/numpy/trace/numpy_functions.def": (["tests/frontend/numpy/tracing_test.py"], []),
    "frontend/numpy/trace/numpy_methods.def": (["tests/frontend/numpy/tracing_test.py"], []),
    "frontend/cpython/versions.def": (["tests/embed/python_version_test.py"], []),
    "frontend/cpython/opcodes.def": (["tests/frontend/tracer/opcode_test.py"], []),
    "frontend/cpython/v3_11/opcodes.def": (["tests/frontend/tracer/opcode_test.py"], []),
    "frontend/cpython/v3_13/opcodes.def": (["tests/frontend/tracer/opcode_test.py"], []),
    "frontend/cpython/v3_14/opcodes.def": (["tests/frontend/tracer/opcode_test.py"], []),
    "frontend/frame/break_hints.def": (["tests/layering/tables_test.py"], []),
    "frontend/loops/loop_calls.def": (["tests/frontend/loops/loop_compiler_test.py"], []),
    "frontend/loops/loop_opcodes.def": (["tests/frontend/loops/loop_compiler_test.py"], []),
    "frontend/guards/guards.def": (["tests/frontend/guards/guard_test.cc"], []),
    "frontend/frame_state/effects.def": (["tests/frontend/tracer/table_rows_test.py"], []),
    "frontend/frame_state/frame_state.def": (["tests/frontend/tracer/table_rows_test.py"], []),
    "frontend/sources/sources.def": (["tests/frontend/sources/source_test.cc"], []),
    "frontend/tracer/builtins/builtins.def": (["tests/frontend/tracer/table_rows_test.py"], []),
    "frontend/tracer/builtins/library.def": (["tests/frontend/tracer/polyfills_test.py"], []),
    "frontend/polyfills/polyfills.def": ([], ["tests/frontend/tracer/polyfills_test.py"]),
    "frontend/tracer/handlers/handlers.def": (["tests/frontend/tracer/opcode_test.py"], []),
    "frontend/symbolic/binary_operators.def": (["tests/array_api/names_test.py:OPERATOR_FORMS",
                                              "tests/frontend/numpy/promotion_test.py:itertools.product(NB, operands"], []),
    "frontend/symbolic/values.def": (["tests/frontend/tracer/table_rows_test.py"], []),
    "runtime/base/log_topics.def": (["tests/embed/tables_in_use_test.py"], []),
    "runtime/base/options.def": (["tests/embed/tables_in_use_test.py"], []),
    "runtime/base/stats.def": (["tests/embed/tables_in_use_test.py"], []),
    "runtime/cpu/own/number_functions.def": (["tests/embed/program/own_functions_test.py:number_functions.def"], []),
    "runtime/executor/int_operators.def": ([], ["tests/programs/numpy/integer_scalar_arithmetic.py"]),
    "runtime/scalar/scalar_ops.def": ([], ["tests/runtime/scalar"]),
    "runtime/tensor/dtype.def": (["tests/runtime/ops/element_functions_test.cc"], []),
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
