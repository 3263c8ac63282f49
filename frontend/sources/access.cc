#include "frontend/sources/access.h"

#include <structmember.h>

namespace dynacc::access {

BorrowedRef Slot(BorrowedRef object, int64_t offset, BorrowedRef name, LookupCell& cell) {
  BorrowedRef descriptor = LookupInType(Py_TYPE(object), name, cell);
  if (descriptor == Unreadable()) return descriptor;
  if (descriptor == nullptr || Py_TYPE(descriptor) != &PyMemberDescr_Type) return nullptr;
  auto* member = reinterpret_cast<PyMemberDescrObject*>(descriptor);
  // The descriptor may have been moved here from a class that is laid out differently.
  const bool is_ours = PyType_IsSubtype(Py_TYPE(object), PyDescr_TYPE(descriptor)) != 0;
  const int kind = member->d_member->type;  // T_OBJECT: None stands for null
  if (!is_ours || (kind != T_OBJECT_EX && kind != T_OBJECT) || member->d_member->offset != offset) {
    return nullptr;
  }
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offset);
}

}  // namespace dynacc::access
