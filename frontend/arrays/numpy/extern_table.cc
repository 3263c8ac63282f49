// The table of functions that NumPy itself runs, and calls of them.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "frontend/arrays/numpy/extern_call.h"
#include "frontend/arrays/numpy/extern_rules.h"
#include "frontend/arrays/numpy/function_table.h"
#include "frontend/arrays/numpy/in_place.h"
#include "frontend/arrays/numpy/numpy_api.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

constexpr NumpyExternRow kFunctions[] = {
#define DYNACC_NUMPY_EXTERN(name, rule, signature) {name, rule, signature},
#define DYNACC_NUMPY_EXTERN_METHOD(name, rule, signature)
#include "frontend/arrays/numpy/numpy_externs.def"
#undef DYNACC_NUMPY_EXTERN
#undef DYNACC_NUMPY_EXTERN_METHOD
};

constexpr NumpyExternRow kMethods[] = {
#define DYNACC_NUMPY_EXTERN(name, rule, signature)
#define DYNACC_NUMPY_EXTERN_METHOD(name, rule, signature) {name, rule, signature},
#include "frontend/arrays/numpy/numpy_externs.def"
#undef DYNACC_NUMPY_EXTERN
#undef DYNACC_NUMPY_EXTERN_METHOD
};

absl::flat_hash_map<PyObject*, const NumpyExternRow*> row_of_callable;

}  // namespace

void LoadExternTable(BorrowedRef numpy_module) {
  for (const NumpyExternRow& row : kFunctions) {
    BorrowedRef object = FindDotted(numpy_module, row.name);
    if (object == nullptr || !IsNumpys(object)) continue;
    // Kept alive, so that no other object can ever be at its address.
    if (row_of_callable.emplace(object, &row).second) Py_INCREF(object);
  }
}

const NumpyExternRow* FindExtern(BorrowedRef callable) {
  const auto found = row_of_callable.find(callable);
  return found == row_of_callable.end() ? nullptr : found->second;
}

const NumpyExternRow* FindExternMethod(absl::string_view name) {
  for (const NumpyExternRow& row : kMethods) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

namespace {

// The call with None for its argument `out`.
CallArgs WithoutOut(TraceContext& trace, Value* out, const CallArgs& args,
                    std::vector<Value*>& positional) {
  // Nothing else is the very value: an operand that is given as `out`, too, comes before it.
  const auto place = std::find(positional.rbegin(), positional.rend(), out);
  CallArgs rest;
  for (const auto& keyword : args.keywords) {
    if (keyword.first != "out") rest.keywords.push_back(keyword);
  }
  const bool by_name = rest.keywords.size() < args.keywords.size();
  if (!by_name) *place = trace.New<ConstantValue>(Ref::New(Py_None));
  rest.positional = positional;
  return rest;
}

// Functions that move, compare or count elements, in C: NumPy's error state is nothing to them, and
// to set it takes longer than a short call.
constexpr absl::string_view kQuiet[] = {"argmax",   "argmin",    "argpartition", "argsort",
                                        "bincount", "partition", "repeat",       "searchsorted",
                                        "sort",     "take"};

// Functions that take `out` or `dtype`, but not both.
constexpr absl::string_view kOutOrDtype[] = {"concatenate"};

// Functions that ask their arguments, which they only read, to be writable.
constexpr absl::string_view kWantWritable[] = {"bincount", "convolve", "correlate", "interp"};

// Functions that warn of what the values and sizes are, besides floating-point errors.
constexpr absl::string_view kMayWarn[] = {
    "median",   "nanmax", "nanmin",        "nanmean",     "nanmedian",
    "nanstd",   "nanvar", "nanpercentile", "nanquantile", "polyfit",
    "corrcoef", "cov",    "mean",          "var",         "std",
    "average",  "pad",    "histogram",     "histogram2d", "histogram_bin_edges"};

// Functions whose results have sizes that only numbers and small arrays decide.
constexpr absl::string_view kOfFewSizes[] = {"histogram", "histogram2d", "histogram_bin_edges"};

// Functions that give another number of results for a matrix of a lower rank.
constexpr absl::string_view kWantVariety[] = {"linalg.lstsq"};

// The result, written into `out`; nothing but an array of just that dtype and shape in C order is
// sure to be filled as a fresh one.
absl::StatusOr<Value*> WriteOut(TraceContext& trace, Value* out, Value* result) {
  auto* const target = As<TensorValue>(out);
  auto* const content = As<TensorValue>(result);
  if (target == nullptr || content == nullptr || target->is_native || target->is_scalar ||
      content->node->dtype != target->node->dtype || content->node->rank() == 0 ||
      !RequireCOrder(trace, target) || !IsSameShape(trace, ShapeOf(content), ShapeOf(target))) {
    return GraphBreak("argument out");
  }
  DYNACC_RETURN_IF_ERROR(UpdateInPlace(trace, AsNumpy(target), AsNumpy(content)));
  return target;
}

}  // namespace

absl::StatusOr<Value*> CallExternRow(TraceContext& trace, const NumpyExternRow& row,
                                     BorrowedRef callable, Value* self, const CallArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(const BoundArgs bound, BoundArgs::Bind(row.signature, self, args));
  if (Value* out = bound.GivenOrNull("out")) {
    if (absl::c_linear_search(kOutOrDtype, row.name) && bound.GivenOrNull("dtype") != nullptr) {
      return RaisingBreak("both out and dtype");
    }
    std::vector<Value*> given(args.positional.begin(), args.positional.end());
    const CallArgs rest = WithoutOut(trace, out, args, given);
    DYNACC_ASSIGN_OR_RETURN(Value * result, CallExternRow(trace, row, callable, self, rest));
    return WriteOut(trace, out, result);
  }
  DYNACC_ASSIGN_OR_RETURN(const std::optional<Shape> shape, row.rule(trace, bound));
  std::vector<Value*> positional(args.positional.begin(), args.positional.end());
  if (self != nullptr) positional.insert(positional.begin(), self);
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced,
                          TakeApart(trace, callable, {positional, args.keywords}));
  traced.call.is_quiet = absl::c_linear_search(kQuiet, row.name);
  traced.call.may_warn = absl::c_linear_search(kMayWarn, row.name);
  traced.tries_large_ones_small = absl::c_linear_search(kOfFewSizes, row.name);
  traced.wants_variety = absl::c_linear_search(kWantVariety, row.name);
  traced.call.wants_writable = absl::c_linear_search(kWantWritable, row.name);
  return EmitCall(trace, std::move(traced), shape);
}

absl::StatusOr<Value*> CallElementwiseExtern(TraceContext& trace, BorrowedRef callable,
                                             const CallArgs& args) {
  const int num_inputs = reinterpret_cast<PyUFuncObject*>(callable)->nin;
  if (static_cast<int>(args.positional.size()) > num_inputs) return GraphBreak("argument out");
  std::vector<Value*> values(args.positional.begin(), args.positional.end());
  for (const auto& [name, value] : args.keywords) {
    if (name == "out" && !IsNone(value)) return GraphBreak("argument out");
    if (name == "where") values.push_back(value);
  }
  DYNACC_ASSIGN_OR_RETURN(const std::optional<Shape> shape, BroadcastShapeOf(trace, values));
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, callable, args));
  return EmitCall(trace, std::move(traced), shape);
}

}  // namespace dynacc
