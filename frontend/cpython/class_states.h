// Which versions of a class (tp_version_tag) mean the same to what was captured.
//
// CPython gives a class a new version whenever an attribute of it changes, a counter of its
// instances too. Guards ask for a version because of the methods and descriptors that a class has;
// data that it holds they look at by itself. So where a store is known to have replaced nothing but
// plain data by plain data, the new version stands for the same state.
//
// All need the GIL.
#pragma once

#include <Python.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "frontend/cpython/ref.h"

namespace dynacc {

// The version that stands for all of one state: the first of them. 0 for 0.
uint32_t StateOfVersion(uint32_t version);

// Whether a class gives `value` as it is to whoever asks for it: its type is no descriptor's, and
// never becomes one's.
bool IsPlainData(BorrowedRef value);

// Whether cls.name is plain data that the class itself has, not a base of it, and a store of plain
// data there does no more than replace it.
bool HoldsPlainData(PyTypeObject* cls, BorrowedRef name);

// Stores into a class: constructed before the store of `value` under `name` in `owner` (any
// object), Keep called after it, if it went well.
class ClassStore {
 public:
  ClassStore(BorrowedRef owner, BorrowedRef name, BorrowedRef value);
  void Keep();

 private:
  // Classes that get a new version, with the state that they have.
  std::vector<std::pair<PyTypeObject*, uint32_t>> classes_;
};

}  // namespace dynacc
