// The table of functions that NumPy itself runs, and calls of them.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/library_call.h"
#include "frontend/numpy/trace/library_call_rules.h"
#include "frontend/numpy/trace/out_argument.h"
#include "frontend/numpy/trace/overwriting.h"
#include "frontend/numpy/trace/ufuncs.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

constexpr NumpyLibraryCallRow kFunctions[] = {
#define DYNACC_NUMPY_LIBRARY_CALL(name, rule, signature) {name, rule, signature},
#define DYNACC_NUMPY_LIBRARY_CALL_METHOD(name, rule, signature)
#include "frontend/numpy/trace/numpy_library_calls.def"
#undef DYNACC_NUMPY_LIBRARY_CALL
#undef DYNACC_NUMPY_LIBRARY_CALL_METHOD
};

constexpr NumpyLibraryCallRow kMethods[] = {
#define DYNACC_NUMPY_LIBRARY_CALL(name, rule, signature)
#define DYNACC_NUMPY_LIBRARY_CALL_METHOD(name, rule, signature) {name, rule, signature},
#include "frontend/numpy/trace/numpy_library_calls.def"
#undef DYNACC_NUMPY_LIBRARY_CALL
#undef DYNACC_NUMPY_LIBRARY_CALL_METHOD
};

}  // namespace

absl::Span<const NumpyLibraryCallRow> NumpyLibraryCallFunctions() { return kFunctions; }
absl::Span<const NumpyLibraryCallRow> NumpyLibraryCallMethods() { return kMethods; }

namespace {

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

// Functions that NumPy 1.24 warns of, for values that examples do not have.
constexpr absl::string_view kWarnOfFewValues[] = {"clip"};

// Functions whose results have sizes that only numbers and small arrays decide.
constexpr absl::string_view kOfFewSizes[] = {"histogram", "histogram2d", "histogram_bin_edges"};

// Functions that give another number of results for a matrix of a lower rank.
constexpr absl::string_view kWantVariety[] = {"linalg.lstsq"};

// Functions that give a view of memory of their own for some values and none for others: NumPy 1's
// isclose does so for numbers that are not finite.
constexpr absl::string_view kMayGiveViews[] = {"isclose"};

// The first argument if it is an array and the call may change it; else null.
absl::StatusOr<NumpyTensor*> Overwritten(const BoundArgs& bound, const arrays::CallArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(const bool overwrites, bound.Flag("overwrite_input", false));
  auto* const a =
      args.positional.empty() ? nullptr : symbolic::As<symbolic::TensorValue>(args.positional[0]);
  return overwrites && a != nullptr ? AsNumpy(a) : nullptr;
}

// A call of the row's function (`self` null) or method, taken apart.
absl::StatusOr<TracedCall> TakeRowApart(symbolic::TraceContext& trace,
                                        const NumpyLibraryCallRow& row, BorrowedRef callable,
                                        symbolic::Value* self, const arrays::CallArgs& args) {
  std::vector<symbolic::Value*> positional(args.positional.begin(), args.positional.end());
  if (self != nullptr) positional.insert(positional.begin(), self);
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced,
                          TakeApart(trace, callable, {positional, args.keywords}));
  traced.call.is_quiet = absl::c_linear_search(kQuiet, row.name);
  traced.call.may_warn = absl::c_linear_search(kMayWarn, row.name);
  traced.warns_of_few_values = absl::c_linear_search(kWarnOfFewValues, row.name);
  traced.tries_large_ones_small = absl::c_linear_search(kOfFewSizes, row.name);
  traced.wants_variety = absl::c_linear_search(kWantVariety, row.name);
  traced.call.wants_writable = absl::c_linear_search(kWantWritable, row.name);
  return traced;
}

absl::StatusOr<symbolic::Value*> CallRowInto(symbolic::TraceContext& trace,
                                             const NumpyLibraryCallRow& row, BorrowedRef callable,
                                             symbolic::Value* self, const arrays::CallArgs& args,
                                             symbolic::Value* out) {
  CallWithoutOut rest = WithoutOut(trace, out, args);
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeRowApart(trace, row, callable, self, rest.args()));
  if (self != nullptr) {
    rest.positional.insert(rest.positional.begin(), self);
    if (rest.place >= 0) ++rest.place;
  }
  return CallInto(trace, row.name, out, rest, std::move(traced));
}

}  // namespace

absl::StatusOr<symbolic::Value*> OrByLibrary(
    absl::StatusOr<symbolic::Value*> traced,
    absl::FunctionRef<absl::StatusOr<symbolic::Value*>()> by_library) {
  if (!absl::IsUnimplemented(traced.status()) || symbolic::IsRaisingBreak(traced.status()))
    return traced;
  absl::StatusOr<symbolic::Value*> result = by_library();
  const bool says_more = result.ok() || symbolic::IsRaisingBreak(result.status()) ||
                         symbolic::IsDecompositionBreak(result.status());
  return says_more ? result : traced;
}

absl::StatusOr<symbolic::Value*> CallLibraryRow(symbolic::TraceContext& trace,
                                                const NumpyLibraryCallRow& row,
                                                BorrowedRef callable, symbolic::Value* self,
                                                const arrays::CallArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(const BoundArgs bound, BoundArgs::Bind(row.signature, self, args));
  symbolic::Value* const out = bound.GivenOrNull("out");
  const bool has_dtype = bound.GivenOrNull("dtype") != nullptr;
  if (out != nullptr && has_dtype && absl::c_linear_search(kOutOrDtype, row.name)) {
    return symbolic::RaisingBreak("both out and dtype");
  }
  DYNACC_ASSIGN_OR_RETURN(const std::optional<Shape> shape, row.rule(trace, bound));
  if (out != nullptr) return CallRowInto(trace, row, callable, self, args, out);
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor* const overwritten, Overwritten(bound, args));
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeRowApart(trace, row, callable, self, args));
  if (overwritten != nullptr && shape) {
    return CallOverwriting(trace, std::move(traced), overwritten, *shape);
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result, EmitCall(trace, std::move(traced), shape));
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(result)) {
    AsNumpy(tensor)->may_be_view = absl::c_linear_search(kMayGiveViews, row.name);
  }
  return result;
}

namespace {

int NumInputs(BorrowedRef ufunc) { return reinterpret_cast<PyUFuncObject*>(ufunc)->nin; }

// The ufunc's own call with an argument `out`, which may be a tuple of one. Where that overlaps an
// operand, NumPy's choice of a loop depends on how.
absl::StatusOr<symbolic::Value*> CallUfuncInto(symbolic::TraceContext& trace, BorrowedRef ufunc,
                                               symbolic::Value* out, const arrays::CallArgs& args) {
  const CallWithoutOut rest = WithoutOut(trace, out, args);
  const auto items = ItemsOf(trace, out);
  symbolic::Value* const target = items && items->size() == 1 ? items->front() : out;
  const auto inputs = absl::MakeConstSpan(rest.positional).subspan(0, NumInputs(ufunc));
  if (!IsApartFromAll(trace, target, inputs))
    return symbolic::GraphBreak("an argument out that overlaps");
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, ufunc, rest.args()));
  return CallInto(trace, "", target, rest, std::move(traced));
}

}  // namespace

absl::StatusOr<symbolic::Value*> CallElementwiseLibrary(symbolic::TraceContext& trace,
                                                        BorrowedRef callable,
                                                        const arrays::CallArgs& args) {
  std::vector<symbolic::Value*> values(args.positional.begin(), args.positional.end());
  for (const auto& [name, value] : args.keywords) {
    if (name == "out" && !IsNone(value)) return CallUfuncInto(trace, callable, value, args);
    if (name == "where") values.push_back(value);
  }
  const bool is_ufunc = Py_TYPE(callable) == &PyUFunc_Type;
  if (is_ufunc && static_cast<int>(args.positional.size()) > NumInputs(callable)) {
    return CallUfuncInto(trace, callable, args.positional.back(), args);
  }
  DYNACC_ASSIGN_OR_RETURN(const std::optional<Shape> shape, BroadcastShapeOf(trace, values));
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, callable, args));
  return EmitCall(trace, std::move(traced), shape);
}

}  // namespace dynacc::numpy
