"""Tests of the fuzzers' own parts: programs are text of their seed, the assembler's code does what
the compiler's does, the verifier refuses what is not safe, changed code does the same, and the
shrinker keeps what it is asked to keep.
"""

import dis
import json
import os
import subprocess
import sys
import tempfile
import unittest

import assembly
import campaign
import fuzz
import mutator
import program
import shrinking

ASSEMBLED = """
LOAD_CONST 0
STORE_FAST total
LOAD_FAST values
GET_ITER
loop:
FOR_ITER end
LOAD_FAST total
SWAP 2
BINARY_OP +
STORE_FAST total
JUMP_BACKWARD loop
end:
LOAD_FAST total
RETURN_VALUE
"""

HANDLED = """
try first last handler 0 1
first:
line 7
LOAD_CONST 1
LOAD_FAST x
BINARY_OP //
RETURN_VALUE
last:
handler:
PUSH_EXC_INFO
POP_TOP
POP_EXCEPT
POP_TOP
LOAD_CONST 'handled'
RETURN_VALUE
"""

# Each is what CPython would crash on, hang in, or leave its state wrong by.
UNSAFE = (
    "POP_TOP\nLOAD_CONST 1\nRETURN_VALUE",
    "LOAD_CONST 1",
    "LOAD_CONST 1\nLOAD_CONST 2\nRETURN_VALUE",
    "PUSH_NULL\nPOP_TOP\nLOAD_CONST 1\nRETURN_VALUE",
    "LOAD_CONST 1\nFOR_ITER end\nend:\nRETURN_VALUE",
    "LOAD_CONST 1\nLOAD_CONST 1\nLIST_APPEND 1\nRETURN_VALUE",
    "LOAD_CONST 1\nCOPY 2\nRETURN_VALUE",
    "loop:\nLOAD_CONST 1\nPOP_TOP\nJUMP_BACKWARD loop",
    "LOAD_CONST 1\nPOP_JUMP_FORWARD_IF_TRUE a\nLOAD_CONST 1\na:\nLOAD_CONST 1\nRETURN_VALUE",
    "LOAD_CONST 1\nLOAD_CONST 2\nCALL 0\nPOP_EXCEPT\nRETURN_VALUE",
    "LOAD_CONST 1\nKW_NAMES ('a',)\nRETURN_VALUE",
    "PUSH_NULL\nLOAD_CONST 1\nLOAD_CONST 1\nKW_NAMES ('a', 'b')\nCALL 1\nRETURN_VALUE",
    "LOAD_CONST 1\nRERAISE 0",
    "try a b h 0 0\na:\nLOAD_CONST 1\nUNARY_NOT\nRETURN_VALUE\nb:\nh:\nPUSH_EXC_INFO\nRETURN_VALUE",
    # A handler that counts on an operand of what raises.
    "try a b h 2 0\nLOAD_CONST 1\nLOAD_CONST 0\na:\nBINARY_OP /\nRETURN_VALUE\nb:\nh:\n"
    "POP_TOP\nPOP_TOP\nRETURN_VALUE",
    "try a b h 1 0\na:\nLOAD_CONST 1\nPOP_TOP\nLOAD_GLOBAL x\nRETURN_VALUE\nb:\nh:\nPOP_TOP\nRETURN_VALUE",
)


class Programs(unittest.TestCase):
    def test_text_is_the_seeds(self):
        for first, name, _ in program.FAMILIES[:-1]:
            for seed in range(first + 1, first + 6):
                text = program.generate(seed)
                self.assertEqual(text, program.generate(seed), name)
                self.assertTrue(shrinking.compiles(text.splitlines()), name)
                self.assertEqual(program.family(seed), name)


class Assembler(unittest.TestCase):
    def test_code_runs(self):
        add = assembly.function("add", "values total", ASSEMBLED, {})
        self.assertEqual(add([1, 2, 3.5], None), 6.5)

    def test_handlers_and_lines(self):
        divide = assembly.function("divide", "x", HANDLED, {})
        self.assertEqual(divide(1), 1)
        self.assertEqual(divide(0), "handled")
        self.assertIn(7, [line for _, _, line in divide.__code__.co_lines()])

    def test_tables_are_read_back(self):
        divide = assembly.function("divide", "x", HANDLED, {})
        entries = dis._parse_exception_table(divide.__code__)
        self.assertTrue(entries and all(entry.depth == 0 and entry.lasti for entry in entries))

    def test_unsafe_code_is_refused(self):
        for text in UNSAFE:
            with self.assertRaises(ValueError, msg=text):
                assembly.function("f", "x", text, {})

    def test_loops_end(self):
        loop = assembly.function(
            "loop", "x", "again:\nNOP\nBACK again\nLOAD_CONST 1\nRETURN_VALUE", {}
        )
        self.assertEqual(loop(0), 1)


def sample(values, limit):
    """Something with a loop, a handler, a condition and calls."""
    found = []
    for value in values:
        try:
            if value > limit:
                found.append(limit // value)
            else:
                found.append(sum([value, 1]))
        except ZeroDivisionError as error:
            found.append(str(error))
        while value > 5:
            value -= 2
    return found, value


class Mutations(unittest.TestCase):
    def test_changed_code_does_the_same(self):
        expected = sample([3, 0, 9, 0.0], -1)
        changed = 0
        for kind in (
            "nop",
            "wide",
            "copy",
            "swap",
            "turn",
            "hop",
            "move",
            "line",
            "reload",
            "push",
        ):
            for number in range(20):
                made = mutator.mutated(sample, [(kind, number), ("nop", number)])
                changed += made.__code__.co_code != sample.__code__.co_code
                self.assertEqual(made([3, 0, 9, 0.0], -1), expected, (kind, number))
        self.assertGreater(changed, 150)


class Shrinking(unittest.TestCase):
    def test_what_differs_is_kept(self):
        text = "a = 1\nif a:\n    b = 2\n    c = (b + 3) * 7\nd = 4\n"
        reduced = shrinking.reduce(lambda candidate: "7" in candidate, text, 20)
        self.assertIn("7", reduced)
        self.assertLess(len(reduced), 20)


FUZZER = """#!/bin/sh
echo "$@"
echo "executions: 12"
[ "$2" -ge 0 ] && case "$0" in *bad*) exit 3;; esac
exit 0
"""


class Campaign(unittest.TestCase):
    def run_campaign(self, folder, name):
        """A campaign of one program named *_fuzzer: its exit status and its report."""
        path = os.path.join(folder, name)
        fuzz_report = os.path.join(folder, "report.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(FUZZER)
        os.chmod(path, 0o755)
        command = [sys.executable, campaign.__file__, folder, "--minutes", "0.01", "--only", name]
        done = subprocess.run(
            [*command, "--report", fuzz_report, "--seed", "5"], capture_output=True, check=False
        )
        with open(fuzz_report, encoding="utf-8") as file:
            return done.returncode, json.load(file)

    def test_reports_add_up(self):
        with tempfile.TemporaryDirectory() as folder:
            for turn in (1, 2):
                status, report = self.run_campaign(folder, "good_fuzzer")
                self.assertEqual(status, 0)
                self.assertEqual(report["totals"]["good_fuzzer"]["executions"], 12 * turn)
                self.assertEqual([run["seed"] for run in report["runs"]], [5] * turn)
                self.assertEqual(report["findings"], [])

    def test_a_finding_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            status, report = self.run_campaign(folder, "bad_fuzzer")
            self.assertEqual(status, 1)
            self.assertIn("ended with 3", report["findings"][0]["difference"])
            self.assertIn("--seed", report["findings"][0]["again"])

    def test_turns_fill_the_time(self):
        parts = [campaign.Family(str(n), 0, 1000) for n in range(4)]
        shares = [seconds for _, seconds in campaign.turns(parts, 100)]
        self.assertEqual(len(shares), 4)
        self.assertAlmostEqual(shares[0], 25, delta=1)

    def test_a_found_program_names_its_environment(self):
        always = fuzz.parse_environment("A=1")
        named = fuzz.found_environments("# environment: B=2\nprint(1)\n", [always])
        self.assertEqual(named, [always, {"B": "2"}])
        self.assertEqual(fuzz.found_environments("# environment: A=1\n", [always]), [always])
        self.assertEqual(fuzz.found_environments("print(1)\n", [always]), [always])

    def test_environments_are_text(self):
        text = "A=1+B=x=y"
        self.assertEqual(fuzz.text_of(fuzz.parse_environment(text)), text)


if __name__ == "__main__":
    unittest.main()
