// A short text for any object, for logs and explanations, made without running Python code.
#pragma once

#include <string>

#include "frontend/cpython/ref.h"

namespace dynacc {

// "None", "int 3", "str 'ab'", "module numpy", "type Foo", "function f", "Foo object",
// "nothing" for null. Long texts are cut. Sets no exception.
std::string DescribeObject(BorrowedRef object);

// The name of the object's type; "nothing" for null.
std::string TypeName(BorrowedRef object);

// The characters of a str; "?" if it has no UTF-8 form.
std::string StrText(BorrowedRef str);

}  // namespace dynacc
