// What finding the entry of a call costs: GuardTree::Match on programs of typical shapes.
//
// Arrays are NumPy's.
#include <algorithm>
#include <string>

#include "benchmark/benchmark.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/capture/array_libraries.h"
#include "frontend/guards/guard_tree.h"
#include "runtime/base/check.h"

namespace dynacc {
namespace {

constexpr int kFloat64 = static_cast<int>(DType::kFloat64);

// A frame with two arrays as locals, a function of one free variable, globals and an object tree.
constexpr const char* kWorld = R"(
import numpy as np
def array(*sizes): return np.ones(sizes)
class Layer:
    def __init__(self): self.w = array(2, 3); self.b = array(3)
class Config:
    def __init__(self): self.mode = 'train'; self.scale = 2.0; self.steps = 3
a = array(2, 3); b = array(2, 3); flag = 63
config = Config()
layers = [Layer() for _ in range(500)]
def make(free):
    def f(): return free
    return f
function = make(1.5)
)";

class World {
 public:
  World() : globals_(Ref::Steal(PyDict_New())) {
    PyDict_SetItemString(globals_.get(), "__builtins__", PyEval_GetBuiltins());
    Ref::Steal(PyRun_String(kWorld, Py_file_input, globals_.get(), globals_.get()));
    locals_[0] = Get("a");
    locals_[1] = Get("b");
    locals_[2] = Get("flag");
    locals_[3] = Get("layers");
    std::copy_n(locals_, 4, swapped_);
    std::swap(swapped_[0], swapped_[1]);
  }

  BorrowedRef Get(const char* name) const { return PyDict_GetItemString(globals_.get(), name); }
  sources::SourceRoots roots() {
    return {locals_, 4, Get("function"), globals_.get(), PyEval_GetBuiltins()};
  }
  // Those of a call with the two arrays changed round.
  sources::SourceRoots swapped_roots() {
    sources::SourceRoots swapped = roots();
    swapped.localsplus = swapped_;
    return swapped;
  }

  const sources::Source* Make(sources::SourceKind kind, const sources::Source* parent,
                              int64_t index, const char* name = nullptr) {
    const Ref str = name == nullptr ? Ref() : Ref::Steal(PyUnicode_FromString(name));
    return sources_.Intern(kind, parent, index, str.get());
  }

  // An array at `source` of the given sizes, with all its guards.
  void AddArray(const sources::Source* source, std::initializer_list<int> sizes) {
    guards.push_back(
        {guards::GuardKind::kArray, source, Ref(), static_cast<int64_t>(sizes.size()), kFloat64});
    int axis = 0;
    for (int size : sizes)
      guards.push_back({guards::GuardKind::kDimEquals, source, Ref(), axis++, size});
    loads.push_back(source);
  }
  void AddTwoArrays() {
    AddArray(Make(sources::SourceKind::kLocal, nullptr, 0, "a"), {2, 3});
    AddArray(Make(sources::SourceKind::kLocal, nullptr, 1, "b"), {2, 3});
  }
  void AddTypeIs(const sources::Source* source, BorrowedRef object) {
    guards.push_back({guards::GuardKind::kTypeIs, source,
                      Ref::New(reinterpret_cast<PyObject*>(Py_TYPE(object)))});
  }
  // Ten guards on globals, an object and a closure.
  void AddTenGuards() {
    const sources::Source* config = Make(sources::SourceKind::kGlobal, nullptr, 0, "config");
    const sources::Source* function = Make(sources::SourceKind::kFunction, nullptr, 0);
    guards.push_back({guards::GuardKind::kIdentity,
                      Make(sources::SourceKind::kGlobal, nullptr, 0, "Layer"),
                      Ref::New(Get("Layer"))});
    guards.push_back({guards::GuardKind::kIdentity,
                      Make(sources::SourceKind::kGlobal, nullptr, 0, "array"),
                      Ref::New(Get("array"))});
    guards.push_back(
        {guards::GuardKind::kAbsent, Make(sources::SourceKind::kGlobal, nullptr, 0, "len"), Ref()});
    guards.push_back({guards::GuardKind::kIdentity,
                      Make(sources::SourceKind::kBuiltin, nullptr, 0, "len"),
                      Ref::New(PyDict_GetItemString(PyEval_GetBuiltins(), "len"))});
    AddTypeIs(config, Get("config"));
    guards.push_back({guards::GuardKind::kStrEquals,
                      Make(sources::SourceKind::kInstanceAttr, config, 0, "mode"),
                      Ref::Steal(PyUnicode_InternFromString("train"))});
    guards.push_back({guards::GuardKind::kFloatEquals,
                      Make(sources::SourceKind::kInstanceAttr, config, 0, "scale"),
                      Ref::Steal(PyFloat_FromDouble(2.0))});
    guards.push_back({guards::GuardKind::kIntEquals,
                      Make(sources::SourceKind::kInstanceAttr, config, 0, "steps"), Ref(), 3});
    guards.push_back({guards::GuardKind::kFloatEquals,
                      Make(sources::SourceKind::kFunctionClosure, function, 0),
                      Ref::Steal(PyFloat_FromDouble(1.5))});
    guards.push_back({guards::GuardKind::kIdentity,
                      Make(sources::SourceKind::kFunctionCode, function, 0),
                      Ref::New(PyFunction_GetCode(Get("function")))});
  }
  // `layers[i].w` and `.b` of `num_layers` objects.
  void AddLayers(int num_layers) {
    const sources::Source* layers = Make(sources::SourceKind::kLocal, nullptr, 3, "layers");
    guards.push_back({guards::GuardKind::kListLength, layers, Ref(), 500});
    for (int i = 0; i < num_layers; ++i) {
      const sources::Source* layer = Make(sources::SourceKind::kListItem, layers, i);
      AddTypeIs(layer, PyList_GET_ITEM(Get("layers"), i));
      AddArray(Make(sources::SourceKind::kInstanceAttr, layer, 0, "w"), {2, 3});
      AddArray(Make(sources::SourceKind::kInstanceAttr, layer, 0, "b"), {3});
    }
  }

  void Finish(guards::GuardTree& tree) const { tree.AddEntry(guards, loads); }

  std::vector<guards::Guard> guards;
  std::vector<const sources::Source*> loads;

 private:
  Ref globals_;
  FrameSlot locals_[4] = {};
  FrameSlot swapped_[4] = {};
  sources::SourceTable sources_;
};

// Times Match of two calls in turn, which must find exactly `expected`.
void RunMatch(benchmark::State& state, const guards::GuardTree& tree,
              const sources::SourceRoots& even, const sources::SourceRoots& odd,
              uint64_t expected) {
  std::vector<BorrowedRef> slots(tree.num_slots());
  bool is_odd = false;
  for (auto _ : state) {
    const uint64_t match = tree.Match(is_odd ? odd : even, absl::MakeSpan(slots));
    is_odd = !is_odd;
    if (match != expected) state.SkipWithError("another entry matched");
    benchmark::DoNotOptimize(slots.data());
  }
}

void RunMatch(benchmark::State& state, const guards::GuardTree& tree,
              const sources::SourceRoots& roots, uint64_t expected) {
  RunMatch(state, tree, roots, roots, expected);
}

void BM_TwoArrays(benchmark::State& state) {
  World world;
  world.AddTwoArrays();
  guards::GuardTree tree;
  world.Finish(tree);
  RunMatch(state, tree, world.roots(), 1);
}
BENCHMARK(BM_TwoArrays);

void BM_TenGuards(benchmark::State& state) {
  World world;
  world.AddTenGuards();
  guards::GuardTree tree;
  world.Finish(tree);
  RunMatch(state, tree, world.roots(), 1);
}
BENCHMARK(BM_TenGuards);

void BM_TwoArraysAndTenGuards(benchmark::State& state) {
  World world;
  world.AddTwoArrays();
  world.AddTenGuards();
  guards::GuardTree tree;
  world.Finish(tree);
  RunMatch(state, tree, world.roots(), 1);
}
BENCHMARK(BM_TwoArraysAndTenGuards);

// The same where each call has other arrays than the one before.
void BM_NewArrays(benchmark::State& state) {
  World world;
  world.AddTwoArrays();
  guards::GuardTree tree;
  world.Finish(tree);
  RunMatch(state, tree, world.roots(), world.swapped_roots(), 1);
}
BENCHMARK(BM_NewArrays);

void BM_NewArraysAndTenGuards(benchmark::State& state) {
  World world;
  world.AddTwoArrays();
  world.AddTenGuards();
  guards::GuardTree tree;
  world.Finish(tree);
  RunMatch(state, tree, world.roots(), world.swapped_roots(), 1);
}
BENCHMARK(BM_NewArraysAndTenGuards);

// Entries that differ in one flag; the last of them fits.
void BM_Entries(benchmark::State& state) {
  World world;
  world.AddTwoArrays();
  world.AddTenGuards();
  const sources::Source* flag = world.Make(sources::SourceKind::kLocal, nullptr, 2, "flag");
  const int entries = static_cast<int>(state.range(0));
  guards::GuardTree tree;
  for (int i = 0; i < entries; ++i) {
    world.guards.push_back({guards::GuardKind::kIntEquals, flag, Ref(), 64 - entries + i});
    world.Finish(tree);
    world.guards.pop_back();
  }
  RunMatch(state, tree, world.roots(), uint64_t{1} << (entries - 1));
}
BENCHMARK(BM_Entries)->Arg(1)->Arg(8)->Arg(64);

// A thousand parameters: 500 objects of two arrays each.
void BM_ThousandParameters(benchmark::State& state) {
  World world;
  world.AddLayers(500);
  guards::GuardTree tree;
  world.Finish(tree);
  RunMatch(state, tree, world.roots(), 1);
  state.counters["guards"] = static_cast<double>(world.guards.size());
}
BENCHMARK(BM_ThousandParameters);

// The same where a number of an object is another one at each call, which entries take as it is.
void BM_ThousandParametersAndANumber(benchmark::State& state) {
  World world;
  world.AddLayers(500);
  const sources::Source* config = world.Make(sources::SourceKind::kGlobal, nullptr, 0, "config");
  const sources::Source* scale = world.Make(sources::SourceKind::kInstanceAttr, config, 0, "scale");
  world.AddTypeIs(config, world.Get("config"));
  world.guards.push_back({guards::GuardKind::kFloatAny, scale, Ref()});
  world.loads.push_back(scale);
  guards::GuardTree tree;
  world.Finish(tree);
  const Ref numbers[] = {Ref::Steal(PyFloat_FromDouble(1.5)), Ref::Steal(PyFloat_FromDouble(2.5))};
  std::vector<BorrowedRef> slots(tree.num_slots());
  bool is_odd = false;
  for (auto _ : state) {
    PyObject_SetAttrString(world.Get("config"), "scale", numbers[is_odd].get());
    is_odd = !is_odd;
    if (tree.Match(world.roots(), absl::MakeSpan(slots)) != 1) state.SkipWithError("no match");
    benchmark::DoNotOptimize(slots.data());
  }
}
BENCHMARK(BM_ThousandParametersAndANumber);

void BM_AddEntryOfThousandParameters(benchmark::State& state) {
  World world;
  world.AddLayers(500);
  for (auto _ : state) {
    guards::GuardTree tree;
    world.Finish(tree);
  }
}
BENCHMARK(BM_AddEntryOfThousandParameters)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace dynacc

int main(int argc, char** argv) {
  Py_InitializeEx(0);
  PyImport_ImportModule("numpy");
  dynacc::capture::RegisterArrayLibraries();
  DYNACC_CHECK(dynacc::arrays::LoadedArrayNamespace() != nullptr) << "NumPy is not loaded";
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return Py_FinalizeEx();
}
