#include "frontend/guards/type.h"

#include "absl/strings/str_cat.h"
#include "frontend/cpython/describe.h"

namespace dynacc {

namespace {

std::string ExpectedType(const Guard& guard, BorrowedRef value) {
  const std::string wanted = guard.ObjectText();
  std::string found = TypeName(value);
  if (wanted == absl::StrCat("type ", found)) found += " (another type of that name)";
  return absl::StrCat("expected ", wanted, ", found ", found);
}

}  // namespace

std::string GuardCheck<GuardKind::kTypeIs>::Explain(const Guard& guard, BorrowedRef value) {
  return ExpectedType(guard, value);
}

std::string GuardCheck<GuardKind::kTypeVersion>::Explain(const Guard& guard, BorrowedRef value) {
  if (value != nullptr && reinterpret_cast<PyObject*>(Py_TYPE(value)) == guard.object.get()) {
    return absl::StrCat("an attribute of type ", TypeName(value), " or of a base was changed");
  }
  return ExpectedType(guard, value);
}

std::string GuardCheck<GuardKind::kClassVersion>::Explain(const Guard&, BorrowedRef value) {
  if (value == nullptr || !PyType_Check(value)) return Expected("a class", value);
  return absl::StrCat("an attribute of ", DescribeObject(value), " or of a base was changed");
}

std::string GuardCheck<GuardKind::kTypeFlags>::Explain(const Guard&, BorrowedRef value) {
  if (value == nullptr) return Expected("a value", value);
  return absl::StrCat("type ", TypeName(value), " was registered as another kind of collection");
}

std::string GuardCheck<GuardKind::kAbstractClasses>::Explain(const Guard&, BorrowedRef) {
  return "a class was registered with an abstract one";
}

}  // namespace dynacc
