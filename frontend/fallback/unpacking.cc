// UNPACK_SEQUENCE and UNPACK_EX: CPython's unpack_iterable.
#include <vector>

#include "frontend/cpython/private_api.h"
#include "frontend/fallback/step.h"

namespace dynacc::fallback {
namespace {

constexpr int kNoStar = -1;

Ref IteratorOf(BorrowedRef value) {
  Ref iterator = Ref::Steal(PyObject_GetIter(value));
  PyTypeObject* type = Py_TYPE(value);
  if (!iterator && PyErr_ExceptionMatches(PyExc_TypeError) && type->tp_iter == nullptr &&
      !PySequence_Check(value))
    PyErr_Format(PyExc_TypeError, "cannot unpack non-iterable %.200s object", type->tp_name);
  return iterator;
}

bool TakeItems(BorrowedRef iterator, int before, int after, std::vector<Ref>* items) {
  for (int i = 0; i < before; ++i) {
    Ref item = Ref::Steal(PyIter_Next(iterator));
    if (!item && PyErr_Occurred()) return false;
    if (!item && after == kNoStar) {
      PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected %d, got %d)", before,
                   i);
      return false;
    }
    if (!item) {
      PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected at least %d, got %d)",
                   before + after, i);
      return false;
    }
    items->push_back(std::move(item));
  }
  return true;
}

void RaiseTooMany(BorrowedRef value, int expected) {
  const bool has_size =
      PyTuple_CheckExact(value) || PyList_CheckExact(value) || PyDict_CheckExact(value);
  const Py_ssize_t size = has_size && UnpackingTellsSizes() ? PyObject_Size(value) : 0;
  if (size > expected) {
    PyErr_Format(PyExc_ValueError, "too many values to unpack (expected %d, got %zd)", expected,
                 size);
  } else {
    PyErr_Format(PyExc_ValueError, "too many values to unpack (expected %d)", expected);
  }
}

bool IsExhausted(BorrowedRef value, BorrowedRef iterator, int expected) {
  Ref surplus = Ref::Steal(PyIter_Next(iterator));
  if (surplus) RaiseTooMany(value, expected);
  return !surplus && !PyErr_Occurred();
}

// The starred name's list, then the names after it.
bool TakeRest(BorrowedRef iterator, int before, int after, std::vector<Ref>* items) {
  Ref rest = Ref::Steal(PySequence_List(iterator));
  if (!rest) return false;
  const Py_ssize_t size = PyList_GET_SIZE(rest.get());
  if (size < after) {
    PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected at least %d, got %zd)",
                 before + after, before + size);
    return false;
  }
  items->push_back(rest);
  for (Py_ssize_t i = size - after; i < size; ++i)
    items->push_back(Ref::New(PyList_GET_ITEM(rest.get(), i)));
  return PyList_SetSlice(rest.get(), size - after, size, nullptr) == 0;
}

// Pushes the items so that the first is on top.
StepOutcome Unpack(Step& step, int before, int after) {
  Ref value = step.frame.Pop();
  Ref iterator = IteratorOf(value.get());
  std::vector<Ref> items;
  if (!iterator || !TakeItems(iterator.get(), before, after, &items)) return StepOutcome::kRaised;
  const bool complete = after == kNoStar ? IsExhausted(value.get(), iterator.get(), before)
                                         : TakeRest(iterator.get(), before, after, &items);
  if (!complete) return StepOutcome::kRaised;
  for (size_t i = items.size(); i-- > 0;) step.frame.Push(std::move(items[i]));
  return StepOutcome::kNext;
}

// Exact tuples and lists of the right size are read directly, without an iterator.
StepOutcome UnpackSequence(Step& step) {
  const BorrowedRef sequence = step.frame.Peek(0);
  const bool direct = PyTuple_CheckExact(sequence) || PyList_CheckExact(sequence);
  if (!direct || PySequence_Fast_GET_SIZE(sequence) != step.arg())
    return Unpack(step, step.arg(), kNoStar);
  Ref held = step.frame.Pop();
  for (int i = step.arg(); i-- > 0;)
    step.frame.Push(Ref::New(PySequence_Fast_GET_ITEM(held.get(), i)));
  return StepOutcome::kNext;
}

StepOutcome UnpackEx(Step& step) { return Unpack(step, step.arg() & 0xFF, step.arg() >> 8); }

constexpr StepRow kRows[] = {{UNPACK_SEQUENCE, UnpackSequence}, {UNPACK_EX, UnpackEx}};

}  // namespace

absl::Span<const StepRow> UnpackingSteps() { return kRows; }

}  // namespace dynacc::fallback
