// LooseRef: what captured code refers to without keeping it.
//
// Entries belong to code objects, where the garbage collector sees nothing of them. If one kept the
// functions, classes and modules that it was made for, a function whose entries lead back to itself
// (by way of the globals of another function, say) would stay for ever, with its module: a program
// that loads its code anew would grow. So such objects are referred to weakly, and what needs one
// that is gone does not hold any more. An address that is used again is never mistaken for it, as
// CPython empties an object's weak references before its memory is free.
//
// Objects of all other types (numbers, texts, tuples, what belongs to an extension module) are
// kept.
#pragma once

#include <Python.h>

#include <utility>

#include "frontend/cpython/ref.h"

namespace dynacc {

// The object that the weak reference `weak` is to; null once it is gone. Borrowed.
inline BorrowedRef ReferentOf(BorrowedRef weak) {
  BorrowedRef object = reinterpret_cast<PyWeakReference*>(weak)->wr_object;
  return object == Py_None ? nullptr : object;
}

// A weak reference to `object` if it is of a type that LooseRef refers to weakly; else empty. Sets
// no exception; without memory it is empty, too.
Ref WeakRefTo(BorrowedRef object);

class LooseRef {
 public:
  LooseRef() = default;
  // To an object that the caller owns; an empty Ref gives an empty LooseRef.
  LooseRef(Ref object);  // NOLINT(google-explicit-constructor): where a Ref is given away

  // Null if it is empty, or its object is gone.
  BorrowedRef get() const { return is_weak_ ? ReferentOf(holder_.get()) : holder_.get(); }
  explicit operator bool() const { return get() != nullptr; }
  bool is_gone() const { return is_weak_ && get() == nullptr; }

  // Where get()'s object is written as long as it lives; null if the object is kept. Valid as long
  // as one copy of this.
  PyObject* const* place() const {
    if (!is_weak_) return nullptr;
    return &reinterpret_cast<PyWeakReference*>(holder_.get())->wr_object;
  }

 private:
  Ref holder_;  // the object, or the weak reference to it
  bool is_weak_ = false;
};

}  // namespace dynacc
