#include "frontend/numpy/capi/array_runtime.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/error_mask.h"
#include "frontend/numpy/capi/error_settings.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/capi/result_memory.h"
#include "runtime/executor/compiled_graph.h"

namespace dynacc::numpy {
namespace {

// NumPy's name of each category's place in the error mask, and our flag.
constexpr std::pair<int, FpFlag> kFpCategories[] = {
    {kShiftDivideByZero, kFpDivide},
    {kShiftOverflow, kFpOverflow},
    {kShiftUnderflow, kFpUnderflow},
    {kShiftInvalid, kFpInvalid},
};
constexpr int kFpCategoryMask = 7;  // three bits a category, 0 is "ignore"

// NPY_ARRAY_WARN_ON_WRITE, which NumPy's headers keep to themselves: results of broadcast_arrays.
constexpr int kWarnOnWrite = 1 << 31;

static_assert(sizeof(npy_intp) == sizeof(int64_t), "sizes and strides are passed on as they are");

PyObject* NewFromView(const StridedView& view, char* data, int flags) {
  PyArray_Descr* descr = Descr(view.dtype);
  Py_INCREF(descr);  // PyArray_NewFromDescr takes it
  return PyArray_NewFromDescr(
      &PyArray_Type, descr, view.rank, reinterpret_cast<const npy_intp*>(view.shape),
      reinterpret_cast<const npy_intp*>(view.strides), data, flags, nullptr);
}

}  // namespace

bool IsNumpyArray(BorrowedRef object) {
  if (!PyArray_CheckExact(object)) return false;
  PyArrayObject* array = AsArray(object);
  return PyArray_NDIM(array) <= kMaxRank && PyArray_ISALIGNED(array) &&
         FromDescr(PyArray_DESCR(array)).has_value();
}

bool IsNumpyScalar(BorrowedRef object) { return FromScalar(object).has_value(); }

bool IsWritable(BorrowedRef array) {
  const int flags = PyArray_FLAGS(AsArray(array));
  return (flags & NPY_ARRAY_WRITEABLE) != 0 && (flags & kWarnOnWrite) == 0;
}

void ReadNumpy(BorrowedRef object, StridedView* view, void* storage) {
  if (!PyArray_CheckExact(object)) {
    view->dtype = *FromScalar(object);
    view->rank = 0;
    view->data = static_cast<char*>(storage);
    PyArray_ScalarAsCtype(object, storage);
    return;
  }
  PyArrayObject* array = AsArray(object);
  view->dtype = *FromTypeNum(PyArray_TYPE(array));
  view->rank = PyArray_NDIM(array);
  view->data = PyArray_BYTES(array);
  std::copy_n(PyArray_DIMS(array), view->rank, view->shape);
  std::copy_n(PyArray_STRIDES(array), view->rank, view->strides);
}

PyObject* NewNumpyArray(StridedView& view, bool keeps_memory) {
  if (keeps_memory || view.size() * ItemSize(view.dtype) >= kLargeResultBytes) {
    return NewKeptArray(view);
  }
  // With strides but no data NumPy allocates size() elements, which dense strides just cover.
  PyObject* array = NewFromView(view, nullptr, 0);
  if (array != nullptr) view.data = PyArray_BYTES(AsArray(array));
  return array;
}

PyObject* NewNumpyScalar(const StridedView& view) {
  return PyArray_Scalar(view.data, Descr(view.dtype), nullptr);
}

PyObject* NewNumpyView(BorrowedRef base, const StridedView& view) {
  const int writeable = PyArray_FLAGS(AsArray(base)) & NPY_ARRAY_WRITEABLE;
  Ref array = Ref::Steal(NewFromView(view, view.data, writeable));
  if (!array) return nullptr;
  Py_INCREF(base);  // PyArray_SetBaseObject takes it, also when it fails
  if (PyArray_SetBaseObject(AsArray(array.get()), base) < 0) return nullptr;
  return array.Release();
}

uint32_t NumpyReportedFpFlags() {
  const std::optional<ErrorSettings> settings = ReadErrorSettings();
  return settings ? ReportedByMask(settings->mask) : kAllFpFlags;
}

int NumpyErrorMask() {
  const std::optional<ErrorSettings> settings = ReadErrorSettings();
  return settings ? settings->mask : -1;
}

uint32_t ReportedByMask(int mask) {
  uint32_t flags = 0;
  for (const auto& [shift, flag] : kFpCategories) {
    if (((mask >> shift) & kFpCategoryMask) != kErrIgnore) flags |= flag;
  }
  return flags;
}

int CallingMask(uint32_t flags) {
  int mask = 0;
  for (const auto& [shift, flag] : kFpCategories) {
    mask |= ((flags & flag) != 0 ? kErrCall : kErrIgnore) << shift;
  }
  return mask;
}

bool HasUsualNumpyBuffers() {
  const std::optional<ErrorSettings> settings = ReadErrorSettings();
  return settings && settings->buffer_size == NPY_BUFSIZE;
}

}  // namespace dynacc::numpy
