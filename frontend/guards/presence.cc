#include "frontend/guards/presence.h"

#include "absl/strings/str_cat.h"
#include "frontend/cpython/describe.h"

namespace dynacc {

std::string GuardCheck<GuardKind::kAbsent>::Explain(const Guard&, BorrowedRef value) {
  return Expected("nothing", value);
}

std::string GuardCheck<GuardKind::kPresent>::Explain(const Guard&, BorrowedRef value) {
  return Expected("any value", value);
}

std::string GuardCheck<GuardKind::kDiesQuietly>::Explain(const Guard&, BorrowedRef value) {
  return Expected("an object without a finalizer", value);
}

std::string GuardCheck<GuardKind::kIdentity>::Explain(const Guard& guard, BorrowedRef value) {
  const std::string wanted = guard.ObjectText();
  const bool look_alike = value != nullptr && wanted == DescribeObject(value);
  return Expected(wanted, value) + (look_alike ? " (another object)" : "");
}

std::string GuardCheck<GuardKind::kNotSame>::Explain(const Guard& guard, BorrowedRef value) {
  return Expected(absl::StrCat("an object other than ", guard.ObjectText()), value);
}

}  // namespace dynacc
