"""What shows what happened: dynacc.explain line by line, logs, what DynaCC says of itself.

usage: seeing_test.py LAUNCHER [CLASS]      under python3 or the launcher
"""
import html.parser
import json
import os
import pathlib
import pydoc
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import dynacc

LAUNCHER = os.path.realpath(sys.argv.pop(1))
ARRAY = np.arange(12.0).reshape(3, 4)


def inner(a):
    return np.exp(a) * 2.0


def outer(a, b):
    c = a + b
    d = inner(c)
    print(end="")
    if len(a) > 100:
        d = d * 3.0
    return d - d.mean(axis=1)[:, None]


def line(function, text):
    lines = pathlib.Path(__file__).read_text().splitlines()
    start = function.__code__.co_firstlineno
    return start + next(i for i, one in enumerate(lines[start - 1:]) if text in one)


def run(*command, **variables):
    return subprocess.run(command, capture_output=True, text=True, timeout=300,
                          env={k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")} | variables)


class Parser(html.parser.HTMLParser):
    """What tags an HTML text has, and whether they are balanced."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("br", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Explanations(unittest.TestCase):
    def rows(self, report):
        return {(row["file"], row["number"]): row for row in report.lines}

    def test_each_line_says_what_became_of_it(self):
        rows = self.rows(dynacc.explain(outer)(ARRAY, ARRAY))
        add = rows[__file__, line(outer, "c = a + b")]
        self.assertEqual((add["state"], add["text"]), ("captured", "    c = a + b"))
        self.assertRegex("\n".join(add["notes"]), r"^%\d+ add: segment 1, group 0 elementwise, kernel k0$")
        printed = rows[__file__, line(outer, "print")]
        self.assertEqual(printed["state"], "break")
        self.assertIn("break: call of print", printed["notes"])
        self.assertTrue(any(note.startswith("hint: ") for note in printed["notes"]))
        mean = rows[__file__, line(outer, "return d - d.mean")]
        self.assertRegex("\n".join(mean["notes"]), r"reduce_sum: segment 2, group \d+ reduction(\n|$)")
        called = rows[__file__, line(inner, "return np.exp")]
        self.assertEqual(called["state"], "inlined")
        self.assertIn("exp: segment 1", called["notes"][0])

    def test_each_instruction_says_who_runs_it(self):
        import dis
        report = dynacc.explain(outer)(ARRAY, ARRAY)
        rows = self.rows(report)
        every = [each for row in report.lines for each in row["bytecode"]]
        self.assertEqual([each["offset"] for each in every],
                         sorted(each.offset for each in dis.get_instructions(outer.__code__)))
        self.assertEqual({each["where"] for each in rows[__file__, line(outer, "c = a + b")]["bytecode"]}, {"segment 1"})
        self.assertIn("break", {each["where"] for each in rows[__file__, line(outer, "print")]["bytecode"]})
        untaken = rows[__file__, line(outer, "d = d * 3.0")]
        self.assertEqual({each["where"] for each in untaken["bytecode"]}, {"CPython"})
        self.assertEqual(untaken["state"], "plain")
        self.assertRegex(untaken["notes"][0], "^left to CPython: ")

    def test_calls_of_a_library_are_named(self):
        def f(a):
            return np.sinc(a) * 2.0 + 1.0
        notes = "\n".join(note for row in dynacc.explain(f)(ARRAY).lines for note in row["notes"])
        self.assertRegex(notes, r"(?m)^%\d+ numpy.sinc: segment 1, group 0 library_call$")

    def test_the_text_has_the_source_beside_it(self):
        report = dynacc.explain(outer)(ARRAY, ARRAY)
        self.assertRegex(str(report), r"\n +\d+ \|     c = a \+ b +%\d+ add: segment 1")
        self.assertRegex(str(report), r'\n +\d+ !     print\(end=""\) +break: call of print')
        self.assertIn("BINARY_OP", report.listing())
        self.assertNotIn("BINARY_OP", report.listing(bytecode=False))

    def test_why_a_guard_failed(self):
        def f(a, n):
            return a * n + 1.0
        compiled = dynacc.compile(f)
        compiled(ARRAY, 2)
        compiled(ARRAY, 2.5)
        report = dynacc.explain(compiled, fresh=False)(ARRAY, 2)
        self.assertIn("n", report.recompiles[0]["reason"])
        self.assertEqual(json.loads(json.dumps(report.as_dict())), report.as_dict())

    def test_html_is_whole_and_escaped(self):
        source = 'def f(a, **k):\n    b = a * 2.0 + 1.0\n    k["<script>alert(1)</script>"]()\n    return b * b + 1.0\n'
        import linecache
        name = "<img src=x onerror=alert(2)>"
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        names = {}
        exec(compile(source, name, "exec"), names)
        text = dynacc.explain(names["f"])(ARRAY, **{"<script>alert(1)</script>": lambda: print(end="")})._repr_html_()
        parser = Parser(text)
        self.assertEqual(parser.open, [])
        tags = {tag for tag, _ in parser.tags}
        self.assertLessEqual({"table", "details", "svg", "pre"}, tags)
        self.assertFalse(tags & {"script", "img"})
        self.assertIn("&lt;script&gt;", text)

    def test_the_drawing_of_a_large_graph_is_left_out(self):
        names = {"np": np}
        exec("def long(a):\n" + "    a = np.sqrt(a * 1.5 + 0.5) - a / 3.0\n" * 40 + "    return a\n", names)
        report = dynacc.explain(names["long"])(ARRAY)
        self.assertGreater(len(report.graphs[0].splitlines()), 150)
        self.assertNotIn("<svg", report._repr_html_())

    def test_a_script(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "prog.py")
            path.write_text("import sys\nimport numpy as np\ndef f(a):\n    b = a * 2.0 + 1.0\n    print('said')\n"
                            "    return b - 1.0 + b\nf(np.arange(9.0))\nsys.exit(3)\n")
            code = f"import dynacc; r = dynacc.explain({str(path)!r}); print(r); print(r.status, len(r._repr_html_()))"
            done = run(sys.executable, "-c", code, PYTHONPATH=os.environ.get("PYTHONPATH", ""))
        self.assertEqual(done.stderr, "")
        self.assertIn("said\n", done.stdout)
        self.assertIn("ended with status 3; 1 function has graphs or breaks", done.stdout)
        self.assertRegex(done.stdout, r"\n    4 \|     b = a \* 2.0 \+ 1.0 +%\d+ multiply: segment 1")
        self.assertRegex(done.stdout, r"\n    5 !     print\('said'\) +break: call of print")
        self.assertRegex(done.stdout, r"\n3 \d+\n$")

    def test_a_script_that_is_not_there(self):
        with self.assertRaisesRegex(FileNotFoundError, "there is no program /no/such.py"):
            dynacc.explain("/no/such.py")


class Logs(unittest.TestCase):
    def said(self, *topics, **variables):
        code = ("import numpy as np, dynacc\n"
                "def g(a):\n    return a + 2.0\n"
                "@dynacc.compile\ndef f(a):\n    return g(a) * 3.0\n"
                f"dynacc.set_logs({', '.join(map(repr, topics))})\n"
                "f(np.arange(5.0)); f(np.arange(5.0).astype('f4'))\n"
                "dynacc.set_logs()\nf(np.arange(6.0).astype('f2'))\n")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "prog.py")
            path.write_text(code)
            done = run(sys.executable, str(path), DYNACC_TIER_UP="0", PYTHONPATH=os.environ.get("PYTHONPATH", ""), **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_topics_are_switched_on_and_off(self):
        log = self.said("graph")
        self.assertEqual(log.count("dynacc[graph] graph {"), 2)  # not of the third call
        self.assertEqual(set(part.partition("]")[0] for part in log.splitlines()), {"dynacc[graph"})
        self.assertEqual(self.said(), "")
        self.assertEqual(self.said(DYNACC_LOGS="guards"), "")

    def test_bytecode(self):
        self.assertRegex(self.said("bytecode"), r"dynacc\[bytecode\] f \(.*:4\)\n(dynacc\[bytecode\] +\d+ [A-Z_]+ .*# line \d+\n)+")

    def test_trace_source(self):
        self.assertRegex(self.said("trace_source"), r"\[trace_source\] return g\(a\) \* 3.0  # f \(.*:6\)\n"
                         r"dynacc\[trace_source\]   def g\(a\):  # g \(.*:2\)\n"
                         r"dynacc\[trace_source\]   return a \+ 2.0  # g \(.*:3\)\n")

    def test_output_code(self):
        log = self.said("output_code")
        self.assertIn("[output_code] group 0 elementwise", log)
        self.assertIn('[output_code] extern "C" void k0(', log)

    def test_recompiles(self):
        self.assertRegex(self.said("recompiles"), r"\[recompiles\] f \(.*:4\): a is an array of f64, rank 1: ")

    def test_bad_input(self):
        with self.assertRaisesRegex(ValueError, r"no topic is called 'grahp'; did you mean 'graph'\? \(there are "):
            dynacc.set_logs("+grahp")
        with self.assertRaisesRegex(TypeError, "a topic is a string, not 3"):
            dynacc.set_logs(3)

    def test_it_sets_an_option(self):
        with dynacc.config.patch(logs="breaks"):
            dynacc.set_logs("+graph")
            self.assertEqual(dynacc.config.logs, "+graph")
        self.assertEqual(dynacc.config.logs, "")

    def test_the_docstring_is_a_legend(self):
        import _dynacc
        for name, doc in _dynacc.log_topics():
            self.assertIn(name, dynacc.set_logs.__doc__)
            self.assertIn(doc, dynacc.set_logs.__doc__)


class Infos(unittest.TestCase):
    def test_version(self):
        done = run(LAUNCHER, "--dynacc-version")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, rf"^DynaCC {dynacc.__version__} \(CPython 3\.\d+\.\d+\S*, built for NumPy [\d.]+\)\n$")

    def test_help_has_every_option_once(self):
        done = run(LAUNCHER, "--dynacc-help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        table = pathlib.Path(__file__).parents[2].joinpath("runtime/base/options.def").read_text()
        for variable in re.findall(r'^DYNACC_OPTION\(\w+, \w+, \w+, "(\w+)"', table, re.M):
            self.assertEqual(len(re.findall(rf"^  {variable}( \(.*\))?$", done.stdout, re.M)), 1, variable)
        for title in re.findall(r'^DYNACC_OPTION_GROUP\("(.*)"\)', table, re.M):
            self.assertIn(f"Environment variables: {title}\n", done.stdout)
        self.assertIn("  DYNACC_TARGET (cpu)\n", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)

    def test_an_unknown_option_of_the_launcher(self):
        done = run(LAUNCHER, "--dynacc-hepl")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("there is no option --dynacc-hepl", done.stderr)

    def test_info(self):
        facts = dynacc.info()
        self.assertEqual((facts["dynacc"], facts["numpy"]), (dynacc.__version__, np.__version__))
        self.assertEqual(facts["python"].split("+")[0], sys.version.split()[0].split("+")[0])
        self.assertIn(facts["target"], facts["targets"])
        self.assertIn("numpy built for", str(facts))
        json.dumps(facts)

    def test_info_has_options_that_were_set(self):
        code = "import dynacc; print(dynacc.info()['options'])"
        done = run(sys.executable, "-c", code, PYTHONPATH=os.environ.get("PYTHONPATH", ""), DYNACC_THREADS="3",
                   DYNACC_TARGET="cpu", DYNACC_FAST_MATH="1")
        self.assertEqual(done.stdout, "{'DYNACC_FAST_MATH': '1', 'DYNACC_THREADS': '3'}\n")

    def test_info_of_the_command_line(self):
        path = os.environ.get("PYTHONPATH", "")
        done = run(sys.executable, "-m", "dynacc", "info", PYTHONPATH=path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, rf"(?m)^numpy +{np.__version__}$")
        wrong = run(sys.executable, "-m", "dynacc", "nifo", PYTHONPATH=path)
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn("usage: python -m dynacc info", wrong.stderr)

    def test_help_reads_well(self):
        text = pydoc.plain(pydoc.render_doc(dynacc))
        for name in ("compile(", "explain(", "info(", "set_logs(", "stats("):
            self.assertIn(f"\n    {name}", text)


if __name__ == "__main__":
    unittest.main()
