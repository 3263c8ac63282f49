#include "frontend/tracer/builtins/copies.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/polyfills/polyfills.h"
#include "frontend/tracer/builtins/library.h"
#include "frontend/tracer/builtins/polyfill_calls.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

constexpr char kFunction[] = "deepcopy";
constexpr char kDispatch[] = "_deepcopy_dispatch";
// What the polyfill does as these do: as long as it is these that the table has.
constexpr const char* kCopiers[] = {"_deepcopy_list", "_deepcopy_tuple", "_deepcopy_dict"};
// What is its own copy has this copier; from CPython 3.14 on there is a set of such classes.
constexpr char kAtomicCopier[] = "_deepcopy_atomic";
constexpr char kAtomicTypes[] = "_atomic_types";

// Whether `object` is the function `name` of the library's copy.py.
bool IsLibrarys(BorrowedRef object, const char* name) {
  return IsLibraryFunction(object, "copy.py", name);
}

// The global `name` of the function; null if it has none.
symbolic::Value* GlobalOf(Tracer& tracer, const symbolic::FunctionValue& function,
                          const char* name) {
  const Ref key = Ref::Steal(PyUnicode_InternFromString(name));
  BorrowedRef object = DictGetStr(PyFunction_GET_GLOBALS(function.function.get()), key.get());
  if (object == nullptr) return nullptr;
  const sources::Source* const from = SourceOfFunction(tracer, function);
  return tracer.Lazy(
      object, tracer.sources().Intern(sources::SourceKind::kFunctionGlobal, from, 0, key.get()));
}

// The copier `name`, a global of the function; null where it is not the library's.
symbolic::Value* CopierOf(Tracer& tracer, const symbolic::FunctionValue& function,
                          const char* name) {
  const Ref key = Ref::Steal(PyUnicode_InternFromString(name));
  BorrowedRef object = DictGetStr(PyFunction_GET_GLOBALS(function.function.get()), key.get());
  return IsLibrarys(object, name) ? GlobalOf(tracer, function, name) : nullptr;
}

// What the polyfill goes by.
absl::StatusOr<symbolic::Value*> Parts(Tracer& tracer, const symbolic::FunctionValue& function) {
  symbolic::Value* atomic = GlobalOf(tracer, function, kAtomicTypes);
  if (atomic == nullptr) atomic = CopierOf(tracer, function, kAtomicCopier);
  std::vector<symbolic::Value*> parts = {GlobalOf(tracer, function, kDispatch), atomic};
  for (const char* name : kCopiers) parts.push_back(CopierOf(tracer, function, name));
  if (absl::c_linear_search(parts, nullptr)) {
    return symbolic::GraphBreak(absl::StrCat("call of ", kFunction));
  }
  return tracer.trace().New<symbolic::TupleValue>(std::move(parts));
}

}  // namespace

bool IsDeepCopy(const symbolic::FunctionValue& function) {
  return function.function && IsLibrarys(function.function.get(), kFunction);
}

absl::StatusOr<symbolic::Value*> CallDeepCopy(Tracer& tracer,
                                              const symbolic::FunctionValue& function,
                                              std::vector<symbolic::Value*> positional,
                                              const symbolic::Keywords& keywords) {
  if (positional.size() != 1 || !keywords.empty()) {
    return symbolic::GraphBreak(absl::StrCat("call of ", kFunction));
  }
  GuardCodeOf(tracer, function);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * parts, Parts(tracer, function));
  return CallPolyfill(tracer, polyfills::Polyfill(kFunction), {parts, positional.front()});
}

}  // namespace dynacc::tracer
