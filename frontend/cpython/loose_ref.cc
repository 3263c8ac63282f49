#include "frontend/cpython/loose_ref.h"

namespace dynacc {
namespace {

// What programs define, and with it all that its globals lead to. Static types are for ever.
bool IsDefinition(BorrowedRef object) {
  if (PyType_Check(object)) {
    return PyType_HasFeature(reinterpret_cast<PyTypeObject*>(object), Py_TPFLAGS_HEAPTYPE);
  }
  return PyFunction_Check(object) || PyCode_Check(object) || PyModule_Check(object);
}

}  // namespace

Ref WeakRefTo(BorrowedRef object) {
  if (!IsDefinition(object)) return {};
  Ref weak = Ref::Steal(PyWeakref_NewRef(object, nullptr));
  if (!weak) PyErr_Clear();
  return weak;
}

LooseRef::LooseRef(Ref object) {
  if (object) holder_ = WeakRefTo(object.get());
  is_weak_ = static_cast<bool>(holder_);
  if (!is_weak_) holder_ = std::move(object);
}

}  // namespace dynacc
