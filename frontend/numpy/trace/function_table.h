// The NumPy functions, methods and attributes that are traced: their tables.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "frontend/numpy/trace/bound_args.h"
#include "frontend/numpy/trace/numpy_tensor.h"
#include "runtime/ops/op.h"

namespace dynacc::numpy {

// Traces one function with its arguments bound. `op` is the row's, for handlers that serve several.
using NumpyHandler = absl::StatusOr<symbolic::Value*>(symbolic::TraceContext& trace,
                                                      const BoundArgs& args, Op op);
// Traces the reading of one attribute.
using NumpyGetter = absl::StatusOr<symbolic::Value*>(symbolic::TraceContext& trace,
                                                     NumpyTensor* self);

struct NumpyFunctionRow {
  const char* name;
  NumpyHandler* handler;
  const char* signature;
  Op op;
};

struct NumpyAttributeRow {
  const char* name;
  NumpyGetter* getter;
};

absl::Span<const NumpyFunctionRow> NumpyFunctions();
absl::Span<const NumpyFunctionRow> NumpyMethods();
absl::Span<const NumpyAttributeRow> NumpyAttributes();

// The object under a dotted name in the module, without running code; null if there is none.
BorrowedRef FindDotted(BorrowedRef module, absl::string_view name);

// Whether the object says that it was defined in numpy: a program that rebinds numpy.sum before we
// look has a function of its own there.
bool IsNumpys(BorrowedRef object);

// The row of an attribute's name; null if there is none.
const NumpyAttributeRow* FindAttribute(absl::string_view name);

// The handlers, named in the tables.
#define DYNACC_NUMPY_FUNCTION(name, handler, signature, op) NumpyHandler handler;
#include "frontend/numpy/trace/numpy_functions.def"
#undef DYNACC_NUMPY_FUNCTION
#define DYNACC_NUMPY_METHOD(name, handler, signature, op) NumpyHandler handler;
#include "frontend/numpy/trace/numpy_methods.def"
#undef DYNACC_NUMPY_METHOD
#define DYNACC_NUMPY_ATTRIBUTE(name, getter) NumpyGetter getter;
#include "frontend/numpy/trace/numpy_attributes.def"
#undef DYNACC_NUMPY_ATTRIBUTE

}  // namespace dynacc::numpy
