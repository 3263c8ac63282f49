#include "frontend/guards/check.h"

#include "absl/strings/str_cat.h"
#include "frontend/cpython/describe.h"
#include "frontend/guards/array_checks.h"

namespace dynacc {

std::string Expected(const std::string& what, BorrowedRef value) {
  std::string found = value == nullptr ? "" : RegisteredArrayChecks().describe(value);
  if (found.empty()) found = DescribeObject(value);
  return absl::StrCat("expected ", what, ", found ", found);
}

}  // namespace dynacc
