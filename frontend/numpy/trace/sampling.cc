#include "frontend/numpy/trace/sampling.h"

#include <algorithm>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "frontend/arrays/run_scope.h"
#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/library_call.h"
#include "frontend/numpy/trace/library_call_rules.h"
#include "frontend/numpy/trace/number_calls.h"
#include "frontend/numpy/trace/storage.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

enum class Class { kGenerator, kRandomState };
enum class Rule { kSized, kChosen, kBySizes, kPermuted, kRows, kShuffled, kSeeded };

struct Row {
  Class owner;
  const char* name;
  Rule rule;
  const char* signature;
};

constexpr Row kRows[] = {
#define DYNACC_NUMPY_SAMPLING(owner, name, rule, signature) \
  {Class::k##owner, name, Rule::k##rule, signature},
#include "frontend/numpy/trace/numpy_sampling.def"
#undef DYNACC_NUMPY_SAMPLING
};

// A class of numpy.random. Both are kept alive until the process ends.
struct GeneratorClass {
  PyTypeObject* type = nullptr;
  BorrowedRef scratch = nullptr;  // a generator of ours, to find out what its methods give
};
GeneratorClass classes[2];             // by enum Class
BorrowedRef global_state = nullptr;    // the RandomState whose methods are numpy.random's functions
BorrowedRef global_seed = nullptr;     // numpy.random.seed, a function of its own
BorrowedRef make_generator = nullptr;  // numpy.random.default_rng

// Whether it makes a generator: default_rng, or the class RandomState.
bool IsMaker(BorrowedRef callable) {
  if (callable == nullptr) return false;
  if (callable == make_generator) return classes[static_cast<int>(Class::kGenerator)].type;
  return callable ==
         reinterpret_cast<PyObject*>(classes[static_cast<int>(Class::kRandomState)].type);
}

// The object under a name in a finished import; null if it is not there.
BorrowedRef FindIn(const char* module_name, const char* name) {
  BorrowedRef module = PyDict_GetItemString(PyImport_GetModuleDict(), module_name);
  if (module == nullptr || !PyModule_Check(module)) return nullptr;
  return PyDict_GetItemString(PyModule_GetDict(module), name);
}

void LoadClass(Class which, BorrowedRef found) {
  if (found == nullptr || !PyType_Check(found)) return;
  auto* type = reinterpret_cast<PyTypeObject*>(found);
  // A class that the program put there is none of NumPy's; theirs cannot be changed.
  if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) return;
  classes[static_cast<int>(which)].type = type;
  Py_INCREF(type);
}

const GeneratorClass& ClassOf(const Row& row) { return classes[static_cast<int>(row.owner)]; }

const Row* FindRow(const PyTypeObject* type, absl::string_view name) {
  for (const Row& row : kRows) {
    if (type != nullptr && ClassOf(row).type == type && name == row.name) return &row;
  }
  return nullptr;
}

// The methods of the classes where they are objects of a class of Cython's, as in NumPy 2. Kept
// alive; the classes cannot be changed.
absl::flat_hash_map<PyObject*, const Row*>& CythonMethods() {
  static auto& methods = *new absl::flat_hash_map<PyObject*, const Row*>;
  return methods;
}

void LoadCythonMethods() {
  for (const Row& row : kRows) {
    PyTypeObject* const type = ClassOf(row).type;
    if (type == nullptr) continue;
    PyObject* const method = PyDict_GetItemString(type->tp_dict, row.name);
    if (method == nullptr || Py_IS_TYPE(method, &PyMethodDescr_Type) || !IsNumpys(method)) continue;
    if (CythonMethods().emplace(method, &row).second) Py_INCREF(method);
  }
}

// Whether it is a function of numpy.random written in C or by Cython.
bool IsOwnFunction(BorrowedRef object) {
  if (object == nullptr) return false;
  return PyCFunction_CheckExact(object) || (!PyFunction_Check(object) && IsNumpys(object));
}

// Whether it is a function that draws from the one generator of the module.
bool IsOfModule(BorrowedRef callable) {
  return PyCFunction_Check(callable) || callable == global_seed;
}

const Row* RowOf(BorrowedRef callable) {
  const auto found = CythonMethods().find(callable);
  if (found != CythonMethods().end()) return found->second;
  if (global_seed != nullptr && callable == global_seed) {
    return FindRow(Py_TYPE(global_state), "seed");
  }
  if (Py_IS_TYPE(callable, &PyMethodDescr_Type)) {
    auto* method = reinterpret_cast<PyMethodDescrObject*>(callable);
    return FindRow(PyDescr_TYPE(method), method->d_method->ml_name);
  }
  if (!PyCFunction_CheckExact(callable)) return nullptr;
  PyObject* self = PyCFunction_GET_SELF(callable);
  if (self == nullptr || self != global_state) return nullptr;
  return FindRow(Py_TYPE(self), reinterpret_cast<PyCFunctionObject*>(callable)->m_ml->ml_name);
}

// A generator of the class whose draws nobody misses.
BorrowedRef Scratch(Class which) {
  GeneratorClass& generator = classes[static_cast<int>(which)];
  if (generator.scratch != nullptr) return generator.scratch;
  auto* type = reinterpret_cast<PyObject*>(generator.type);
  if (which == Class::kRandomState) {
    generator.scratch = PyObject_CallFunction(type, "i", 0);
  } else if (BorrowedRef pcg = FindIn("numpy.random._pcg64", "PCG64")) {
    const Ref bits = Ref::Steal(PyObject_CallFunction(pcg, "i", 0));
    if (bits) generator.scratch = PyObject_CallOneArg(type, bits.get());
  }
  PyErr_Clear();
  return generator.scratch;
}

absl::StatusOr<Shape> SizesFrom(symbolic::TraceContext& trace, absl::StatusOr<Shape> shape) {
  DYNACC_RETURN_IF_ERROR(shape.status());
  for (int axis = 0; axis < shape->rank(); ++axis) {
    if (IsLess(trace, shape->at(axis), ConstantSize(trace, 0))) {
      return symbolic::RaisingBreak("a negative size");
    }
  }
  return shape;
}

absl::StatusOr<Shape> ShapeOfOthers(symbolic::TraceContext& trace, const Row& row,
                                    const BoundArgs& args) {
  std::vector<symbolic::Value*> given;
  for (const absl::string_view name : absl::StrSplit(row.signature, ' ')) {
    if (args[name] != nullptr && name != "size" && name != "dtype") given.push_back(args[name]);
  }
  DYNACC_ASSIGN_OR_RETURN(const auto shape, BroadcastShapeOf(trace, given));
  if (!shape) return symbolic::GraphBreak("an argument of an unknown kind");
  return *shape;
}

absl::StatusOr<Shape> PermutedShape(symbolic::TraceContext& trace, symbolic::Value* x) {
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(x); tensor && !tensor->is_scalar)
    return ShapeOf(tensor);
  DYNACC_ASSIGN_OR_RETURN(const Size size, SizeFrom(trace, x));
  Shape shape;
  shape.push_back(size);
  return SizesFrom(trace, shape);
}

// The sizes given, and as many elements as the vector that the rows' distribution is given by.
absl::StatusOr<Shape> ShapeOfRows(symbolic::TraceContext& trace, const BoundArgs& args) {
  Shape shape;
  if (symbolic::Value* size = args.GivenOrNull("size")) {
    DYNACC_ASSIGN_OR_RETURN(shape, SizesFrom(trace, ShapeFrom(trace, size)));
  }
  for (const char* name : {"mean", "alpha", "pvals"}) {
    symbolic::Value* const vector = args[name];
    if (vector == nullptr) continue;
    if (auto* tensor = symbolic::As<symbolic::TensorValue>(vector);
        tensor && tensor->node->rank() == 1) {
      shape.push_back(SizeOf(tensor, 0));
      return shape;
    }
    if (const auto items = ItemsOf(trace, vector)) {
      shape.push_back(ConstantSize(trace, static_cast<int64_t>(items->size())));
      return shape;
    }
  }
  return symbolic::GraphBreak("a distribution that is given otherwise than by a vector");
}

absl::StatusOr<Shape> ShapeOfSample(symbolic::TraceContext& trace, const Row& row,
                                    const BoundArgs& args) {
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("out"));
  if (row.rule == Rule::kBySizes) return SizesFrom(trace, ShapeFrom(trace, args.rest()));
  if (row.rule == Rule::kRows) return ShapeOfRows(trace, args);
  if (row.rule == Rule::kPermuted) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * x, args.Required("x"));
    return PermutedShape(trace, x);
  }
  if (symbolic::Value* size = args.GivenOrNull("size"))
    return SizesFrom(trace, ShapeFrom(trace, size));
  if (row.rule == Rule::kChosen) return Shape();
  return ShapeOfOthers(trace, row, args);
}

// The call with all sizes 1, so that it can be tried out quickly.
void MakeSmall(symbolic::TraceContext& trace, const Row& row, int rank,
               std::vector<symbolic::Value*>& positional, symbolic::Keywords& keywords) {
  symbolic::Value* const one = trace.New<symbolic::ConstantValue>(Ref::Steal(PyLong_FromLong(1)));
  if (row.rule == Rule::kBySizes || row.rule == Rule::kPermuted) {
    for (symbolic::Value*& value : positional) {
      if (symbolic::As<symbolic::TensorValue>(value) == nullptr) value = one;
    }
    return;
  }
  symbolic::Value* const ones =
      trace.New<symbolic::TupleValue>(std::vector<symbolic::Value*>(rank, one));
  const std::vector<std::string> names = absl::StrSplit(row.signature, ' ');
  for (size_t i = 0; i < std::min(names.size(), positional.size()); ++i) {
    if (names[i] == "size" && !IsNone(positional[i])) positional[i] = ones;
  }
  for (auto& [name, value] : keywords) {
    if (name == "size" && !IsNone(value)) value = ones;
  }
}

// What such a draw from a generator of ours gives.
absl::StatusOr<Ref> ExampleOfSample(symbolic::TraceContext& trace, const Row& row, int rank,
                                    const arrays::CallArgs& args) {
  BorrowedRef scratch = Scratch(row.owner);
  if (scratch == nullptr) return symbolic::GraphBreak("a generator that cannot be tried out");
  const Ref method = Ref::Steal(PyObject_GetAttrString(scratch, row.name));
  PyErr_Clear();
  if (!method) return symbolic::GraphBreak("a generator that cannot be tried out");
  std::vector<symbolic::Value*> positional(args.positional.begin(), args.positional.end());
  auto keywords = args.keywords;
  MakeSmall(trace, row, row.rule == Rule::kRows ? rank - 1 : rank, positional, keywords);
  DYNACC_ASSIGN_OR_RETURN(const TracedCall traced,
                          TakeApart(trace, method.get(), {positional, keywords}));
  return TryOutSmall(traced);
}

// One of the trace's draws, from before its node is made until that is the last one.
class NextSample {
 public:
  NextSample(symbolic::TraceContext& trace, TracedCall& traced) : trace_(trace) {
    const std::vector<const ir::Node*>& calls = trace.ordered_calls();
    if (!calls.empty()) traced.operands.push_back(calls.back());
    traced.call.draw = static_cast<int>(calls.size()) + 1;
    const auto is_input = [](const LibraryCallArg& argument) {
      return argument.kind == LibraryCallArg::Kind::kObject;
    };
    changes_what_was_there_ =
        traced.call.generator || absl::c_any_of(traced.call.positional, is_input);
  }

  void IsMade(const ir::Node* node) {
    trace_.ordered_calls().push_back(node);
    if (changes_what_was_there_) trace_.NoteDraw(node);
  }

 private:
  symbolic::TraceContext& trace_;
  bool changes_what_was_there_ = false;
};

Ref CopyOf(BorrowedRef array) { return Ref::Steal(PyArray_NewCopy(AsArray(array), NPY_CORDER)); }

// shuffled(method, array[, axis]): a copy of the array after method(copy[, axis]).
PyObject* Shuffled(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Ref copy = CopyOf(args[1]);
  if (!copy) return nullptr;
  PyObject* handed[] = {copy.get(), count > 2 ? args[2] : nullptr};
  const Ref done = Ref::Steal(PyObject_Vectorcall(args[0], handed, count - 1, nullptr));
  return done ? copy.Release() : nullptr;
}

// shuffled(method, generator, array[, axis]): likewise after method(generator, copy[, axis]).
PyObject* ShuffledBy(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Ref copy = CopyOf(args[2]);
  if (!copy) return nullptr;
  PyObject* handed[] = {args[1], copy.get(), count > 3 ? args[3] : nullptr};
  const Ref done = Ref::Steal(PyObject_Vectorcall(args[0], handed, count - 1, nullptr));
  return done ? copy.Release() : nullptr;
}

// make(function, number, *args): NumPy's True, after function(*args) has made an object.
PyObject* Make(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Ref made = Ref::Steal(PyObject_Vectorcall(args[0], args + 2, count - 2, nullptr));
  if (!made) return nullptr;
  arrays::RunScope::Current()->AddMade(static_cast<int>(PyLong_AsLong(args[1])), std::move(made));
  return Py_NewRef(reinterpret_cast<PyObject*>(&_PyArrayScalar_BoolValues[1]));
}

// done(function, *args): NumPy's True after function(*args).
PyObject* Done(PyObject*, PyObject* const* args, Py_ssize_t count) {
  const Ref done = Ref::Steal(PyObject_Vectorcall(args[0], args + 1, count - 1, nullptr));
  return done ? Py_NewRef(reinterpret_cast<PyObject*>(&_PyArrayScalar_BoolValues[1])) : nullptr;
}

// METH_FASTCALL's form behind the one that the struct has room for.
PyCFunction Fast(PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef shuffled_method = {"shuffled", Fast(Shuffled), METH_FASTCALL, nullptr};
PyMethodDef shuffled_by_method = {"shuffled_by", Fast(ShuffledBy), METH_FASTCALL, nullptr};
PyMethodDef make_method = {"make", Fast(Make), METH_FASTCALL, nullptr};
PyMethodDef done_method = {"done", Fast(Done), METH_FASTCALL, nullptr};

// The draw as a node that comes after those before it.
absl::StatusOr<symbolic::Value*> EmitSampling(symbolic::TraceContext& trace, TracedCall traced,
                                              BorrowedRef example, const Shape& shape) {
  NextSample sample(trace, traced);
  traced.call.gives_c_order = shape.rank() > 1;
  if (!PyArray_CheckExact(example)) {
    if (shape.rank() > 0) return symbolic::GraphBreak("a result of another rank than expected");
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * number,
                            EmitNumber(trace, std::move(traced), example));
    symbolic::TensorValue* const scalar = ScalarOfNumber(number);
    sample.IsMade(scalar != nullptr ? scalar->node
                                    : symbolic::As<symbolic::TensorValue>(number)->node);
    return number;
  }
  StridedView view;
  alignas(16) char storage[16];
  ReadNumpy(example, &view, storage);
  if (view.rank != shape.rank() || shape.rank() == 0) {
    return symbolic::GraphBreak("a result of another rank than expected");
  }
  NumpyTensor* const drawn = EmitKnown(trace, std::move(traced), view.dtype, shape);
  sample.IsMade(drawn->node);
  return drawn;
}

// taken(number): the generator that the run has made under it.
PyObject* Taken(PyObject*, PyObject* number) {
  const arrays::RunScope* const scope = arrays::RunScope::Current();
  BorrowedRef made =
      scope == nullptr ? nullptr : scope->made(static_cast<int>(PyLong_AsLong(number)));
  if (made == nullptr) PyErr_SetString(PyExc_RuntimeError, "a generator that was not made");
  return Py_XNewRef(made);
}
PyMethodDef taken_method = {"taken", Taken, METH_O, nullptr};

BorrowedRef TakenFunction() {
  static PyObject* const function = PyCFunction_New(&taken_method, nullptr);
  return function;
}

// The number of a generator that the trace makes; 0 for other values.
int NumberOfMade(symbolic::Value* value) {
  auto* const lazy = symbolic::As<symbolic::LazyValue>(value);
  if (lazy == nullptr || lazy->function.get() != TakenFunction()) return 0;
  return static_cast<int>(
      PyLong_AsLong(symbolic::As<symbolic::ConstantValue>(lazy->args[0])->object.get()));
}

// The generator that a method's call has as its first argument, as an argument of the node's.
absl::StatusOr<LibraryCallArg> TakeGenerator(symbolic::TraceContext& trace, const Row& row,
                                             symbolic::Value* generator) {
  if (const int number = NumberOfMade(generator); number > 0) {
    if (symbolic::As<symbolic::LazyValue>(generator)->type != ClassOf(row).type) {
      return symbolic::GraphBreak("a generator of another kind");
    }
    LibraryCallArg made;
    made.kind = LibraryCallArg::Kind::kMade;
    made.operand = number;
    return made;
  }
  auto* const object = symbolic::As<symbolic::ObjectValue>(generator);
  if (object == nullptr || object->source() == nullptr ||
      !Py_IS_TYPE(object->object.get(), ClassOf(row).type)) {
    return symbolic::GraphBreak("a generator of another kind");
  }
  trace.AddGuard(guards::GuardKind::kTypeIs, object->source(),
                 reinterpret_cast<PyObject*>(ClassOf(row).type));
  LibraryCallArg argument;
  argument.kind = LibraryCallArg::Kind::kObject;
  argument.operand = trace.ObjectInput(object->source());
  return argument;
}

// Whether the draw is a C loop of numpy.random's own: only arrays, and the probabilities of items,
// are checked by ufuncs.
bool IsQuiet(const Row& row, const TracedCall& traced) {
  const bool has_array =
      absl::c_any_of(traced.shapes, [](const Shape& shape) { return shape.rank() > 0; });
  return row.rule != Rule::kChosen && row.rule != Rule::kRows && !has_array;
}

// The call of a function that changes the generator, and of which the run needs something else than
// what it gives: `function` of ours is handed the callable, and `args`.
absl::StatusOr<TracedCall> CallThrough(symbolic::TraceContext& trace, PyMethodDef* function,
                                       BorrowedRef callable,
                                       const std::optional<LibraryCallArg>& generator,
                                       std::vector<symbolic::Value*> args) {
  const Ref ours = Ref::Steal(PyCFunction_New(function, nullptr));
  if (!ours) return symbolic::GraphBreak("no memory for a function");
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, ours.get(), {args, {}}));
  LibraryCallArg method;
  method.constant = Ref::New(callable);
  traced.call.positional.insert(traced.call.positional.begin(), std::move(method));
  if (generator) {
    traced.call.positional.insert(traced.call.positional.begin() + 1, *generator);
  } else {
    traced.call.generator = Ref::New(global_state);
  }
  traced.call.is_quiet = true;
  return traced;
}

// `array` gets the content that a shuffled copy of it has.
absl::StatusOr<symbolic::Value*> TraceShuffle(symbolic::TraceContext& trace, BorrowedRef callable,
                                              const std::optional<LibraryCallArg>& generator,
                                              const BoundArgs& args) {
  auto* const array = symbolic::As<symbolic::TensorValue>(args["x"]);
  if (array == nullptr || array->is_scalar || array->node->rank() == 0) {
    return symbolic::GraphBreak("a shuffle of what is no array");
  }
  NumpyTensor* const target = AsNumpy(array);
  DYNACC_RETURN_IF_ERROR(RequireWritable(trace, target));
  std::vector<symbolic::Value*> handed = {array};
  if (symbolic::Value* axis = args["axis"]) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t known, AxisFrom(trace, axis, array->node->rank()));
    handed.push_back(trace.New<symbolic::ConstantValue>(Ref::Steal(PyLong_FromLongLong(known))));
  }
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced,
                          CallThrough(trace, generator ? &shuffled_by_method : &shuffled_method,
                                      callable, generator, std::move(handed)));
  traced.call.gives_c_order = true;
  NextSample sample(trace, traced);
  NumpyTensor* const content =
      EmitKnown(trace, std::move(traced), array->node->dtype, ShapeOf(target));
  sample.IsMade(content->node);
  DYNACC_RETURN_IF_ERROR(Write(trace, target, content->node, content->c_order));
  return trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
}

absl::StatusOr<symbolic::Value*> TraceSeed(symbolic::TraceContext& trace, BorrowedRef callable,
                                           const std::optional<LibraryCallArg>& generator,
                                           const BoundArgs& args) {
  // Without a seed the system gives one.
  if (args.GivenOrNull("seed") == nullptr) return symbolic::GraphBreak("a seed of the system's");
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced,
                          CallThrough(trace, &done_method, callable, generator, {args["seed"]}));
  traced.call.may_warn = true;
  NextSample sample(trace, traced);
  NumpyTensor* const done = EmitKnown(trace, std::move(traced), DType::kBool, Shape());
  sample.IsMade(done->node);
  return trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
}

// A new generator, which the segment's end takes if it lives so long.
absl::StatusOr<symbolic::Value*> TraceMaking(symbolic::TraceContext& trace, BorrowedRef callable,
                                             const arrays::CallArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(const BoundArgs bound, BoundArgs::Bind("seed", nullptr, args));
  PyTypeObject* const type =
      classes[static_cast<int>(callable == make_generator ? Class::kGenerator
                                                          : Class::kRandomState)]
          .type;
  const int number = static_cast<int>(trace.ordered_calls().size()) + 1;
  auto* const key = trace.New<symbolic::ConstantValue>(Ref::Steal(PyLong_FromLong(number)));
  std::vector<symbolic::Value*> handed = {key};
  if (symbolic::Value* seed = bound["seed"]) handed.push_back(seed);
  const Ref ours = Ref::Steal(PyCFunction_New(&make_method, nullptr));
  if (!ours) return symbolic::GraphBreak("no memory for a function");
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, ours.get(), {handed, {}}));
  LibraryCallArg method;
  method.constant = Ref::New(callable);
  traced.call.positional.insert(traced.call.positional.begin(), std::move(method));
  traced.call.may_warn = true;
  NextSample sample(trace, traced);
  NumpyTensor* const done = EmitKnown(trace, std::move(traced), DType::kBool, Shape());
  sample.IsMade(done->node);
  return trace.New<symbolic::LazyValue>(Ref::New(TakenFunction()),
                                        std::vector<symbolic::Value*>{key}, type);
}

absl::StatusOr<symbolic::Value*> TraceSampling(symbolic::TraceContext& trace, const Row& row,
                                               BorrowedRef callable, arrays::CallArgs args) {
  std::optional<LibraryCallArg> generator;
  if (!IsOfModule(callable)) {
    if (args.positional.empty()) return symbolic::RaisingBreak("another number of arguments");
    DYNACC_ASSIGN_OR_RETURN(generator, TakeGenerator(trace, row, args.positional[0]));
    args.positional.remove_prefix(1);
  }
  if (row.rule == Rule::kShuffled || row.rule == Rule::kSeeded) {
    DYNACC_ASSIGN_OR_RETURN(const BoundArgs given, BoundArgs::Bind(row.signature, nullptr, args));
    return row.rule == Rule::kShuffled ? TraceShuffle(trace, callable, generator, given)
                                       : TraceSeed(trace, callable, generator, given);
  }
  DYNACC_ASSIGN_OR_RETURN(const BoundArgs bound, BoundArgs::Bind(row.signature, nullptr, args));
  DYNACC_ASSIGN_OR_RETURN(const Shape shape, ShapeOfSample(trace, row, bound));
  if (shape.rank() > kMaxRank) return symbolic::GraphBreak("an array of a high rank");
  DYNACC_ASSIGN_OR_RETURN(const Ref example, ExampleOfSample(trace, row, shape.rank(), args));
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, callable, args));
  if (generator) {
    traced.call.positional.insert(traced.call.positional.begin(), *generator);
  } else {
    traced.call.generator = Ref::New(global_state);
  }
  traced.call.may_warn = row.rule == Rule::kRows;
  traced.call.is_quiet = IsQuiet(row, traced);
  return EmitSampling(trace, std::move(traced), example.get(), shape);
}

}  // namespace

void LoadSamples() {
  LoadClass(Class::kGenerator, FindIn("numpy.random._generator", "Generator"));
  LoadClass(Class::kRandomState, FindIn("numpy.random.mtrand", "RandomState"));
  BorrowedRef make = FindIn("numpy.random._generator", "default_rng");
  LoadCythonMethods();
  if (IsOwnFunction(make)) {
    make_generator = make;
    Py_INCREF(make);
  }
  BorrowedRef state = FindIn("numpy.random.mtrand", "_rand");
  if (state == nullptr) return;
  if (Py_TYPE(state) != classes[static_cast<int>(Class::kRandomState)].type) return;
  global_state = state;
  Py_INCREF(state);
  BorrowedRef seed = FindIn("numpy.random.mtrand", "seed");
  if (!IsOwnFunction(seed)) return;
  global_seed = seed;
  Py_INCREF(seed);
}

bool IsSampling(BorrowedRef callable) { return IsMaker(callable) || RowOf(callable) != nullptr; }

absl::StatusOr<symbolic::Value*> CallSampling(symbolic::TraceContext& trace, BorrowedRef callable,
                                              const arrays::CallArgs& args) {
  if (IsMaker(callable)) return TraceMaking(trace, callable, args);
  const Row& row = *RowOf(callable);
  absl::StatusOr<symbolic::Value*> drawn = TraceSampling(trace, row, callable, args);
  if (drawn.ok()) return drawn;
  const absl::Status named = Annotate(drawn.status(), absl::StrCat("numpy.random.", row.name));
  return symbolic::IsRaisingBreak(drawn.status()) ? symbolic::RaisingBreak(named.message()) : named;
}

}  // namespace dynacc::numpy
