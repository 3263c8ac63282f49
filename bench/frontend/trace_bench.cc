// What capture costs: TraceSegment and the guard tree's new entry, on functions of typical sizes.
//
// Nothing is compiled or run. "bytecodes" are instructions of the traced function itself; those of
// functions inlined into it come on top, so that the rate is a lower bound.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "benchmark/benchmark.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/bytecode/decoded_code.h"
#include "frontend/capture/array_libraries.h"
#include "frontend/guards/guard_tree.h"
#include "frontend/tracer/handlers/handlers.h"
#include "frontend/tracer/tracer.h"
#include "runtime/base/check.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// `c` comes as an argument: a long function goes over several segments, and at each start the
// locals must be there.
constexpr const char* kPrograms = R"(
import numpy as np

def small(a, b, c):
    c = a + b
    d = c * a - b
    e = d * 0.5 + a
    g = e * b - c
    return (g * d + e) * 2.0

class Layer:
    def __init__(self, width):
        self.weight = np.ones((width, width))
        self.bias = np.zeros(width)
        self.scale = 2.0
    def forward(self, x):
        return np.tanh(x @ self.weight + self.bias) * self.scale

class Norm:
    eps = 1e-5
    def forward(self, x):
        mean = x.mean(axis=-1, keepdims=True)
        centred = x - mean
        return centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + self.eps)

layers = [Layer(8) for _ in range(8)]
norm = Norm()

def medium(a, b, c):
    for layer in layers:
        a = norm.forward(layer.forward(a) + a)
    if a.shape[0] > 4:
        a = np.where(a > 0, a, b)
    return a.sum(axis=0)

def numbers(a, b, c):
    n = 0
    for i in range(16):
        n = (n * 31 + i * 7) % 1009 + (n ^ i)
    return a * n + b
)";

class Program {
 public:
  Program() : globals_(Ref::Steal(PyDict_New())) {
    PyDict_SetItemString(globals_.get(), "__builtins__", PyEval_GetBuiltins());
    Run(kPrograms);
    capture::RegisterArrayLibraries();
    arrays_ = arrays::LoadedArrayNamespace();
    DYNACC_CHECK(arrays_ != nullptr) << "NumPy is not loaded";
  }

  void Run(const std::string& text) {
    const Ref done =
        Ref::Steal(PyRun_String(text.c_str(), Py_file_input, globals_.get(), globals_.get()));
    if (!done) PyErr_Print();
    DYNACC_CHECK(done) << "a benchmark's program raised";
  }

  // The function to trace. Every local and stack entry of its frame holds the same 8 by 8 array,
  // which is what a segment in the middle of straight-line code finds too.
  void Choose(const char* name) {
    Run("array = np.ones((8, 8))");
    function_ = PyDict_GetItemString(globals_.get(), name);
    auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function_));
    code_ = bytecode::DecodedCode::Decode(code);
    num_localsplus_ = code->co_nlocalsplus;
    BorrowedRef array = PyDict_GetItemString(globals_.get(), "array");
    slots_.assign(num_localsplus_ + code->co_stacksize, FrameSlot(array));
    for (int i = code->co_argcount; i < num_localsplus_; ++i) slots_[i] = FrameSlot(nullptr);
  }

  // Traces segment after segment and puts each into a guard tree. Returns the bytecodes covered, or
  // why it could not go on: every segment must end in a return or because it is long.
  absl::StatusOr<int64_t> Trace() {
    int64_t bytecodes = 0;
    int offset = code_->instructions().front().offset;
    while (true) {
      sources::SourceTable sources;
      const tracer::TraceRoot root{code_, offset, code_->StackDepth(offset), Roots()};
      DYNACC_ASSIGN_OR_RETURN(
          const tracer::TraceResult trace,
          tracer::TraceSegment(tracer::kOpcodeHandlers, root, *arrays_, sources, marks_));
      AddToTree(trace);
      bytecodes += trace.instructions;
      if (trace.end.returned) return bytecodes;
      if (trace.instructions == 0 || !trace.end.reason.empty()) {
        return absl::UnimplementedError(absl::StrCat("graph break: ", trace.end.reason));
      }
      offset = trace.end.offset;
    }
  }

 private:
  class NothingDynamic : public symbolic::DynamicMarks {
   public:
    bool IsDynamic(const sources::Source&, symbolic::ScalarInput::From, int) const override {
      return false;
    }
  };

  sources::SourceRoots Roots() const {
    return {slots_.data(), num_localsplus_, function_, globals_.get(), PyEval_GetBuiltins()};
  }
  static void AddToTree(const tracer::TraceResult& trace) {
    std::vector<const sources::Source*> loads = trace.frame_state.loads;
    loads.insert(loads.end(), trace.array_inputs.begin(), trace.array_inputs.end());
    for (const symbolic::ScalarInput& input : trace.scalar_inputs) loads.push_back(input.source);
    guards::GuardTree().AddEntry(trace.guards, loads);
  }

  Ref globals_;
  arrays::ArrayNamespace* arrays_ = nullptr;
  BorrowedRef function_ = nullptr;
  std::shared_ptr<const bytecode::DecodedCode> code_;
  int num_localsplus_ = 0;
  std::vector<FrameSlot> slots_;
  NothingDynamic marks_;
};

Program& TheProgram() {
  static Program& program = *new Program;
  return program;
}

void RunTrace(benchmark::State& state, const char* name) {
  Program& program = TheProgram();
  program.Choose(name);
  int64_t bytecodes = 0;
  for (auto _ : state) {
    const absl::StatusOr<int64_t> covered = program.Trace();
    if (!covered.ok()) {
      state.SkipWithError(covered.status().ToString().c_str());
      break;
    }
    bytecodes += *covered;
  }
  state.counters["bytecodes"] =
      benchmark::Counter(static_cast<double>(bytecodes), benchmark::Counter::kAvgIterations);
  state.counters["per_second"] =
      benchmark::Counter(static_cast<double>(bytecodes), benchmark::Counter::kIsRate);
}

void BM_TraceSmall(benchmark::State& state) { RunTrace(state, "small"); }
BENCHMARK(BM_TraceSmall)->Unit(benchmark::kMicrosecond);

// Eight layers: inlined calls, attributes, an unrolled loop, broadcasting, reductions.
void BM_TraceMedium(benchmark::State& state) { RunTrace(state, "medium"); }
BENCHMARK(BM_TraceMedium)->Unit(benchmark::kMicrosecond);

// Mostly arithmetic on numbers, done while tracing.
void BM_TraceNumbers(benchmark::State& state) { RunTrace(state, "numbers"); }
BENCHMARK(BM_TraceNumbers)->Unit(benchmark::kMicrosecond);

// Straight-line array code of about as many bytecodes as the argument says: the time for each must
// not grow with the length of the function.
void BM_TraceLong(benchmark::State& state) {
  constexpr int kBytecodesOfALine = 6;
  std::vector<std::string> lines(state.range(0) / kBytecodesOfALine, "    c = c * a + b\n");
  TheProgram().Run(
      absl::StrCat("def long(a, b, c):\n", absl::StrJoin(lines, ""), "    return c\n"));
  RunTrace(state, "long");
}
BENCHMARK(BM_TraceLong)
    ->Arg(1000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dynacc

int main(int argc, char** argv) {
  Py_InitializeEx(0);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return Py_FinalizeEx();
}
