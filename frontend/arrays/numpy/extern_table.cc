// The table of functions that NumPy itself runs, and calls of them.
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_split.h"
#include "frontend/arrays/numpy/extern_call.h"
#include "frontend/arrays/numpy/extern_rules.h"
#include "frontend/arrays/numpy/function_table.h"
#include "frontend/arrays/numpy/numpy_api.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

constexpr NumpyExternRow kFunctions[] = {
#define DYNACC_NUMPY_EXTERN(name, rule, signature) {name, rule, signature},
#define DYNACC_NUMPY_EXTERN_METHOD(name, rule, signature)
#include "frontend/arrays/numpy/numpy_externs.def"
#undef DYNACC_NUMPY_EXTERN
#undef DYNACC_NUMPY_EXTERN_METHOD
};

constexpr NumpyExternRow kMethods[] = {
#define DYNACC_NUMPY_EXTERN(name, rule, signature)
#define DYNACC_NUMPY_EXTERN_METHOD(name, rule, signature) {name, rule, signature},
#include "frontend/arrays/numpy/numpy_externs.def"
#undef DYNACC_NUMPY_EXTERN
#undef DYNACC_NUMPY_EXTERN_METHOD
};

absl::flat_hash_map<PyObject*, const NumpyExternRow*> row_of_callable;

// The object under a dotted name in the module, without running code; null if there is none.
BorrowedRef FindDotted(BorrowedRef module, absl::string_view name) {
  BorrowedRef object = module;
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(name, '.'))) {
    if (object == nullptr || !PyModule_Check(object)) return nullptr;
    object = PyDict_GetItemString(PyModule_GetDict(object), part.c_str());
  }
  return object;
}

}  // namespace

void LoadExternTable(BorrowedRef numpy_module) {
  for (const NumpyExternRow& row : kFunctions) {
    BorrowedRef object = FindDotted(numpy_module, row.name);
    if (object == nullptr || !IsNumpys(object)) continue;
    // Kept alive, so that no other object can ever be at its address.
    if (row_of_callable.emplace(object, &row).second) Py_INCREF(object);
  }
}

const NumpyExternRow* FindExtern(BorrowedRef callable) {
  const auto found = row_of_callable.find(callable);
  return found == row_of_callable.end() ? nullptr : found->second;
}

const NumpyExternRow* FindExternMethod(absl::string_view name) {
  for (const NumpyExternRow& row : kMethods) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

absl::StatusOr<Value*> CallExternRow(TraceContext& trace, const NumpyExternRow& row,
                                     BorrowedRef callable, Value* self, const CallArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(const BoundArgs bound, BoundArgs::Bind(row.signature, self, args));
  DYNACC_RETURN_IF_ERROR(bound.RefuseGiven("out"));
  DYNACC_ASSIGN_OR_RETURN(const std::optional<Shape> shape, row.rule(trace, bound));
  std::vector<Value*> positional(args.positional.begin(), args.positional.end());
  if (self != nullptr) positional.insert(positional.begin(), self);
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced,
                          TakeApart(trace, callable, {positional, args.keywords}));
  return EmitCall(trace, std::move(traced), shape);
}

absl::StatusOr<Value*> CallElementwiseExtern(TraceContext& trace, BorrowedRef callable,
                                             const CallArgs& args) {
  const int num_inputs = reinterpret_cast<PyUFuncObject*>(callable)->nin;
  if (static_cast<int>(args.positional.size()) > num_inputs) return GraphBreak("argument out");
  std::vector<Value*> values(args.positional.begin(), args.positional.end());
  for (const auto& [name, value] : args.keywords) {
    if (name == "out" && !IsNone(value)) return GraphBreak("argument out");
    if (name == "where") values.push_back(value);
  }
  DYNACC_ASSIGN_OR_RETURN(const std::optional<Shape> shape, BroadcastShapeOf(trace, values));
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, callable, args));
  return EmitCall(trace, std::move(traced), shape);
}

}  // namespace dynacc
