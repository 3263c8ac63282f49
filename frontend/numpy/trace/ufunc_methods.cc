#include "frontend/numpy/trace/ufunc_methods.h"

#include <numeric>

#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/library_call_rules.h"
#include "frontend/numpy/trace/scatter.h"
#include "frontend/numpy/trace/ufunc_call.h"
#include "frontend/numpy/trace/ufuncs.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

constexpr NumpyLibraryCallRow kMethods[] = {
    {"reduce", ReducedFirst, "a axis dtype out keepdims initial where"},
    {"accumulate", LikeFirst, "a axis dtype out"},
    {"outer", OuterBroadcast, "a b * out where casting order dtype subok"},
    {"reduceat", TriedOut, "a indices axis dtype out"},
    {"at", TriedOut, "a indices b"},
};

// Reductions that are ops of their own.
struct ReductionOp {
  const char* ufunc;
  Op op;
};
constexpr ReductionOp kReductions[] = {
    {"add", Op::kReduceSum},     {"multiply", Op::kReduceProd},  {"maximum", Op::kReduceMax},
    {"minimum", Op::kReduceMin}, {"logical_or", Op::kReduceAny}, {"logical_and", Op::kReduceAll},
};

const NumpyLibraryCallRow* FindRow(absl::string_view name) {
  for (const NumpyLibraryCallRow& row : kMethods) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

const NumpyLibraryCallRow* RowOf(BorrowedRef callable) {
  if (!PyCFunction_CheckExact(callable)) return nullptr;
  PyObject* self = PyCFunction_GET_SELF(callable);
  if (self == nullptr || !IsUfunc(self)) return nullptr;
  return FindRow(reinterpret_cast<PyCFunctionObject*>(callable)->m_ml->ml_name);
}

// ufunc.reduce(a, axis=0, ...) as the reduction of the same ufunc.
absl::StatusOr<symbolic::Value*> Reduce(symbolic::TraceContext& trace, PyUFuncObject* ufunc,
                                        const NumpyLibraryCallRow& row,
                                        const arrays::CallArgs& args) {
  for (const ReductionOp& reduction : kReductions) {
    if (absl::string_view(ufunc->name) != reduction.ufunc) continue;
    arrays::CallArgs with_axis = args;
    DYNACC_ASSIGN_OR_RETURN(const BoundArgs given, BoundArgs::Bind(row.signature, nullptr, args));
    if (given["axis"] == nullptr) {
      symbolic::Value* first = trace.New<symbolic::ConstantValue>(Ref::Steal(PyLong_FromLong(0)));
      with_axis.keywords.emplace_back("axis", first);
    }
    DYNACC_ASSIGN_OR_RETURN(const BoundArgs bound,
                            BoundArgs::Bind(row.signature, nullptr, with_axis));
    return TraceReduction(trace, bound, reduction.op);
  }
  return symbolic::GraphBreak("a reduction that is no op");
}

// ufunc.outer(a, b, ...), as NumPy computes it: the ufunc of b and of `a` with b's axes after its
// own, of one element each.
absl::StatusOr<symbolic::Value*> Outer(symbolic::TraceContext& trace, BorrowedRef ufunc,
                                       const arrays::CallArgs& args) {
  const std::optional<Op> op = ElementwiseOpOf(ufunc);
  if (!op || args.positional.size() != 2)
    return symbolic::GraphBreak("outer of a ufunc that is no op");
  auto* const a = symbolic::As<symbolic::TensorValue>(args.positional[0]);
  auto* const b = symbolic::As<symbolic::TensorValue>(args.positional[1]);
  if (a == nullptr || b == nullptr)
    return symbolic::GraphBreak("outer of other things than arrays");
  DYNACC_RETURN_IF_ERROR(RequireArray(a));
  DYNACC_RETURN_IF_ERROR(RequireArray(b));
  const int rank = a->node->rank() + b->node->rank();
  if (rank > kMaxRank) return symbolic::GraphBreak("outer of too many axes");
  std::vector<int64_t> axes(rank, -1);
  std::iota(axes.begin(), axes.begin() + a->node->rank(), 0);
  symbolic::Value* const operands[] = {AxesView(trace, AsNumpy(a), axes), b};
  return CallUfunc(trace, *op, {operands, args.keywords});
}

// ufunc.at(a, indices[, b])
absl::StatusOr<symbolic::Value*> UpdateAt(symbolic::TraceContext& trace, BorrowedRef callable,
                                          const NumpyLibraryCallRow& row,
                                          const arrays::CallArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(const BoundArgs bound, BoundArgs::Bind(row.signature, nullptr, args));
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, bound.Tensor("a"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * key, bound.Required("indices"));
  DYNACC_RETURN_IF_ERROR(UpdateThroughIndices(trace, callable, AsNumpy(a), key, bound["b"]));
  return trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
}

}  // namespace

Ref UfuncMethod(BorrowedRef ufunc, absl::string_view name) {
  if (!IsUfunc(ufunc) || FindRow(name) == nullptr) return {};
  Ref method = Ref::Steal(PyObject_GetAttrString(ufunc, std::string(name).c_str()));
  PyErr_Clear();
  return method;
}

bool IsUfuncMethod(BorrowedRef callable) { return RowOf(callable) != nullptr; }

absl::StatusOr<symbolic::Value*> CallUfuncMethod(symbolic::TraceContext& trace,
                                                 BorrowedRef callable,
                                                 const arrays::CallArgs& args) {
  const NumpyLibraryCallRow& row = *RowOf(callable);
  if (absl::string_view(row.name) == "at") return UpdateAt(trace, callable, row, args);
  if (absl::string_view(row.name) == "reduce") {
    auto* ufunc = reinterpret_cast<PyUFuncObject*>(PyCFunction_GET_SELF(callable));
    absl::StatusOr<symbolic::Value*> reduced = Reduce(trace, ufunc, row, args);
    if (reduced.ok() || symbolic::IsRaisingBreak(reduced.status())) return reduced;
  }
  if (absl::string_view(row.name) == "outer") {
    absl::StatusOr<symbolic::Value*> outer = Outer(trace, PyCFunction_GET_SELF(callable), args);
    if (outer.ok() || symbolic::IsRaisingBreak(outer.status())) return outer;
  }
  DYNACC_RETURN_IF_ERROR(trace.RequireNoDecomposition(callable));
  return CallLibraryRow(trace, row, callable, nullptr, args);
}

}  // namespace dynacc::numpy
