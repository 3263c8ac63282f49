// A call of a compiled function on small arrays, beside NumPy and beside a plain Python call.
//
// All are called through the vectorcall protocol with the same two arrays: what a loop in Python
// adds is in none of them. "compiled" has an entry for this very size, "dynamic" one whose sizes
// are inputs. "Python" is a function of the same signature that returns its first argument: what no
// call of a Python function can undercut.
#include <stdlib.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "bench/side_by_side.h"
#include "embed/interpreter/package.h"
#include "embed/module/module.h"
#include "embed/module/start.h"
#include "frontend/cpython/ref.h"
#include "runtime/base/check.h"
#include "runtime/base/stats.h"
#include "tests/runtime/base/scratch_directory.h"

namespace dynacc {
namespace {

constexpr const char* kPrograms = R"(
import dynacc
import numpy as np

def one_op(a, b):
    return a + b

def ten_ops(a, b):
    c = a + b
    d = c * a
    e = d - b
    g = e * 0.5
    h = g + a
    i = h * b
    j = i - c
    k = j * d
    l = k + e
    return l * 2.0

class Body:
    mass = 2.0
    drag = 0.1

body = Body()

def with_guards(a, b):
    force = -body.drag * a + np.sqrt(np.abs(b))
    return a + force / body.mass * 0.01

def nothing(a, b):
    return a

def arrays(n):
    return np.linspace(0.0, 1.0, n), np.linspace(1.0, 2.0, n)

def copied(function):
    return type(function)(function.__code__.replace(co_name="copy"), function.__globals__)

def compiled(function): return dynacc.compile(copied(function), dynamic=False)
def dynamic(function): return dynacc.compile(copied(function), dynamic=True)
def NumPy(function): return dynacc.disable(copied(function))
def Python(function): return nothing
)";

BorrowedRef globals = nullptr;

Ref Evaluate(const std::string& expression) {
  Ref result = Ref::Steal(PyRun_String(expression.c_str(), Py_eval_input, globals, globals));
  if (!result) PyErr_Print();
  DYNACC_CHECK(result) << expression;
  return result;
}

void RunCall(benchmark::State& state, const std::string& program, const std::string& variant,
             int64_t n) {
  const Ref function = Evaluate(absl::StrCat(variant, "(", program, ")"));
  const Ref arrays = Evaluate(absl::StrCat("arrays(", n, ")"));
  PyObject* const* arguments = &PyTuple_GET_ITEM(arrays.get(), 0);
  for (int i = 0; i < 3; ++i) {
    Ref::Steal(PyObject_Vectorcall(function.get(), arguments, 2, nullptr));
  }
  const uint64_t hits_before = ProcessStats().entries_hit;
  for (auto _ : state) Ref::Steal(PyObject_Vectorcall(function.get(), arguments, 2, nullptr));
  const bool entered = ProcessStats().entries_hit != hits_before;
  const bool expected = variant == "compiled" || variant == "dynamic";
  if (entered != expected) state.SkipWithError("not the variant that was asked for");
}

void Register() {
  for (const char* program : {"one_op", "ten_ops", "with_guards"}) {
    for (const int64_t n : {1, 16, 256, 1000}) {
      for (const char* variant : {"compiled", "dynamic", "NumPy", "Python"}) {
        benchmark::RegisterBenchmark(
            absl::StrCat(program, "/", variant, "/", n).c_str(),
            [=](benchmark::State& state) { RunCall(state, program, variant, n); });
      }
    }
  }
}

void Start() {
  DYNACC_CHECK(RegisterPackage(PyInit__dynacc) == nullptr) << "the dynacc package";
  Py_InitializeEx(0);
  DYNACC_CHECK(StartFromEnvironment(capture::Policy::kExplicit).ok()) << "starting capture";
  globals = PyModule_GetDict(PyImport_AddModule("__main__"));
  const Ref done = Ref::Steal(PyRun_String(kPrograms, Py_file_input, globals, globals));
  if (!done) PyErr_Print();
  DYNACC_CHECK(done) << "a benchmark's program raised";
}

}  // namespace
}  // namespace dynacc

int main(int argc, char** argv) {
  const dynacc::ScratchDirectory cache;
  setenv("DYNACC_CACHE_DIR", cache.path().c_str(), 0);
  setenv("DYNACC_TIER_UP", "0", 0);
  dynacc::Start();
  dynacc::Register();
  dynacc::RunSideBySide(argc, argv);
  return Py_FinalizeEx();
}
