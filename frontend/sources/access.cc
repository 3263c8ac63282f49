#include "frontend/sources/access.h"

#include <structmember.h>

namespace dynacc::sources::access {

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

BorrowedRef ItemAt(BorrowedRef sequence, const Source& source, const SourceRoots& roots) {
  if (!PyList_CheckExact(sequence) && !PyTuple_CheckExact(sequence)) return nullptr;
  BorrowedRef index = ResolveSource(*source.other, roots);
  if (index == nullptr || !PyLong_CheckExact(index)) return nullptr;
  int overflow = 0;
  const int64_t start = PyLong_AsLongLongAndOverflow(index, &overflow);
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(sequence);
  int64_t place;
  if (overflow != 0 || __builtin_add_overflow(start, source.index, &place)) return nullptr;
  if (place < 0) place += size;
  return place >= 0 && place < size ? PySequence_Fast_GET_ITEM(sequence, place) : nullptr;
}

}  // namespace dynacc::sources::access
