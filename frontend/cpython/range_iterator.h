// What a range_iterator of CPython has still to give, and how to move it on without running it.
#pragma once

#include <Python.h>

#include <cstdint>

#include "frontend/cpython/ref.h"

namespace dynacc {

struct RangeRest {
  int64_t next;
  int64_t step;
  int64_t rounds;  // values left
};

namespace range_iterator_internal {

struct RangeIterator {  // rangeiterobject of CPython 3.11's Objects/rangeobject.c
  PyObject ob_base;
  long index;
  long start;
  long step;
  long length;
};

inline RangeIterator* Of(BorrowedRef iterator) {
  return reinterpret_cast<RangeIterator*>(iterator);
}

}  // namespace range_iterator_internal

// Ranges beyond a C long have iterators of another type.
inline bool IsRangeIterator(BorrowedRef object) { return Py_TYPE(object) == &PyRangeIter_Type; }

inline RangeRest RestOfRange(BorrowedRef iterator) {
  const auto* range = range_iterator_internal::Of(iterator);
  // Past the last value there may be no long.
  const uint64_t next = static_cast<uint64_t>(range->start) +
                        static_cast<uint64_t>(range->index) * static_cast<uint64_t>(range->step);
  return {static_cast<int64_t>(next), range->step, range->length - range->index};
}

// Leaves `rounds` values in the iterator, no more than it has.
inline void LeaveInRange(BorrowedRef iterator, int64_t rounds) {
  auto* range = range_iterator_internal::Of(iterator);
  range->index = range->length - rounds;
}

}  // namespace dynacc
