// Names of keywords and attributes that a program computes, as C strings carry them.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "frontend/cpython/ref.h"

namespace dynacc::tracer {

// The UTF-8 of a str. GraphBreak for one that no C string can stand for: with a NUL or a lone
// surrogate, which only names in a `**mapping` or given to getattr() have.
absl::StatusOr<std::string> NameText(BorrowedRef name);

}  // namespace dynacc::tracer
