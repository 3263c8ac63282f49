// Handles: how the host's classes own Python objects.
#pragma once

#include <Python.h>

#include <memory>

#include "embed/include/dynacc/module.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

// Shared ownership of a Python object by code without the GIL; the last owner takes it to let go.
// Needs the GIL.
std::shared_ptr<void> Share(Ref object);

// The handle inside the host's classes, which keep it private.
class ObjectAccess {
 public:
  // Of a function, with counters at zero.
  static Function MakeFunction(Ref object);
  template <typename T>
  static T Make(Ref object) {
    T holder;
    holder.handle_ = Share(std::move(object));
    return holder;
  }
  // Null for a default-made holder.
  template <typename T>
  static BorrowedRef Get(const T& holder) {
    return static_cast<PyObject*>(holder.handle_.get());
  }
  static Object AsObject(const Function& function) {
    Object object;
    object.handle_ = function.handle_;
    return object;
  }
};

}  // namespace dynacc
