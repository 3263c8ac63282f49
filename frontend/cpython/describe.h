// A short text for any object, for logs and explanations, made without running Python code.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

// "None", "int 3", "str 'ab'", "module numpy", "type Foo", "function f", "Foo object",
// "nothing" for null. Long texts are cut. Sets no exception.
std::string DescribeObject(BorrowedRef object);

// The name of the object's type; "nothing" for null.
std::string TypeName(BorrowedRef object);

// The characters of a str, which keeps them; "?" if it has no UTF-8 form. Sets no exception.
absl::string_view StrView(BorrowedRef str);
inline std::string StrText(BorrowedRef str) { return std::string(StrView(str)); }

}  // namespace dynacc
