"""Runs CPython's own tests under step_python.

usage: run_cpython_tests.py STEP_PYTHON [TEST...]

Without tests named, a subset of about a minute. DYNACC_STEP_* pass through, so that
    DYNACC_STEP_LIMIT=3 run_cpython_tests.py build/release/tests/step_python test_generators
runs one with frames that are handed over after three steps. Exits with 77 where the tests are not
installed.
"""
import importlib.util
import os
import subprocess
import sys
import tempfile

# test_code is left out: it registers a co_extra destructor made by ctypes and never withdraws it,
# and CPython calls every registered destructor for each code object that has any extra.
SUBSET = """
    test_baseexception test_call test_class test_contextlib test_coroutines test_dataclasses
    test_decorators test_descr test_enum test_except_star test_exceptions test_extcall test_frame
    test_fstring test_functools test_generators test_grammar test_import test_inspect
    test_keywordonlyarg test_listcomps test_named_expressions test_patma test_raise test_scope
    test_super test_sys_setprofile test_sys_settrace test_traceback test_unpack test_unpack_ex
    test_weakref test_with test_yield_from
""".split()

# For one test: less than CTest's limit for all, so that a test that hangs shows where. Some take minutes with a sanitizer.
TIMEOUT_SECONDS = "500"


def main():
    if importlib.util.find_spec("test.test_grammar") is None:
        print("skipped: CPython's tests are not installed (Debian: libpython3.X-testsuite)")
        return 77
    step_python, *tests = sys.argv[1:]
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    environment.update((k, v) for k, v in os.environ.items() if k.startswith("DYNACC_STEP_"))
    with tempfile.TemporaryDirectory() as folder:
        environment["HOME"] = folder
        return subprocess.run([step_python, "-m", "test", "--timeout", TIMEOUT_SECONDS, *(tests or SUBSET)],
                              env=environment, cwd=folder).returncode


sys.exit(main())
