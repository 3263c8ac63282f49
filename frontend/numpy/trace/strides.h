// Where the elements of an array of the trace lie, as far as its sizes tell.
#pragma once

#include <optional>
#include <vector>

#include "frontend/numpy/trace/numpy_tensor.h"
#include "frontend/numpy/trace/sizes.h"

namespace dynacc::numpy {

// The strides of the array in elements: of one in C order, of an existing one whatever its order
// (they are numbers that each call is asked), and of what indexing and transposing make of such.
// Nothing if they are not known.
std::optional<std::vector<Size>> StridesOf(symbolic::TraceContext& trace, NumpyTensor* a);

// Whether a result over the `count` axes that these arrays are broadcast to, but for the last
// `core` axes of each, surely has them in C order: as npyiter_find_best_axis_ordering of
// numpy/core/src/multiarray/nditer_constr.c sorts axes by the strides of all operands.
bool GiveCOrder(symbolic::TraceContext& trace, absl::Span<NumpyTensor* const> operands, int core,
                int count);

// Whether the array, of which this is required at every call, is not C-contiguous: NumPy copies it
// where it needs one that is.
bool IsSurelyScattered(symbolic::TraceContext& trace, NumpyTensor* a);
// Likewise whether it surely is. Where neither is sure, nothing is known of the array's memory.
bool IsSurelyDense(symbolic::TraceContext& trace, NumpyTensor* a);

// Whether a reshape to `shape`, which has as many elements, surely copies, as its axes merge axes
// of the array that do not lie side by side (_attempt_nocopy_reshape in
// numpy/core/src/multiarray/shape.c). False if it may give a view.
bool SurelyCopies(symbolic::TraceContext& trace, NumpyTensor* a, const Shape& shape);
// Whether it surely gives a view.
bool SurelyViews(symbolic::TraceContext& trace, NumpyTensor* a, const Shape& shape);

}  // namespace dynacc::numpy
