#include "frontend/tracer/builtins/polyfill_calls.h"

#include "absl/strings/str_cat.h"
#include "frontend/cpython/describe.h"
#include "frontend/polyfills/polyfills.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

std::string NameOfPython(BorrowedRef function) {
  return StrText(reinterpret_cast<PyFunctionObject*>(function)->func_name);
}

absl::StatusOr<Value*> AsIterator(Tracer& tracer, GeneratorValue* generator) {
  if (!tracer.limits().allow_iterators) return GraphBreak("an iterator that is kept");
  return tracer.trace().New<LazyIteratorValue>(
      [&tracer, generator] { return tracer.Resume(generator, tracer.None()); });
}

}  // namespace

absl::StatusOr<Value*> CallPolyfill(Tracer& tracer, BorrowedRef function, std::vector<Value*> args,
                                    Keywords keywords) {
  absl::StatusOr<Value*> called =
      tracer.CallNow(tracer.Constant(function), std::move(args), std::move(keywords));
  if (!called.ok() && called.status().message() == absl::StrCat("call of ", kLeave)) {
    return GraphBreak(absl::StrCat("call of ", NameOfPython(function)));
  }
  DYNACC_ASSIGN_OR_RETURN(Value * result, std::move(called));
  if (auto* tuple = As<TupleValue>(result)) {
    for (Value*& item : tuple->items) {
      if (auto* generator = As<GeneratorValue>(item)) {
        DYNACC_ASSIGN_OR_RETURN(item, AsIterator(tracer, generator));
      }
    }
  }
  auto* generator = As<GeneratorValue>(result);
  return generator == nullptr ? result : AsIterator(tracer, generator);
}

}  // namespace dynacc
