#include "frontend/numpy/capi/scalar_class.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

#include "frontend/numpy/capi/array_runtime.h"

namespace dynacc::numpy {
namespace {

constexpr ScalarClassRange Ints(int64_t lo, int64_t hi) { return {{.i = lo}, {.i = hi}}; }
constexpr ScalarClassRange Floats(double lo, double hi) { return {{.f = lo}, {.f = hi}}; }

// Limits of the signed dtypes below zero; of the signed and the unsigned ones above.
constexpr ScalarClassRange kIntClasses[] = {
    Ints(INT64_MIN, int64_t{INT32_MIN} - 1),
    Ints(INT32_MIN, INT16_MIN - 1),
    Ints(INT16_MIN, INT8_MIN - 1),
    Ints(INT8_MIN, -1),
    Ints(0, INT8_MAX),
    Ints(INT8_MAX + 1, UINT8_MAX),
    Ints(UINT8_MAX + 1, INT16_MAX),
    Ints(INT16_MAX + 1, UINT16_MAX),
    Ints(UINT16_MAX + 1, INT32_MAX),
    Ints(int64_t{INT32_MAX} + 1, UINT32_MAX),
    Ints(int64_t{UINT32_MAX} + 1, INT64_MAX),
};
constexpr int kNumIntClasses = sizeof(kIntClasses) / sizeof(kIntClasses[0]);

// NumPy takes a double for a half if -65000 < x < 65000, for a float32 if -3.4e38 < x < 3.4e38.
const double kHalfLimit = std::nextafter(65000.0, 0.0);
const double kSingleLimit = std::nextafter(3.4e38, 0.0);
const ScalarClassRange kFloatClasses[] = {
    Floats(-DBL_MAX, -3.4e38),     Floats(-kSingleLimit, -65000.0), Floats(-kHalfLimit, kHalfLimit),
    Floats(65000.0, kSingleLimit), Floats(3.4e38, DBL_MAX),
};
constexpr int kNumFloatClasses = sizeof(kFloatClasses) / sizeof(kFloatClasses[0]);

// Numbering of ScalarClassOf: bools, ints, uint64 beyond int64, floats.
constexpr int kBoolClass = 0;
constexpr int kFirstIntClass = 1;
constexpr int kHugeIntClass = kFirstIntClass + kNumIntClasses;
constexpr int kFirstFloatClass = kHugeIntClass + 1;
constexpr int kFirstComplexClass = kFirstFloatClass + kNumFloatClasses;

template <typename T>
int ClassOfMemory(const char* data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  if constexpr (std::is_same_v<T, bool>) {
    return kBoolClass;
  } else if constexpr (ShortFloatType<T>) {
    return kFirstFloatClass + FloatClassOf(0.0);  // no smaller dtype holds it, whatever its value
  } else if constexpr (ComplexType<T>) {
    return kFirstComplexClass + ComplexClassOf(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return kFirstFloatClass + FloatClassOf(value);
  } else {
    if constexpr (std::is_same_v<T, uint64_t>) {
      if (value > static_cast<uint64_t>(INT64_MAX)) return kHugeIntClass;
    }
    return kFirstIntClass + IntClassOf(static_cast<int64_t>(value));
  }
}

constexpr int (*kClassOfMemory[])(const char*) = {
#define DYNACC_DTYPE(name, text, type, kind, numpy) &ClassOfMemory<type>,
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
};

int ClassOfPythonNumber(BorrowedRef object) {
  if (PyBool_Check(object)) return kBoolClass;
  if (PyFloat_CheckExact(object)) return kFirstFloatClass + FloatClassOf(PyFloat_AS_DOUBLE(object));
  if (PyComplex_CheckExact(object)) {
    return kFirstComplexClass +
           ComplexClassOf({PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)});
  }
  if (!PyLong_CheckExact(object)) return -1;
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow != 0 ? -1 : kFirstIntClass + IntClassOf(value);
}

}  // namespace

absl::Span<const ScalarClassRange> IntClasses() { return kIntClasses; }
absl::Span<const ScalarClassRange> FloatClasses() { return kFloatClasses; }

int IntClassOf(int64_t value) {
  int index = 0;
  while (value > kIntClasses[index].hi.i) ++index;
  return index;
}

int FloatClassOf(double value) {
  if (!std::isfinite(value)) value = 0.0;
  int index = 0;
  while (value > kFloatClasses[index].hi.f) ++index;
  return index;
}

int ComplexClassOf(Complex128 value) {
  const auto fits = [](double part) { return part >= -kSingleLimit && part <= kSingleLimit; };
  return fits(value.real()) && fits(value.imag()) ? 0 : 1;
}

int ScalarClassOf(BorrowedRef object) {
  if (!IsNumpyScalar(object) && !IsNumpyArray(object)) return ClassOfPythonNumber(object);
  StridedView view;
  alignas(16) char storage[16];
  ReadNumpy(object, &view, storage);
  return view.rank == 0 ? kClassOfMemory[static_cast<int>(view.dtype)](view.data) : -1;
}

}  // namespace dynacc::numpy
