#!/usr/bin/env python3
"""DYNACC_EXTENSIONS: the library of examples/extension rewrites, vetoes and fuses, and can be switched off by name;
libraries that are none are told of and ignored.

usage: extension_test.py SOURCE LAUNCHER FOLDER   (a folder for what is compiled)
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

SOURCE, LAUNCHER, FOLDER = (pathlib.Path(name).resolve() for name in sys.argv[1:4])
COMPILER = shutil.which("c++")

PROGRAM = """
import numpy as np, dynacc
a = np.linspace(1e-9, 2e-9, 3000)
b = np.linspace(0.0, 1.0, 3000)

@dynacc.compile
def logarithm(x):
    return np.log(x + 1.0) * 2.0

@dynacc.compile
def sines(x):
    return np.sin(np.sin(x) + 0.5)

@dynacc.compile
def apart(x, y):
    return np.sqrt(x + 2.0), np.abs(y - 0.5)

print((logarithm(a) == np.log1p(a) * 2.0).all(), (logarithm(a) == np.log(a + 1.0) * 2.0).all())
print((sines(a) == np.sin(np.sin(a) + 0.5)).all())
first, second = apart(a, b)
print((first == np.sqrt(a + 2.0)).all() and (second == np.abs(b - 0.5)).all())
# Of another dtype the rewrite's condition does not hold.
single = b.astype(np.float32)
print((logarithm(single) == np.log(single + np.float32(1.0)) * np.float32(2.0)).all())
"""

BROKEN = """
#include <dynacc/extension.h>
#include <cstdio>
DYNACC_EXTENSION(registry) {
  const char* const texts[][2] = {
      {"log(?x", "?x"}, {"log(?x)", "?y"}, {"magic(?x)", "?x"}, {"add(?x)", "?x"}, {"?x", "exp(?x)"},
      {"add(?x, two)", "?x"}, {"reduce_sum(?x)", "?x"}, {"exp(?x) exp", "?x"}};
  for (const auto& text : texts) {
    if (registry.AddRewrite("broken", text[0], text[1]) == nullptr) std::puts("no error");
  }
  registry.AddRewrite("good", "exp(log(?x))", "?x");
  if (registry.AddRewrite("good", "exp(log(?x))", "?x") == nullptr) std::puts("no error");
}
"""


def compile_library(source, name):
    library = FOLDER / name
    subprocess.run([COMPILER, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                    f"-I{SOURCE / 'codegen/extensions'}", str(source), "-o", str(library)], check=True)
    return str(library)


def run(program=PROGRAM, **variables):
    environment = {**os.environ, "DYNACC_TIER_UP": "0", "DYNACC_LOGS": "schedule", **variables}
    done = subprocess.run([LAUNCHER, "-c", program], env=environment, capture_output=True, text=True, timeout=300,
                          check=True)
    return done.stdout.split("\n"), done.stderr


class Example(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.library = compile_library(SOURCE / "examples/extension/extension.cc", "libextension.so")

    def test_without_it(self):
        results, log = run()
        self.assertEqual(results[:4], ["False True", "True", "True", "True"])
        self.assertNotIn("two sines", log)

    def test_all_of_it(self):
        results, log = run(DYNACC_EXTENSIONS=self.library)
        self.assertEqual(results[:4], ["True False", "True", "True", "True"])
        self.assertRegex(log, r"not fused .*: sines-apart: two sines")
        self.assertRegex(log, r"fused %\d+ \w+ into %\d+ \w+ by merge-all")

    def test_each_can_be_switched_off(self):
        for name in ("log-of-one-more", "extension_rewrites"):
            results, log = run(DYNACC_EXTENSIONS=self.library, DYNACC_DISABLE_PASSES=name)
            self.assertEqual(results[:3], ["False True", "True", "True"])
            self.assertIn("two sines", log)
        _, log = run(DYNACC_EXTENSIONS=self.library, DYNACC_DISABLE_PASSES="sines-apart")
        self.assertNotIn("two sines", log)
        for name in ("merge-all", "extension-rules"):
            _, log = run(DYNACC_EXTENSIONS=self.library, DYNACC_DISABLE_PASSES=f"algebra, {name}")
            self.assertNotIn("merge-all", log)

    def test_a_rule_cannot_make_wrong_results(self):
        # What needs the whole of a result, or another shape, is not merged whatever the rule asks for.
        program = """
import numpy as np, dynacc
@dynacc.compile
def f(a):
    b = a * 2.0
    c = b[::-1] + 1.0
    d = np.cumsum(c) + b
    return c, d, (d - d.mean()) * a, a[:50] + 1.0
a = np.linspace(0.0, 1.0, 100)
plain = f.__wrapped__(a)
print(all(x.tobytes() == y.tobytes() for x, y in zip(f(a), plain)))
"""
        self.assertEqual(run(program, DYNACC_EXTENSIONS=self.library)[0][0], "True")

    def test_bits_of_the_tile_target(self):
        self.assertEqual(run(DYNACC_EXTENSIONS=self.library, DYNACC_TARGET="tile")[0],
                         run(DYNACC_EXTENSIONS=self.library)[0])


OPERATORS = """
#include <dynacc/extension.h>
#include <cstring>
using dynacc::extension::Buffer;
namespace {
const char* Scaled(const Buffer* arguments, int, const Buffer* results, int) {
  const Buffer& x = arguments[0];
  double factor;
  std::memcpy(&factor, arguments[1].data, sizeof(factor));
  if (factor < 0) return "a factor below 0";
  auto* const out = static_cast<double*>(results[0].data);
  auto* const count = static_cast<int64_t*>(results[1].data);
  *count = 0;
  for (int64_t i = 0; i < x.shape[0]; ++i) {
    out[i] = factor * *reinterpret_cast<const double*>(static_cast<const char*>(x.data) + i * x.strides[0]);
    *count += out[i] > 1;
  }
  return nullptr;
}
}  // namespace
DYNACC_EXTENSION(registry) {
  registry.AddOperator("lib::scaled", "f64[n], _ -> (f64[n], i64[])", Scaled);
}
"""


class Operators(unittest.TestCase):
    def test_are_found_by_name(self):
        source = FOLDER / "operators.cc"
        source.write_text(OPERATORS)
        program = """
import numpy as np, dynacc
scaled = dynacc.operators.get("lib::scaled")
f = lambda x: scaled(x * 2.0, 0.5)[0] + scaled(x[::2], 4.0)[1]
x = np.linspace(0.0, 1.0, 9)
found = dynacc.explain(f)(x)
print(found.result.tobytes() == f(x).tobytes() == (x + 3.0).tobytes(), len(found.breaks), "lib.scaled" in found.graphs[0])
dynacc.testing.check_op(scaled, x, 2.0)
for wrong in ((x, -1.0), (x[None], 1.0)):
    try:
        print(dynacc.compile(lambda x, k: scaled(x, k))(*wrong))
    except (RuntimeError, ValueError) as error:
        print(type(error).__name__, error, "lib::scaled, called at" in error.__notes__[0])
print("lib::scaled" in dynacc.operators.registered())
"""
        results, _ = run(program, DYNACC_EXTENSIONS=compile_library(source, "liboperators.so"))
        self.assertEqual(results[:4], ["True 0 True", "RuntimeError a factor below 0 True",
                                       "ValueError operator lib::scaled: argument 1 is an array of rank 1 True", "True"])


PASSES = """
#include <dynacc/extension.h>
#include <dynacc/graph.h>
#include <string_view>
using dynacc::graph::Graph;
using dynacc::graph::Node;
namespace {
bool Is(const Node* node, std::string_view op) { return node->op() == op; }

// sqrt of a sum of squares along an axis of a product: the product's rows are halved first.
void HalveProducts(Graph& graph) {
  for (Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (!Is(node, "matmul") || node->num_users() != 1) continue;
    Node* const user = node->user(0);
    graph.InsertBefore(user);
    Node* terms[] = {node, graph.Number(0.5, node)};
    Node* const half = graph.Call("multiply", terms, 2);
    for (int i = 0; i < user->num_args(); ++i) {
      if (user->arg(i) == node) graph.SetArg(user, i, half);
    }
  }
}

void Break(Graph& graph) {
  Node* const other = graph.input(0);
  graph.SetOutputs(&other, 1);
}
}  // namespace
DYNACC_EXTENSION(registry) {
  registry.AddPass("halve-products", HalveProducts);
  registry.AddPass("break-graphs", Break);
}
"""


class Passes(unittest.TestCase):
    def test_change_every_op(self):
        source = FOLDER / "passes.cc"
        source.write_text(PASSES)
        library = compile_library(source, "libpasses.so")
        program = """
import numpy as np, dynacc
f = lambda x, w: np.exp((x @ w).sum(axis=0))
x, w = np.ones((3, 4)) / 8, np.ones((4, 5)) / 8
result = dynacc.compile(f)(x, w)
print(np.isclose(result[0], np.exp(0.09375)), np.isclose(result[0], np.exp(0.1875)))
"""
        for target in ("cpu", "tile", "reference"):
            results, log = run(program, DYNACC_EXTENSIONS=library, DYNACC_TARGET=target)
            self.assertEqual(results[0], "True False")
        self.assertRegex(log, "pass break-graphs of an extension: it changes the inputs or outputs of the graph; graphs")
        results, log = run(program, DYNACC_EXTENSIONS=library, DYNACC_DISABLE_PASSES="halve-products,break-graphs")
        self.assertEqual(results[0], "False True")
        self.assertNotIn("break-graphs", log)


class Errors(unittest.TestCase):
    def test_no_library(self):
        _, log = run("import numpy", DYNACC_EXTENSIONS="/nowhere/libnone.so")
        self.assertRegex(log, "DYNACC_EXTENSIONS: /nowhere/libnone.so: cannot open.*; ignored")

    def test_no_extension(self):
        _, log = run("import numpy", DYNACC_EXTENSIONS="libm.so.6")
        self.assertIn("libm.so.6 is no extension of this version; ignored", log)

    def test_an_extension_that_others_may_write(self):
        library = pathlib.Path(compile_library(SOURCE / "examples/extension/extension.cc", "libopen.so"))
        library.chmod(0o777)
        results, log = run(DYNACC_EXTENSIONS=str(library))
        self.assertIn(f"DYNACC_EXTENSIONS: {library} may be written by others (chmod go-w {library} helps); ignored", log)
        self.assertEqual(results[0], "False True", "it was loaded")
        folder = FOLDER / "everybodys"
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)
        moved = shutil.copy(library, folder)
        os.chmod(moved, 0o755)
        results, log = run(DYNACC_EXTENSIONS=moved)
        self.assertIn(f"DYNACC_EXTENSIONS: {folder} may be written by others", log)
        self.assertEqual(results[0], "False True", "it was loaded")
        shutil.rmtree(folder)

    def test_wrong_rewrites(self):
        source = FOLDER / "broken.cc"
        source.write_text(BROKEN)
        output, log = run("import numpy as np, dynacc\n"
                          "f = dynacc.compile(lambda x: np.exp(np.log(x)) + 1.0)\n"
                          "print(f(np.full(10, 0.1)).tolist() == [1.1] * 10)\n",
                          DYNACC_EXTENSIONS=f" {compile_library(source, 'libbroken.so')},")
        self.assertEqual(output[0], "True")
        for reason in ("expected a bracket", "the replacement has a variable that the pattern has not",
                       "'magic' is no elementwise operation", "add takes 2 operands", "the pattern is no operation",
                       "expected a number, [?]name or op", "'reduce_sum' is no elementwise operation",
                       "expected nothing more", "'good' is no name, or one that is taken"):
            self.assertTrue(re.search(reason, log), (reason, log))

    def test_names_that_there_are_not(self):
        _, log = run("import numpy", DYNACC_DISABLE_PASSES="log-of-one-more")
        self.assertIn("no pass or fusion rule is named 'log-of-one-more'", log)


if __name__ == "__main__":
    if COMPILER is None:
        print("there is no C++ compiler")
        sys.exit(77)
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
