#include "frontend/tensor/subscript.h"

#include "frontend/tensor/constant.h"
#include "frontend/tensor/device_tensor.h"
#include "frontend/tensor/dtype_object.h"
#include "frontend/tensor/elementwise.h"
#include "frontend/tensor/numbers.h"
#include "frontend/tensor/python_part.h"
#include "frontend/tensor/tensor_object.h"

namespace dynacc::tensor {
namespace {

// A view being made: the axes of the tensor are taken from the first to the last.
struct Selection {
  TensorObject* tensor;
  char* data;
  int axis = 0;  // the next axis of the tensor
  int rank = 0;
  int64_t shape[2 * kMaxTensorRank];
  int64_t strides[2 * kMaxTensorRank];
};

// Part of a key that gives a view: no tensor, list or anything else.
bool IsBasic(BorrowedRef item) {
  if (IsAnyTensor(item) || PyBool_Check(item)) return false;
  // Every ndarray has __index__, for those of a single integer. It has a length as no integer has.
  const PyMappingMethods* const mapping = Py_TYPE(item)->tp_as_mapping;
  if (mapping != nullptr && mapping->mp_length != nullptr) return false;
  return item == Py_Ellipsis || item == Py_None || PySlice_Check(item) || PyIndex_Check(item);
}

bool PushAxis(Selection& selection, int64_t size, int64_t stride) {
  if (selection.rank == kMaxTensorRank) {
    PyErr_Format(PyExc_IndexError, "a tensor has at most %d dimensions", kMaxTensorRank);
    return false;
  }
  selection.shape[selection.rank] = size;
  selection.strides[selection.rank++] = stride;
  return true;
}

bool TakeIndex(Selection& selection, BorrowedRef item) {
  const Py_ssize_t index = PyNumber_AsSsize_t(item, PyExc_IndexError);
  if (index == -1 && PyErr_Occurred()) return false;
  const int axis = selection.axis++;
  const int64_t size = selection.tensor->shape()[axis];
  if (index < -size || index >= size) {
    PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis %d with size %lld", index,
                 axis, static_cast<long long>(size));
    return false;
  }
  selection.data += (index < 0 ? index + size : index) * selection.tensor->strides()[axis];
  return true;
}

bool TakeSlice(Selection& selection, BorrowedRef item) {
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(item, &start, &stop, &step) < 0) return false;
  const int axis = selection.axis++;
  const int64_t size = selection.tensor->shape()[axis];
  const int64_t stride = selection.tensor->strides()[axis];
  const Py_ssize_t count = PySlice_AdjustIndices(size, &start, &stop, step);
  if (count > 0) selection.data += start * stride;
  return PushAxis(selection, count, stride * step);
}

bool TakeWhole(Selection& selection, int axes) {
  for (int i = 0; i < axes; ++i) {
    const int axis = selection.axis++;
    if (!PushAxis(selection, selection.tensor->shape()[axis], selection.tensor->strides()[axis])) {
      return false;
    }
  }
  return true;
}

bool TakeItem(Selection& selection, BorrowedRef item, int ellipsis_axes) {
  if (item == Py_None) return PushAxis(selection, 1, 0);
  if (item == Py_Ellipsis) return TakeWhole(selection, ellipsis_axes);
  return PySlice_Check(item) ? TakeSlice(selection, item) : TakeIndex(selection, item);
}

// The axes that the key leaves to an ellipsis; -1 with an exception set.
int EllipsisAxes(TensorObject* tensor, absl::Span<const BorrowedRef> key) {
  int named = 0;
  int ellipses = 0;
  for (const BorrowedRef item : key) {
    ellipses += item == Py_Ellipsis;
    named += item != Py_Ellipsis && item != Py_None;
  }
  if (ellipses > 1) {
    PyErr_SetString(PyExc_IndexError, "an index can only have a single ellipsis ('...')");
    return -1;
  }
  if (named <= tensor->rank()) return tensor->rank() - named;
  PyErr_Format(PyExc_IndexError,
               "too many indices for tensor: tensor is %d-dimensional, but %d were indexed",
               tensor->rank(), named);
  return -1;
}

Ref BasicView(TensorObject* tensor, absl::Span<const BorrowedRef> key) {
  const int ellipsis_axes = EllipsisAxes(tensor, key);
  if (ellipsis_axes < 0) return Ref();
  Selection selection;
  selection.tensor = tensor;
  selection.data = tensor->data;
  for (const BorrowedRef item : key) {
    if (!TakeItem(selection, item, ellipsis_axes)) return Ref();
  }
  if (!TakeWhole(selection, tensor->rank() - selection.axis)) return Ref();
  const auto rank = static_cast<size_t>(selection.rank);
  return NewTensorView(tensor, selection.data, tensor->dtype, {selection.shape, rank},
                       {selection.strides, rank});
}

absl::Span<const BorrowedRef> ItemsOf(PyObject*& key) {
  if (!PyTuple_CheckExact(key)) return {&key, 1};
  return {&PyTuple_GET_ITEM(key, 0), static_cast<size_t>(PyTuple_GET_SIZE(key))};
}

bool AllBasic(absl::Span<const BorrowedRef> key) {
  for (const BorrowedRef item : key) {
    if (!IsBasic(item)) return false;
  }
  return true;
}

bool StoreNumberInto(TensorObject* target, PyObject* value, NumberKind kind) {
  if (kind == NumberKind::kComplex && !IsComplex(target->dtype)) {
    PyErr_Format(PyExc_TypeError, "a complex number cannot be stored in a tensor of %s",
                 DTypeName(target->dtype));
    return false;
  }
  alignas(Complex128) char element[kMaxItemSize];
  if (!StoreNumber(value, kind, target->dtype, element)) return false;
  FillWith(target, element);
  return !PyErr_Occurred();
}

// Leading axes of size 1 beyond the target's rank do not count, as in NumPy.
Ref WithoutLeadingOnes(TensorObject* value, int rank) {
  size_t extra = 0;
  while (value->rank() - static_cast<int>(extra) > rank && value->shape()[extra] == 1) ++extra;
  if (extra == 0) return Ref::New(reinterpret_cast<PyObject*>(value));
  const auto left = static_cast<size_t>(value->rank()) - extra;
  return NewTensorView(value, value->data, value->dtype, {value->shape() + extra, left},
                       {value->strides() + extra, left});
}

bool StoreTensorInto(TensorObject* target, TensorObject* value) {
  if (IsComplex(value->dtype) && !IsComplex(target->dtype)) {
    PyErr_Format(PyExc_TypeError, "%s cannot be stored in a tensor of %s", DTypeName(value->dtype),
                 DTypeName(target->dtype));
    return false;
  }
  Ref fitting = WithoutLeadingOnes(value, target->rank());
  return fitting && CopyInto(target, AsTensor(fitting));
}

}  // namespace

PyObject* TensorSubscript(PyObject* self, PyObject* key) {
  const absl::Span<const BorrowedRef> items = ItemsOf(key);
  if (AllBasic(items)) return BasicView(AsTensor(self), items).Release();
  return CallPythonPart("getitem", {self, key}).Release();
}

int TensorStoreSubscript(PyObject* self, PyObject* key, PyObject* value) {
  if (value == nullptr) {
    PyErr_SetString(PyExc_TypeError, "elements of a tensor cannot be deleted");
    return -1;
  }
  if (!RequireWritable(AsTensor(self))) return -1;
  const absl::Span<const BorrowedRef> items = ItemsOf(key);
  const std::optional<NumberKind> kind = KindOfNumber(value);
  const bool on_device = IsDeviceTensor(self) || IsDeviceTensor(value);
  if (on_device && AllBasic(items)) {
    Ref target = BasicView(AsTensor(self), items);
    return target && CallPythonPart("assign", {target.get(), value}) ? 0 : -1;
  }
  if (!AllBasic(items) || (!kind && !IsTensor(value))) {
    return CallPythonPart("setitem", {self, key, value}) ? 0 : -1;
  }
  Ref target = BasicView(AsTensor(self), items);
  if (!target) return -1;
  const bool stored = kind ? StoreNumberInto(AsTensor(target), value, *kind)
                           : StoreTensorInto(AsTensor(target), AsTensor(value));
  return stored ? 0 : -1;
}

PyObject* TensorItem(PyObject* self, Py_ssize_t index) {
  TensorObject* tensor = AsTensor(self);
  if (index < 0 || tensor->rank() == 0 || index >= tensor->shape()[0]) {
    PyErr_SetString(PyExc_IndexError, "tensor index out of range");
    return nullptr;
  }
  const auto rank = static_cast<size_t>(tensor->rank()) - 1;
  return NewTensorView(tensor, tensor->data + index * tensor->strides()[0], tensor->dtype,
                       {tensor->shape() + 1, rank}, {tensor->strides() + 1, rank})
      .Release();
}

}  // namespace dynacc::tensor
