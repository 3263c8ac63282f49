// Scalar classes: what NumPy 1.x's promotion sees of a number besides its type.
//
// When arrays and single numbers (rank-0 arrays, NumPy scalars, Python numbers) meet in one
// operation, NumPy 1.x promotes as if a number had the smallest dtype that holds its value
// (min_scalar_type_num in numpy/core/src/multiarray/convert_datatype.c). Numbers of one class
// promote alike; a class is an interval of values. Floats that are not finite are of 0.0's class.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "frontend/cpython/ref.h"
#include "runtime/scalar/scalar_program.h"
#include "runtime/tensor/element_types.h"

namespace dynacc::numpy {

// The numbers from `lo` to `hi`, both included; ints in `i`, floats in `f`.
struct ScalarClassRange {
  ScalarValue lo;
  ScalarValue hi;
};

// The classes of Python ints of 64 bits and of floats, in the order of their values.
absl::Span<const ScalarClassRange> IntClasses();
absl::Span<const ScalarClassRange> FloatClasses();

// Index in those tables of a number's class.
int IntClassOf(int64_t value);
int FloatClassOf(double value);
// Of complex numbers: 0 if both parts are finite and within float32's range, else 1.
int ComplexClassOf(Complex128 value);

// One number for the class of a number object (exact Python bool, int, float or complex, NumPy
// scalar, or rank-0 array of a dtype of dtype.def); -1 for any other object. Sets no exception.
int ScalarClassOf(BorrowedRef object);

}  // namespace dynacc::numpy
