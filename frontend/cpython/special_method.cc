#include "frontend/cpython/special_method.h"

#include "frontend/cpython/layout.h"

// Python.h gives this name to the variant for _Py_Identifier unless Py_BUILD_CORE is set first.
#undef _PyObject_LookupSpecial
extern "C" PyObject* _PyObject_LookupSpecial(PyObject* object, PyObject* name);

namespace dynacc {

Ref LookupSpecialMethod(BorrowedRef object, BorrowedRef name) {
  return Ref::Steal(_PyObject_LookupSpecial(object, name));
}

}  // namespace dynacc
