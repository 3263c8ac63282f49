#include "frontend/guards/array.h"

#include "absl/strings/str_cat.h"

namespace dynacc {
namespace {

const char* DTypeText(const Guard& guard) { return Info(static_cast<DType>(guard.b)).text; }

}  // namespace

std::string GuardCheck<GuardKind::kArray>::Explain(const Guard& guard, BorrowedRef value) {
  return Expected(absl::StrCat(DTypeText(guard), " array of rank ", guard.a), value);
}

std::string GuardCheck<GuardKind::kTensor>::Explain(const Guard& guard, BorrowedRef value) {
  return Expected(absl::StrCat(DTypeText(guard), " tensor of rank ", guard.a), value);
}

std::string GuardCheck<GuardKind::kNumpyScalar>::Explain(const Guard& guard, BorrowedRef value) {
  return Expected(absl::StrCat("numpy scalar ", DTypeText(guard)), value);
}

std::string GuardCheck<GuardKind::kDimEquals>::Explain(const Guard& guard, BorrowedRef value) {
  const int64_t size =
      value == nullptr ? -1 : RegisteredArrayChecks().dim(value, static_cast<int>(guard.a));
  if (size >= 0) {
    return absl::StrCat("expected size ", guard.b, " of axis ", guard.a, ", found ", size);
  }
  return Expected(absl::StrCat("an array with axis ", guard.a), value);
}

std::string GuardCheck<GuardKind::kContiguous>::Explain(const Guard&, BorrowedRef value) {
  return Expected("a C-contiguous array", value);
}

std::string GuardCheck<GuardKind::kWritable>::Explain(const Guard&, BorrowedRef value) {
  return Expected("a writable array", value);
}

std::string GuardCheck<GuardKind::kScalarClass>::Explain(const Guard& guard, BorrowedRef value) {
  std::string text = Expected(absl::StrCat("a number that casts as class ", guard.a), value);
  const int found = value == nullptr ? -1 : RegisteredArrayChecks().scalar_class(value);
  if (found >= 0) absl::StrAppend(&text, ", of class ", found);
  return text;
}

std::string GuardCheck<GuardKind::kErrorState>::Explain(const Guard& guard, BorrowedRef) {
  return absl::StrCat("expected the error state ", guard.a, ", found ",
                      RegisteredArrayChecks().error_state());
}

}  // namespace dynacc
