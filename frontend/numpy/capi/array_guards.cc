#include "frontend/numpy/capi/array_guards.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "frontend/guards/array_checks.h"
#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/scalar_class.h"

namespace dynacc::numpy {
namespace {

bool CheckArray(BorrowedRef value, DType dtype, int rank) {
  if (!PyArray_CheckExact(value)) return false;
  PyArrayObject* array = AsArray(value);
  if (PyArray_NDIM(array) != rank || !PyArray_ISALIGNED(array)) return false;
  const PyArray_Descr* descr = PyArray_DESCR(array);
  return descr == Descr(dtype) || FromDescr(descr) == dtype;
}

bool CheckScalar(BorrowedRef value, DType dtype) {
  return Py_TYPE(value) == ScalarTypeObject(dtype);
}

int64_t Dim(BorrowedRef value, int axis) {
  if (!PyArray_CheckExact(value) || axis >= PyArray_NDIM(AsArray(value))) return -1;
  return PyArray_DIM(AsArray(value), axis);
}

bool IsContiguous(BorrowedRef value) {
  return PyArray_CheckExact(value) && PyArray_IS_C_CONTIGUOUS(AsArray(value));
}

bool IsWritableArray(BorrowedRef value) { return PyArray_CheckExact(value) && IsWritable(value); }

// All of the header, from its type to its flags and what lies behind them in the last word: its
// parts are compared faster at once than one by one. A descriptor that NumPy shares is for good;
// that of another array may have another at its address.
//
// Another object may be at the array's address by then, and be shorter. What lies behind it in its
// page can be read all the same.
bool ReadArray(BorrowedRef value, ReadSet& reads) {
  if (!PyArray_CheckExact(value)) {
    ReadType(value, reads);
    return true;
  }
  const auto* array = reinterpret_cast<const PyArrayObject_fields*>(value);
  const auto dtype = FromDescr(array->descr);
  if (!dtype || array->descr != Descr(*dtype)) return false;
  const char* const header = reinterpret_cast<const char*>(&value->ob_type);
  constexpr size_t kBytes =
      offsetof(PyArrayObject_fields, weakreflist) - offsetof(PyObject, ob_type);
  constexpr uintptr_t kPage = 4096;
  const bool is_in_page = reinterpret_cast<uintptr_t>(header) % kPage + kBytes <= kPage;
  if (!is_in_page) ReadType(value, reads);
  reads.Add(header, kBytes);
  reads.Add(array->dimensions, array->nd * sizeof(npy_intp));
  return true;
}

std::string Describe(BorrowedRef value) {
  if (const auto dtype = FromScalar(value)) return absl::StrCat("numpy scalar ", Info(*dtype).text);
  if (!PyArray_CheckExact(value)) return "";
  PyArrayObject* array = AsArray(value);
  const PyArray_Descr* descr = PyArray_DESCR(array);
  const auto dtype = FromDescr(descr);
  const absl::Span<const npy_intp> shape(PyArray_DIMS(array), PyArray_NDIM(array));
  const std::string other = absl::StrCat("other (", std::string(1, descr->type), ")");
  return absl::StrCat(dtype ? std::string(Info(*dtype).text) : other, " array of rank ",
                      shape.size(), ", shape (", absl::StrJoin(shape, ", "), ")",
                      PyArray_ISALIGNED(array) ? "" : ", not aligned");
}

constexpr guards::ArrayChecks kChecks = {
    .check_array = CheckArray,
    .check_tensor = [](BorrowedRef, DType, int) { return false; },  // NumPy has none
    .check_scalar = CheckScalar,
    .read_array = ReadArray,
    .dim = Dim,
    .is_contiguous = IsContiguous,
    .is_writable = IsWritableArray,
    .scalar_class = ScalarClassOf,
    .error_state = NumpyErrorMask,
    .device_of = [](BorrowedRef) { return 0; },
    .describe = Describe,
};

}  // namespace

void RegisterNumpyGuards() { guards::RegisterArrayChecks(&kChecks); }

}  // namespace dynacc::numpy
