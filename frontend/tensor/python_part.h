// What the tensors' methods leave to Python: functions of the module dynacc._tensor_methods.
#pragma once

#include <initializer_list>

#include "frontend/cpython/ref.h"

namespace dynacc::tensor {

// dynacc._tensor_methods.<name>(*arguments). Null with an exception set.
Ref CallPythonPart(const char* name, std::initializer_list<BorrowedRef> arguments);

// The same with a call's own arguments.
Ref CallPythonPart(const char* name, BorrowedRef self, PyObject* const* arguments, Py_ssize_t count,
                   BorrowedRef keyword_names);

}  // namespace dynacc::tensor
