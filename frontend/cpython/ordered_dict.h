// collections.OrderedDict: the order of its keys, which its dict does not have, read without
// calling its methods.
#pragma once

#include <Python.h>

#include <cstddef>

#include "frontend/cpython/ref.h"

namespace dynacc {

// Whether `object` is an OrderedDict and not of a subclass.
inline bool IsOrderedDict(BorrowedRef object) { return Py_IS_TYPE(object, &PyODict_Type); }

// Goes through the keys of an OrderedDict, which must not change meanwhile. Needs the GIL.
class OrderedKeys {
 public:
  explicit OrderedKeys(BorrowedRef ordered_dict);
  // The next key, borrowed; null at the end.
  BorrowedRef Next();

 private:
  const void* node_;
};

}  // namespace dynacc
