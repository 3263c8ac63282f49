#include "frontend/tensor/buffer.h"

#include "frontend/tensor/tensor_object.h"

namespace dynacc::tensor {
namespace {

// The elements in the notation of the struct module; complex numbers as NumPy writes them. Null for
// low-precision floats, which have none.
const char* FormatOf(DType dtype) {
  static constexpr struct {
    DType dtype;
    const char* format;
  } kFormats[] = {
      {DType::kBool, "?"},       {DType::kInt8, "b"},        {DType::kInt16, "h"},
      {DType::kInt32, "i"},      {DType::kInt64, "l"},       {DType::kUInt8, "B"},
      {DType::kUInt16, "H"},     {DType::kUInt32, "I"},      {DType::kUInt64, "L"},
      {DType::kFloat16, "e"},    {DType::kFloat32, "f"},     {DType::kFloat64, "d"},
      {DType::kComplex64, "Zf"}, {DType::kComplex128, "Zd"},
  };
  for (const auto& row : kFormats) {
    if (row.dtype == dtype) return row.format;
  }
  return nullptr;
}

// Whether the elements lie in Fortran order without gaps.
bool IsFortranOrder(TensorObject* tensor) {
  int64_t expected = ItemSize(tensor->dtype);
  for (int i = 0; i < tensor->rank(); ++i) {
    if (tensor->shape()[i] == 0) return true;
    if (tensor->shape()[i] != 1 && tensor->strides()[i] != expected) return false;
    expected *= tensor->shape()[i];
  }
  return true;
}

// What stands against such a request, or null.
const char* Objection(TensorObject* tensor, int flags) {
  const auto asks = [flags](int what) { return (flags & what) == what; };
  if (FormatOf(tensor->dtype) == nullptr) return "buffers have no such elements";
  if (asks(PyBUF_WRITABLE) && tensor->read_only) return "the tensor is read-only";
  if (asks(PyBUF_F_CONTIGUOUS)) return IsFortranOrder(tensor) ? nullptr : "not in Fortran order";
  if (asks(PyBUF_ANY_CONTIGUOUS)) {
    return tensor->contiguous || IsFortranOrder(tensor) ? nullptr : "not contiguous";
  }
  if (asks(PyBUF_C_CONTIGUOUS) || !asks(PyBUF_STRIDES)) {
    return tensor->contiguous ? nullptr : "not in C order";
  }
  return nullptr;
}

}  // namespace

int FillBuffer(PyObject* self, Py_buffer* buffer, int flags) {
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  TensorObject* tensor = AsTensor(self);
  buffer->obj = nullptr;
  const char* const objection = Objection(tensor, flags);
  if (objection != nullptr) {
    PyErr_Format(PyExc_BufferError, "no such buffer of this tensor: %s", objection);
    return -1;
  }
  const auto asks = [flags](int what) { return (flags & what) == what; };
  buffer->buf = tensor->data;
  buffer->itemsize = ItemSize(tensor->dtype);
  buffer->len = tensor->size() * buffer->itemsize;
  buffer->readonly = tensor->read_only;
  buffer->ndim = tensor->rank();
  buffer->format = asks(PyBUF_FORMAT) ? const_cast<char*>(FormatOf(tensor->dtype)) : nullptr;
  buffer->shape = asks(PyBUF_ND) ? reinterpret_cast<Py_ssize_t*>(tensor->shape()) : nullptr;
  buffer->strides =
      asks(PyBUF_STRIDES) ? reinterpret_cast<Py_ssize_t*>(tensor->strides()) : nullptr;
  buffer->suboffsets = nullptr;
  buffer->internal = nullptr;
  buffer->obj = Py_NewRef(self);
  return 0;
}

}  // namespace dynacc::tensor
