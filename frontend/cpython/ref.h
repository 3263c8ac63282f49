// Ref and BorrowedRef: who owns a Python reference is said by the type, never by a comment.
//
//   Ref            owns one reference; moves, drops it on destruction. Needs the GIL to drop.
//   BorrowedRef    owns nothing; somebody else keeps the object alive for its extent.
#pragma once

#include <Python.h>

#include <utility>

namespace dynacc {

using BorrowedRef = PyObject*;

class Ref {
 public:
  Ref() = default;
  // Takes over a reference that the caller owns (the result of PyObject_Call and the like).
  static Ref Steal(PyObject* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  // Takes a reference of its own. `object` may be null.
  static Ref New(PyObject* object) {
    Py_XINCREF(object);
    return Steal(object);
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    Ref dropped = Steal(std::exchange(object_, std::exchange(other.object_, nullptr)));
    return *this;
  }
  Ref(const Ref& other) : object_(other.object_) { Py_XINCREF(object_); }
  Ref& operator=(const Ref& other) { return *this = New(other.object_); }
  ~Ref() { Py_XDECREF(object_); }

  BorrowedRef get() const { return object_; }
  PyObject* Release() { return std::exchange(object_, nullptr); }  // the caller owns it now
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace dynacc
