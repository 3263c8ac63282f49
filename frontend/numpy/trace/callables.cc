#include "frontend/numpy/trace/callables.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "frontend/numpy/trace/error_scope.h"
#include "frontend/numpy/trace/foreign_ufuncs.h"
#include "frontend/numpy/trace/index_grids.h"
#include "frontend/numpy/trace/inlined.h"
#include "frontend/numpy/trace/sampling.h"
#include "frontend/numpy/trace/ufunc_call.h"
#include "frontend/numpy/trace/ufunc_methods.h"
#include "frontend/numpy/trace/ufuncs.h"

namespace dynacc::numpy {
namespace {

absl::node_hash_map<PyObject*, NumpyCallable>& Table() {
  static auto& table = *new absl::node_hash_map<PyObject*, NumpyCallable>;
  return table;
}

const NumpyCallable* FindInTable(BorrowedRef callable) {
  const auto found = Table().find(callable);
  return found == Table().end() ? nullptr : &found->second;
}

absl::StatusOr<symbolic::Value*> CallDType(symbolic::TraceContext&, BorrowedRef,
                                           const arrays::CallArgs&) {
  return symbolic::RaisingBreak("a call of a dtype");
}

NumpyCallable Whole(TraceCall* call) {
  NumpyCallable callable;
  callable.whole = call;
  return callable;
}

// Those that are known by what they are: there is no end of their objects.
struct Family {
  bool (*has)(BorrowedRef object);
  NumpyCallable callable;
};

absl::Span<const Family> Families() {
  static const auto& families = *new std::vector<Family>{
      {IsUfunc, Whole(CallAnyUfunc)},          {IsBuiltinDType, Whole(CallDType)},
      {IsErrorScope, Whole(CallErrorScope)},   {IsSampling, Whole(CallSampling)},
      {IsUfuncMethod, Whole(CallUfuncMethod)}, {IsForeignUfunc, Whole(CallForeignUfunc)},
  };
  return families;
}

template <typename Row>
void Learn(BorrowedRef numpy_module, absl::Span<const Row> rows,
           const Row* NumpyCallable::*column) {
  for (const Row& row : rows) {
    BorrowedRef object = FindDotted(numpy_module, row.name);
    if (object == nullptr || !IsNumpys(object)) continue;
    const Row*& place = LearnCallable(object).*column;
    if (place == nullptr) place = &row;
  }
}

using Methods = absl::flat_hash_map<std::string, NumpyCallable>;

template <typename Row>
void AddMethods(Methods& methods, absl::Span<const Row> rows, const Row* NumpyCallable::*column) {
  for (const Row& row : rows) {
    const Row*& place = methods[row.name].*column;
    if (place == nullptr) place = &row;
  }
}

}  // namespace

NumpyCallable& LearnCallable(BorrowedRef object) {
  const auto [entry, is_new] = Table().try_emplace(object);
  if (is_new) Py_INCREF(object);
  return entry->second;
}

void LoadLibraryCalls(BorrowedRef numpy_module) {
  Learn(numpy_module, NumpyLibraryCallFunctions(), &NumpyCallable::library);
}

void LoadCallables(BorrowedRef numpy_module) {
  Learn(numpy_module, NumpyFunctions(), &NumpyCallable::traced);
  LoadLibraryCalls(numpy_module);
  Learn(numpy_module, NumpyDataDependentFunctions(), &NumpyCallable::data_dependent);
  LearnInlined(numpy_module);
  LearnPureFunctions(numpy_module);
  LearnIndexGrids(numpy_module);
}

const NumpyCallable* FindCallable(BorrowedRef callable) {
  for (const Family& family : Families()) {
    if (family.has(callable)) return &family.callable;
  }
  return FindInTable(callable);
}

const NumpyCallable* FindArrayMethod(absl::string_view name) {
  static const Methods& methods = *new Methods([] {
    Methods all;
    AddMethods(all, NumpyMethods(), &NumpyCallable::traced);
    AddMethods(all, NumpyLibraryCallMethods(), &NumpyCallable::library);
    AddMethods(all, NumpyDataDependentMethods(), &NumpyCallable::data_dependent);
    return all;
  }());
  const auto found = methods.find(name);
  return found == methods.end() ? nullptr : &found->second;
}

const NumpyFunctionRow* TracedRowOf(BorrowedRef callable) {
  const NumpyCallable* const found = callable == nullptr ? nullptr : FindInTable(callable);
  return found == nullptr ? nullptr : found->traced;
}

const NumpyLibraryCallRow* LibraryRowOf(BorrowedRef callable) {
  const NumpyCallable* const found = callable == nullptr ? nullptr : FindInTable(callable);
  return found == nullptr ? nullptr : found->library;
}

BorrowedRef FunctionNamed(absl::string_view name) {
  for (const auto& [object, callable] : Table()) {
    if (callable.traced != nullptr && callable.traced->name == name) return object;
  }
  return nullptr;
}

}  // namespace dynacc::numpy
