#include "frontend/tracer/builtins/polyfill_calls.h"

#include "absl/strings/str_cat.h"
#include "frontend/cpython/describe.h"
#include "frontend/polyfills/polyfills.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

std::string NameOfPython(BorrowedRef function) {
  return StrText(reinterpret_cast<PyFunctionObject*>(function)->func_name);
}

absl::StatusOr<symbolic::Value*> AsIterator(Tracer& tracer, symbolic::GeneratorValue* generator) {
  if (!tracer.limits().allow_iterators) return symbolic::GraphBreak("an iterator that is kept");
  return tracer.trace().New<symbolic::LazyIteratorValue>(
      [&tracer, generator] { return tracer.Resume(generator, tracer.None()); });
}

}  // namespace

absl::StatusOr<symbolic::Value*> CallPolyfill(Tracer& tracer, BorrowedRef function,
                                              std::vector<symbolic::Value*> args,
                                              symbolic::Keywords keywords) {
  absl::StatusOr<symbolic::Value*> called =
      tracer.CallNow(tracer.Constant(function), std::move(args), std::move(keywords));
  if (!called.ok() && called.status().message() == absl::StrCat("call of ", polyfills::kLeave)) {
    return symbolic::GraphBreak(absl::StrCat("call of ", NameOfPython(function)));
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result, std::move(called));
  if (auto* tuple = symbolic::As<symbolic::TupleValue>(result)) {
    for (symbolic::Value*& item : tuple->items) {
      if (auto* generator = symbolic::As<symbolic::GeneratorValue>(item)) {
        DYNACC_ASSIGN_OR_RETURN(item, AsIterator(tracer, generator));
      }
    }
  }
  auto* generator = symbolic::As<symbolic::GeneratorValue>(result);
  return generator == nullptr ? result : AsIterator(tracer, generator);
}

}  // namespace dynacc::tracer
