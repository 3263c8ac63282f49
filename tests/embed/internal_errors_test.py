#!/usr/bin/env python3
"""Programs whose traces end in internal errors print what they print under python3.

usage: internal_errors_test.py PROGRAMS LAUNCHER [unittest arguments]     PROGRAMS: the folder tests/programs

DYNACC_FORCE_ERRORS has the tracer fail at every N-th instruction, wherever that is: with objects made,
effects noted, callees entered. Each frame that runs plainly for it is named on stderr, once.
"""
import sys
import tempfile
import unittest

LAUNCHER = ""
EVERY = (1, 4, 23, 150)
STEP = 12  # of the programs one in so many
WARNING = b"dynacc: warning: "


def split(stderr):
    """DynaCC's lines, and all others."""
    lines = stderr.splitlines(keepends=True)
    return [line for line in lines if line.startswith(WARNING)], b"".join(
        line for line in lines if not line.startswith(WARNING))


class InternalErrors(unittest.TestCase):
    def check(self, program, every):
        expected = differential.run(differential.PYTHON, program)
        with tempfile.TemporaryDirectory() as cache:
            actual = differential.run(LAUNCHER, program, DYNACC_CACHE_DIR=cache, DYNACC_POLICY="always",
                                      DYNACC_FORCE_ERRORS=str(every))
        warnings, actual.stderr = split(actual.stderr)
        self.assertEqual(differential.differences(expected, actual), [])
        self.assertEqual(len(warnings), len(set(warnings)))
        for warning in warnings:
            self.assertRegex(warning.decode(), r"^dynacc: warning: .+ \(.+:\d+\) runs without DynaCC because of an internal "
                             r"error: .*forced by DYNACC_FORCE_ERRORS, at .+:\d+.*\. Please report it with the program\.$")
        return len(warnings)

    def test_programs_print_what_they_print_under_python3(self):
        # Those that a sanitizer changes are left out everywhere, so that the choice is always the same; and those that
        # print what another process says on stderr, where the warnings are.
        programs = [program for program in differential.programs()
                    if not {"not-sanitized", "signals-at-once"} & set(differential.words(program))
                    and "subprocess" not in program.read_text(encoding="utf-8")][::STEP]
        self.assertGreater(len(programs), 10)
        for number, program in enumerate(programs):
            every = EVERY[number % len(EVERY)]
            with self.subTest(program=program.name, every=every):
                self.assertGreater(self.check(program, every), 0)


if __name__ == "__main__":
    sys.path.insert(0, sys.argv.pop(1))
    LAUNCHER = sys.argv.pop(1)
    import differential
    unittest.main()
