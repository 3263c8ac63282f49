#include "frontend/numpy/trace/data_dependent_calls.h"

#include "absl/algorithm/container.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/known_int.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

constexpr NumpyDataDependentRow kFunctions[] = {
#define DYNACC_NUMPY_DATA_DEPENDENT(name, rule, signature) {name, rule, signature},
#define DYNACC_NUMPY_DATA_DEPENDENT_METHOD(name, rule, signature)
#include "frontend/numpy/trace/numpy_data_dependent.def"
#undef DYNACC_NUMPY_DATA_DEPENDENT
#undef DYNACC_NUMPY_DATA_DEPENDENT_METHOD
};

constexpr NumpyDataDependentRow kMethods[] = {
#define DYNACC_NUMPY_DATA_DEPENDENT(name, rule, signature)
#define DYNACC_NUMPY_DATA_DEPENDENT_METHOD(name, rule, signature) {name, rule, signature},
#include "frontend/numpy/trace/numpy_data_dependent.def"
#undef DYNACC_NUMPY_DATA_DEPENDENT
#undef DYNACC_NUMPY_DATA_DEPENDENT_METHOD
};

absl::Status KnownSize() { return absl::NotFoundError("a size that does not depend on values"); }

// An array of the call; the others' sizes are its business.
absl::StatusOr<symbolic::TensorValue*> ArrayOf(const BoundArgs& args, absl::string_view name) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * array, args.Tensor(name));
  if (array->is_scalar || array->node->rank() == 0)
    return symbolic::GraphBreak("an array of rank 0");
  return array;
}

DataDependentResult Flat(Size size) {
  DataDependentResult result;
  result.size = size;
  result.items.resize(1);
  result.items[0].push_back(size);
  return result;
}

DataDependentResult Indices(const symbolic::TensorValue* array, Size size) {
  DataDependentResult result = Flat(size);
  result.items.resize(array->node->rank(), result.items[0]);
  result.many = true;
  result.with_gaps = true;
  return result;
}

// The array's shape with `size` along the axis that is given, or flat.
absl::StatusOr<DataDependentResult> AlongGivenAxis(symbolic::TraceContext& trace,
                                                   const BoundArgs& args,
                                                   symbolic::TensorValue* array, Size size) {
  DataDependentResult result = Flat(size);
  symbolic::Value* const given = args.GivenOrNull("axis");
  if (given == nullptr) return result;
  DYNACC_ASSIGN_OR_RETURN(const int64_t axis, AxisFrom(trace, given, array->node->rank()));
  result.items[0] = ShapeOf(array);
  result.items[0].ids[axis] = size.id;
  result.items[0].hints[axis] = size.hint;
  return result;
}

// The argument `axis`; -1 if it is not given.
absl::StatusOr<int64_t> AxisOrNone(symbolic::TraceContext& trace, const BoundArgs& args, int rank) {
  symbolic::Value* const given = args.GivenOrNull("axis");
  return given == nullptr ? absl::StatusOr<int64_t>(-1) : AxisFrom(trace, given, rank);
}

bool IsArray(symbolic::Value* value) {
  auto* tensor = value == nullptr ? nullptr : symbolic::As<symbolic::TensorValue>(value);
  return tensor != nullptr && !tensor->is_scalar && tensor->node->rank() > 0;
}

}  // namespace

absl::Span<const NumpyDataDependentRow> NumpyDataDependentFunctions() { return kFunctions; }
absl::Span<const NumpyDataDependentRow> NumpyDataDependentMethods() { return kMethods; }

absl::StatusOr<symbolic::Value*> CallDataDependentRow(symbolic::TraceContext& trace,
                                                      const NumpyDataDependentRow& row,
                                                      BorrowedRef callable, symbolic::Value* self,
                                                      const arrays::CallArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(const BoundArgs bound, BoundArgs::Bind(row.signature, self, args));
  // The rule is asked first about a size that stands for none: a data-dependent number must be
  // defined.
  DYNACC_RETURN_IF_ERROR(row.rule(trace, bound, ConstantSize(trace, 1)).status());
  std::vector<symbolic::Value*> positional(args.positional.begin(), args.positional.end());
  if (self != nullptr) positional.insert(positional.begin(), self);
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced,
                          TakeApart(trace, callable, {positional, args.keywords}));
  if (!trace.takes_data_dependent_sizes())
    return symbolic::GraphBreak("a size that only the run tells");
  const Size size{trace.AddDataDependent(), symbolic::TraceContext::kDataDependentHint};
  DYNACC_ASSIGN_OR_RETURN(const DataDependentResult result, row.rule(trace, bound, size));
  return EmitDataDependent(trace, std::move(traced), result);
}

Size SelectedBy(symbolic::TraceContext& trace, const ir::Node* mask, bool* defines) {
  const auto [place, is_new] = trace.selected_counts().emplace(mask, kNoScalar);
  if (is_new) place->second = trace.AddDataDependent();
  *defines = is_new;
  return {place->second, symbolic::TraceContext::kDataDependentHint};
}

absl::StatusOr<DataDependentResult> Nonzero(symbolic::TraceContext&, const BoundArgs& args,
                                            Size size) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * array, ArrayOf(args, "a"));
  return Indices(array, size);
}

absl::StatusOr<DataDependentResult> FlatNonzero(symbolic::TraceContext&, const BoundArgs& args,
                                                Size size) {
  DYNACC_RETURN_IF_ERROR(ArrayOf(args, "a").status());
  DataDependentResult result = Flat(size);
  result.with_gaps = true;
  return result;
}

absl::StatusOr<DataDependentResult> WhereTrue(symbolic::TraceContext&, const BoundArgs& args,
                                              Size size) {
  if (args["x"] != nullptr || args["y"] != nullptr) return KnownSize();
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * array, ArrayOf(args, "condition"));
  return Indices(array, size);
}

absl::StatusOr<DataDependentResult> Unique(symbolic::TraceContext& trace, const BoundArgs& args,
                                           Size size) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * array, ArrayOf(args, "ar"));
  const Shape own = Flat(size).items[0];
  DYNACC_ASSIGN_OR_RETURN(DataDependentResult result, AlongGivenAxis(trace, args, array, size));
  DYNACC_ASSIGN_OR_RETURN(const bool index, args.Flag("return_index", false));
  DYNACC_ASSIGN_OR_RETURN(const bool inverse, args.Flag("return_inverse", false));
  DYNACC_ASSIGN_OR_RETURN(const bool counts, args.Flag("return_counts", false));
  if (index) result.items.push_back(own);
  if (inverse) {
    const Shape whole = ShapeOf(array);
    result.items.emplace_back();
    DYNACC_ASSIGN_OR_RETURN(const int64_t axis, AxisOrNone(trace, args, whole.rank()));
    // From NumPy 2 on it has the array's shape.
    const bool as_given = axis < 0 && NumpyMajor() >= 2;
    if (as_given) result.items.back() = whole;
    if (!as_given)
      result.items.back().push_back(axis < 0 ? ProductOf(trace, whole, 0, whole.rank())
                                             : whole.at(static_cast<int>(axis)));
  }
  if (counts) result.items.push_back(own);
  result.many = index || inverse || counts;
  return result;
}

absl::StatusOr<DataDependentResult> Compressed(symbolic::TraceContext& trace, const BoundArgs& args,
                                               Size size) {
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("out"));
  DYNACC_RETURN_IF_ERROR(args.Required("condition").status());
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * array, ArrayOf(args, "a"));
  return AlongGivenAxis(trace, args, array, size);
}

absl::StatusOr<DataDependentResult> Extracted(symbolic::TraceContext&, const BoundArgs& args,
                                              Size size) {
  DYNACC_RETURN_IF_ERROR(args.Required("condition").status());
  DYNACC_RETURN_IF_ERROR(ArrayOf(args, "arr").status());
  return Flat(size);
}

absl::StatusOr<DataDependentResult> RepeatedEach(symbolic::TraceContext& trace,
                                                 const BoundArgs& args, Size size) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * repeats, args.Required("repeats"));
  const bool is_list = symbolic::As<symbolic::ListValue>(repeats) != nullptr;
  if (!IsArray(repeats) && (!is_list || IsListOfInts(repeats))) return KnownSize();
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * array, ArrayOf(args, "a"));
  return AlongGivenAxis(trace, args, array, size);
}

absl::StatusOr<DataDependentResult> Deleted(symbolic::TraceContext& trace, const BoundArgs& args,
                                            Size size) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * removed, args.Required("obj"));
  if (!IsArray(removed) && symbolic::As<symbolic::ListValue>(removed) == nullptr)
    return KnownSize();
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * array, ArrayOf(args, "arr"));
  return AlongGivenAxis(trace, args, array, size);
}

absl::StatusOr<DataDependentResult> BinsOfValues(symbolic::TraceContext&, const BoundArgs& args,
                                                 Size size) {
  if (args.GivenOrNull("minlength") != nullptr) return KnownSize();
  DYNACC_RETURN_IF_ERROR(ArrayOf(args, "x").status());
  return Flat(size);
}

absl::StatusOr<DataDependentResult> SetOfTwo(symbolic::TraceContext&, const BoundArgs& args,
                                             Size size) {
  DYNACC_RETURN_IF_ERROR(args.Required("ar1").status());
  DYNACC_RETURN_IF_ERROR(args.Required("ar2").status());
  return Flat(size);
}

// How many eigenvalues there are is known, but whether NumPy gives them as real numbers is what the
// values decide: it is taken for granted of real matrices, as things are of data-dependent sizes.
absl::StatusOr<DataDependentResult> Eigenvalues(symbolic::TraceContext&, const BoundArgs& args,
                                                Size size) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * matrices, ArrayOf(args, "a"));
  DataDependentResult result;
  result.size = size;
  result.items.resize(1);
  for (int axis = 0; axis < matrices->node->rank() - 2; ++axis) {
    result.items[0].push_back(ShapeOf(matrices).at(axis));
  }
  result.items[0].push_back(size);
  return result;
}

absl::StatusOr<DataDependentResult> Eigenvectors(symbolic::TraceContext& trace,
                                                 const BoundArgs& args, Size size) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * matrices, ArrayOf(args, "a"));
  const Shape shape = ShapeOf(matrices);
  if (shape.rank() < 2) return symbolic::RaisingBreak("eigenvectors of no matrix");
  DYNACC_ASSIGN_OR_RETURN(DataDependentResult result, Eigenvalues(trace, args, size));
  Shape vectors = result.items[0];
  vectors.ids.back() = shape.ids[shape.rank() - 2];
  vectors.hints.back() = shape.hints[shape.rank() - 2];
  vectors.push_back(size);
  result.items.push_back(vectors);
  result.many = true;
  return result;
}

// Zeros at either end of the coefficients are no terms. Of fewer than two NumPy gives float64
// whatever they are; of others numbers of their own precision.
absl::StatusOr<DataDependentResult> RootsOf(symbolic::TraceContext&, const BoundArgs& args,
                                            Size size) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * coefficients, ArrayOf(args, "p"));
  const DType dtype = coefficients->node->dtype;
  if (IsInexact(dtype) && dtype != DType::kFloat64)
    return symbolic::GraphBreak("roots of that dtype");
  return Flat(size);
}

absl::StatusOr<DataDependentResult> Intersection(symbolic::TraceContext& trace,
                                                 const BoundArgs& args, Size size) {
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("return_indices"));
  return SetOfTwo(trace, args, size);
}

}  // namespace dynacc::numpy
