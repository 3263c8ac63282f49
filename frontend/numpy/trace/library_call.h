// Tracing a call that NumPy itself will run: what is handed to it, and what comes back.
//
// What the result will be is found out by calling the function at once, on small examples of the
// arguments (every number and dtype as it is, every array of ones): it tells the dtype and rank,
// and for functions without a shape rule, called on examples of the true shapes, the sizes. At run
// time the result is compared with what was promised, so a wrong guess costs time and nothing else.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/numpy/trace/numpy_library_caller.h"
#include "frontend/numpy/trace/numpy_tensor.h"
#include "frontend/numpy/trace/sizes.h"

namespace dynacc::numpy {

// A call with its arguments taken apart.
struct TracedCall {
  LibraryCall call;
  std::vector<const ir::Node*> operands;  // what fills the holes
  std::vector<Shape> shapes;              // of the operands
  std::vector<ScalarValue> numbers;       // in this call, of the operands that are Python numbers
  std::vector<Ref> objects;       // in this call, of those of rank 0 that are known; else null
  bool has_computed_int = false;  // a Python int among them is known when the graph has run
  // The result's sizes do not depend on those of large arrays, which are tried out by small ones.
  bool tries_large_ones_small = false;
  // Warns of values that its arguments had not when it was tried out: then the call is the
  // program's.
  bool warns_of_few_values = false;
  bool wants_variety = false;  // arrays full of one number have another kind of result
};

// Takes the arguments apart. GraphBreak for what a call cannot be handed: objects that are neither
// arrays nor numbers nor plain constants.
absl::StatusOr<TracedCall> TakeApart(symbolic::TraceContext& trace, BorrowedRef callable,
                                     const arrays::CallArgs& args);

// The hole for one more array, which the call's own arguments do not have.
LibraryCallArg AddArray(TracedCall& traced, const NumpyTensor* array);

// The object of a plain constant, or of an existing one, which is then guarded; GraphBreak for
// others. Whether an object is one: immutable, and the same thing to NumPy at every call.
absl::StatusOr<Ref> KnownArgument(symbolic::TraceContext& trace, symbolic::Value* value);
bool IsPlainArgument(BorrowedRef object);

// The result, of `shape`; if that is unknown, of the shape that the function gives for arguments of
// just these sizes, which are then required at every call. A tuple or list of results is tried out
// always.
absl::StatusOr<symbolic::Value*> EmitCall(symbolic::TraceContext& trace, TracedCall traced,
                                          const std::optional<Shape>& shape);

// The results of a call that gives a tuple of so many, of these shapes.
absl::StatusOr<std::vector<NumpyTensor*>> EmitEach(symbolic::TraceContext& trace,
                                                   const TracedCall& traced,
                                                   absl::Span<const Shape> shapes);

// What a call gives whose size only the call tells.
struct DataDependentResult {
  Size size;            // the one that the run tells, along some axis of the first result at least
  bool defines = true;  // it is new, and this call defines it
  std::vector<Shape> items;  // of each result
  bool many = false;         // they come as a tuple
  bool with_gaps = false;    // arrays of one axis are parts of another one, perhaps with gaps
};

// The result or tuple of results. The next such call of the trace must be emitted after it.
absl::StatusOr<symbolic::Value*> EmitDataDependent(symbolic::TraceContext& trace, TracedCall traced,
                                                   const DataDependentResult& result);

// What the function gives for small examples of the arguments, perhaps a Python float or int;
// RaisingBreak where it raises.
absl::StatusOr<Ref> TryOutSmall(const TracedCall& traced);

// The result where its dtype is known, too; a NumPy scalar if its rank is 0.
NumpyTensor* EmitKnown(symbolic::TraceContext& trace, TracedCall traced, DType dtype,
                       const Shape& shape);

// The same of a call that gives an array of any rank.
NumpyTensor* EmitArray(symbolic::TraceContext& trace, TracedCall traced, DType dtype,
                       const Shape& shape);

}  // namespace dynacc::numpy
