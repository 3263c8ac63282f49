#include "embed/host/object_handle.h"

#include "embed/host/call_gate.h"
#include "embed/host/python_scope.h"

namespace dynacc {

std::shared_ptr<void> Share(Ref object) {
  return std::shared_ptr<void>(object.Release(), [](void* pointer) {
    // The interpreter outlives every Runtime, so this also holds for handles that are left over.
    if (TheCallGate().forked()) return;
    GilScope gil;
    Py_DECREF(static_cast<PyObject*>(pointer));
  });
}

Value::Value(const Function& value) : value_(ObjectAccess::AsObject(value)) {}

}  // namespace dynacc
