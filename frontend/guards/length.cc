#include "frontend/guards/length.h"

#include "absl/strings/str_cat.h"

namespace dynacc {
namespace {

// The number of items of an exact builtin container; -1 for anything else.
Py_ssize_t LengthOf(BorrowedRef value) {
  if (value == nullptr) return -1;
  if (PyTuple_CheckExact(value) || PyList_CheckExact(value)) return Py_SIZE(value);
  if (IsDeque(value)) return DequeLength(value);
  return PyDict_CheckExact(value) ? PyDict_GET_SIZE(value) : -1;
}

}  // namespace

std::string ExplainLength(const char* container, const Guard& guard, BorrowedRef value) {
  std::string text = Expected(absl::StrCat("a ", container, " of length ", guard.a), value);
  const Py_ssize_t length = LengthOf(value);
  if (length >= 0) absl::StrAppend(&text, " of length ", length);
  return text;
}

}  // namespace dynacc
