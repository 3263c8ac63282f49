"""Every opcode is captured by some program, or is a graph break that names it.

usage: DYNACC_POLICY=always dynacc-python opcode_test.py SOURCE_ROOT

The programs are those of opcode_programs.py. What they execute is seen with CPython's own opcode
tracing; what became of it is dynacc.explain's.
"""
import dis
import pathlib
import re
import runpy
import sys
import types
import unittest

import numpy as np

import dynacc
import opcode_programs

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import decoded_names

ROOT = pathlib.Path(sys.argv.pop(1))
ARRAY = np.arange(6.0).reshape(2, 3)

# Opcodes that no trace meets, and why.
NEVER_MET = {
    "CHECK_EG_MATCH": "in exception handlers of groups",
    "PREP_RERAISE_STAR": "in exception handlers of groups",
    "ASYNC_GEN_WRAP": "in asynchronous generators",
    "GET_AITER": "in coroutines",
    "GET_ANEXT": "in coroutines",
    "GET_AWAITABLE": "in coroutines",
    "BEFORE_ASYNC_WITH": "in coroutines",
    "END_ASYNC_FOR": "in coroutines",
    "STORE_NAME": "in class and module bodies",
    "DELETE_NAME": "in class and module bodies",
    "LOAD_NAME": "in class and module bodies",
    "LOAD_CLASSDEREF": "in class bodies",
    "SETUP_ANNOTATIONS": "in class and module bodies",
    "IMPORT_STAR": "in module bodies",
    "PRINT_EXPR": "at the prompt",
    "LOAD_LOCALS": "in class bodies",
    "LOAD_FROM_DICT_OR_DEREF": "in class bodies",
    "LOAD_FROM_DICT_OR_GLOBALS": "in class bodies",
    "CALL_INTRINSIC_2": "in exception handlers of groups, and where generic classes are defined",
    "END_FOR": "passed by, but where a generator ends that CPython runs",
    "END_SEND": "passed by, but where an exception is thrown in",
    "CLEANUP_THROW": "where an exception is thrown into a generator that delegates",
}


def table(path, macro):
    return re.findall(rf"^{macro}\((\w+)", (ROOT / path).read_text(), re.M)


POSSIBLE = decoded_names.possible_names()
HANDLED = set(table("frontend/tracer/handlers/handlers.def", "DYNACC_HANDLER")) & POSSIBLE


def first_opcodes(code):
    """Those up to RESUME, which CPython does not report."""
    for instruction in dis.get_instructions(code):
        yield decoded_names.name_of(instruction, code)
        if instruction.opname == "RESUME":
            return


def executed_opcodes(function):
    """The names of the opcodes that a call executes in this function and in what it calls.

    The call is one of a copy: CPython 3.13 keeps what was traced instrumented, and DynaCC leaves that to it.
    """
    function = types.FunctionType(function.__code__.replace(), function.__globals__, function.__name__,
                                  function.__defaults__, function.__closure__)
    names = set()
    decoded = {}

    def trace(frame, event, _):
        if not frame.f_code.co_filename.endswith("opcode_programs.py"):
            return None
        frame.f_trace_opcodes = True
        if event == "call":
            names.update(first_opcodes(frame.f_code))
        if event == "opcode":
            code = frame.f_code
            if code not in decoded:
                decoded[code] = {i.offset: decoded_names.name_of(i, code) for i in dis.get_instructions(code)}
            names.add(decoded[code][frame.f_lasti])
        return trace

    sys.settrace(trace)
    try:
        result = function(ARRAY)
    finally:
        sys.settrace(None)
    return names, result


def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return type(a) is type(b) and a.dtype == b.dtype and a.tobytes() == b.tobytes()


class Opcodes(unittest.TestCase):
    def test_table_is_cpythons(self):
        written = runpy.run_path(str(ROOT / "tools/opcode_table.py"))["rows"]()
        folder = "frontend/cpython/v%d_%d" % sys.version_info[:2]
        in_file = re.findall(r"^DYNACC_NATIVE_OPCODE.*", (ROOT / folder / "opcodes.def").read_text(), re.M)
        self.assertEqual(in_file, list(written))

    def test_all_of_cpythons_have_a_name_of_ours(self):
        ours = set(table("frontend/cpython/opcodes.def", "DYNACC_OPCODE"))
        self.assertLessEqual(POSSIBLE, ours)

    def test_every_handler_is_driven(self):
        driven = set()
        for function in opcode_programs.TRACED:
            names, expected = executed_opcodes(function)
            with self.subTest(function=function.__name__):
                report = dynacc.explain(function)(ARRAY)
                self.assertTrue(same(expected, report.result))
                self.assertEqual(report.breaks, [])
                self.assertGreaterEqual(len(report.graphs), 1)
            driven |= names
        self.assertEqual(HANDLED - driven - set(NEVER_MET), set())

    def test_every_other_opcode_breaks_by_name(self):
        broken = set()
        for function in opcode_programs.BROKEN:
            names, expected = executed_opcodes(function)
            with self.subTest(function=function.__name__):
                report = dynacc.explain(function)(ARRAY)
                self.assertTrue(same(expected, report.result))
                self.assertTrue(all(b["line"] > 0 and b["hint"] for b in report.breaks))
                reasons = {b["reason"] for b in report.breaks} | set(dynacc.stats()["graph_breaks"])
                broken |= {r.removeprefix("opcode ") for r in reasons if r.startswith("opcode ")}
        self.assertEqual(POSSIBLE - HANDLED - broken - set(NEVER_MET), set())
        self.assertEqual(broken & HANDLED, set())


if __name__ == "__main__":
    unittest.main()
