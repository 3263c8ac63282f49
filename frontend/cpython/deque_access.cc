#include "frontend/cpython/deque_access.h"

#include "runtime/base/check.h"

namespace dynacc {
namespace {

// The beginning of dequeobject of CPython's Modules/_collectionsmodule.c, the same in 3.11
// and 3.13.
struct DequeObject {
  PyVarObject head;
  void* left_block;
  void* right_block;
  Py_ssize_t left_index;
  Py_ssize_t right_index;
  size_t state;
  Py_ssize_t bound;
};

PyTypeObject* FindType() {
  Ref name = Ref::Steal(PyUnicode_FromString("_collections"));
  Ref module = name ? Ref::Steal(PyImport_GetModule(name.get())) : Ref();
  Ref type = module ? Ref::Steal(PyObject_GetAttrString(module.get(), "deque")) : Ref();
  PyErr_Clear();
  if (!type || !PyType_Check(type.get())) return nullptr;
  // A type of C code's: the same one for the interpreter's life, whatever the module's name holds
  // later.
  auto* found = reinterpret_cast<PyTypeObject*>(type.get());
  const bool is_it = PyType_HasFeature(found, Py_TPFLAGS_IMMUTABLETYPE) &&
                     found->tp_basicsize >= static_cast<Py_ssize_t>(sizeof(DequeObject));
  return is_it ? found : nullptr;
}

}  // namespace

PyTypeObject* DequeType() {
  static PyTypeObject* type = nullptr;
  if (type == nullptr) type = FindType();
  return type;
}

int64_t DequeBound(BorrowedRef deque) { return reinterpret_cast<DequeObject*>(deque)->bound; }

BorrowedRef DequeItem(BorrowedRef deque, int64_t index) {
  if (index < 0 || index >= DequeLength(deque)) return nullptr;
  PyObject* item = Py_TYPE(deque)->tp_as_sequence->sq_item(deque, index);
  if (item == nullptr) return PyErr_Clear(), nullptr;
  Py_DECREF(item);  // the deque holds it
  return item;
}

}  // namespace dynacc
