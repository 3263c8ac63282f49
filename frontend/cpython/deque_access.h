// collections.deque, which has no C API: read without calling its methods.
#pragma once

#include <cstdint>

#include "frontend/cpython/ref.h"

namespace dynacc {

// The type; null before anything has imported it.
PyTypeObject* DequeType();

// Whether `object` is a deque and not of a subclass.
inline bool IsDeque(BorrowedRef object) { return Py_TYPE(object) == DequeType(); }

// Of a deque: its number of items, and maxlen (-1 for None).
inline int64_t DequeLength(BorrowedRef deque) { return Py_SIZE(deque); }
int64_t DequeBound(BorrowedRef deque);

// Item `index`, counted from the left; null if there is none.
BorrowedRef DequeItem(BorrowedRef deque, int64_t index);

}  // namespace dynacc
