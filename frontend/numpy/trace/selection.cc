// np.where and np.clip.
#include <cmath>

#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/bit_exactness.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/in_place.h"
#include "frontend/numpy/trace/scatter.h"
#include "frontend/numpy/trace/weak_numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// np.where promotes its two values with each other; the condition is taken as bools.
std::vector<int> ResolveWhere(absl::Span<PyObject* const> operands) {
  const int type = HasWeakNumbers() ? WeakResultType(operands[1], operands[2])
                                    : ResultTypeByValue(operands[1], operands[2]);
  if (type < 0) return {};
  return {NPY_BOOL, type, type, type};
}

absl::StatusOr<std::vector<Operand>> OperandsFrom(symbolic::TraceContext& trace,
                                                  absl::Span<symbolic::Value* const> values) {
  std::vector<Operand> operands;
  for (symbolic::Value* value : values) {
    DYNACC_ASSIGN_OR_RETURN(Operand operand, MakeOperand(trace, value));
    operands.push_back(std::move(operand));
  }
  return operands;
}

// A bound of np.clip that is a NaN counts as left out, with a warning. Breaks unless the bound is
// no single float, or one that is not NaN at every call; one that a live run computes ends it.
absl::Status RequireNoNan(symbolic::TraceContext& trace, Operand& bound) {
  if (IsComplex(bound.dtype)) return symbolic::GraphBreak("a complex bound");
  if (bound.is_array() || !IsFloat(bound.dtype)) return absl::OkStatus();
  if (bound.number != nullptr && !std::isnan(bound.number->hint.f)) {
    const ScalarId id = bound.number->id;
    trace.RequireTrue(trace.graph().scalars().Apply(ScalarOp::kEq, id, id));
    return absl::OkStatus();
  }
  if (bound.tensor != nullptr && !bound.object && !trace.has_free_orders()) {
    const ir::Node* const node = bound.tensor->node;
    const ir::Node* const is_nan = trace.graph().Unary(Op::kIsNan, node);
    auto* const checked = NewTensor(trace, EndRunIf(trace, is_nan, node), bound.shape,
                                    COrder(std::in_place), /*scalar_if_rank_0=*/false);
    checked->is_scalar = bound.tensor->is_scalar;
    bound.tensor = checked;
    return absl::OkStatus();
  }
  const bool is_constant =
      bound.object && (bound.tensor == nullptr || bound.tensor->source() == nullptr);
  if (!is_constant || std::isnan(PyFloat_AsDouble(bound.object.get()))) {
    return symbolic::GraphBreak("a bound that may be NaN");
  }
  return absl::OkStatus();
}

// One step of NumPy's clip loop (numpy/core/src/umath/clip.cpp), which differs from maximum and
// minimum in the sign of zeros. `comparison` says which elements are within the bound. Old loops
// take `a` where it is NaN or the comparison holds (_NPY_MAX and _NPY_MIN), new ones the bound
// where the opposite holds.
const ir::Node* ClipStep(ir::Graph& graph, Op comparison, ClipKeeps keeps, const ir::Node* a,
                         const ir::Node* bound) {
  if (keeps == ClipKeeps::kElement)
    return graph.Where(graph.Binary(comparison, bound, a), bound, a);
  const ir::Node* keep = graph.Binary(comparison, a, bound);
  if (IsFloat(a->dtype)) keep = graph.Binary(Op::kLogicalOr, graph.Unary(Op::kIsNan, a), keep);
  return graph.Where(keep, a, bound);
}

// `clipped` with the derivative of minimum(maximum(a, min), max): an element that ties with a bound
// shares the cotangent with it, as it does where one bound is given.
const ir::Node* WithClipGradient(ir::Graph& graph, const ir::Node* clipped, const ir::Node* a,
                                 const ir::Node* min, const ir::Node* max) {
  // What is made from the cotangent on goes where nobody asks for a derivative.
  const ir::Node* const cotangent = graph.Unary(Op::kCotangent, clipped);
  const ir::Node* const low = graph.Binary(Op::kMaximum, a, min);
  const ir::Node* const both = graph.Binary(Op::kMinimum, low, max);
  const ir::Node* const none = graph.Full(a->dtype, graph.scalars().Float(0), a->shape);
  return graph.Make(Op::kCustomGradient, clipped->dtype, clipped->shape,
                    {clipped, cotangent, both, cotangent, a, none, min, none, max, none}, {});
}

// How the loop treats equal elements and bounds; kOther if it is not known, as of bounds of which
// NumPy may take one element for all.
ClipKeeps KeepsOf(DType dtype, absl::Span<const Operand> operands) {
  const bool are_numbers = !operands[1].is_array() && !operands[2].is_array();
  const ClipKeeps keeps = ClipKeepsOf(dtype, are_numbers);
  if (are_numbers || keeps == ClipKeepsOf(dtype, true)) return keeps;
  return ClipKeeps::kOther;
}

absl::StatusOr<NumpyTensor*> ClipBetween(symbolic::TraceContext& trace,
                                         absl::Span<const Operand> operands) {
  for (const Operand& operand : operands) {
    if (IsComplex(operand.dtype)) return symbolic::GraphBreak("clip of complex numbers");
  }
  PyUFuncObject* clip = InternalUfunc("clip");
  if (clip == nullptr) return symbolic::GraphBreak("clip is not NumPy's own");
  const auto resolve = [clip](absl::Span<PyObject* const> examples) {
    return ResolveTypes(clip, examples);
  };
  DYNACC_ASSIGN_OR_RETURN(const Prepared prepared, Prepare(trace, resolve, operands));
  const ir::Node* const a = prepared.nodes[0];
  const ir::Node* const min = prepared.nodes[1];
  const ir::Node* const max = prepared.nodes[2];
  // NumPy 2 then drops a Python int that no element is beyond.
  if (HasWeakNumbers() && IsInteger(operands[0].dtype) && !IsInteger(a->dtype)) {
    return symbolic::GraphBreak("clip of integers to floats");
  }
  const ClipKeeps keeps = KeepsOf(a->dtype, operands);
  if (keeps == ClipKeeps::kOther)
    return symbolic::GraphBreak("clip as this version of NumPy computes it");
  const ir::Node* low = ClipStep(trace.graph(), Op::kGreater, keeps, a, min);
  const ir::Node* both = ClipStep(trace.graph(), Op::kLess, keeps, low, max);
  // Laid out by the one ufunc, not by the steps.
  const ir::Node* result =
      trace.graph().Make(Op::kUpdate, both->dtype, both->shape, {both, a, min, max}, {});
  const bool has_gradient = IsInexact(a->dtype) && !IsLowPrecision(a->dtype);
  if (has_gradient && MayBeDifferentiated(trace)) {
    result = WithClipGradient(trace.graph(), result, a, min, max);
  }
  return NewTensor(trace, result, prepared.shape, prepared.c_order);
}

// `low` and `high`: null for no bound. With one bound NumPy runs maximum or minimum.
absl::StatusOr<symbolic::Value*> Clip(symbolic::TraceContext& trace, const BoundArgs& args,
                                      symbolic::Value* low, symbolic::Value* high) {
  auto* const out = symbolic::As<symbolic::TensorValue>(args.GivenOrNull("out"));
  if (out == nullptr) DYNACC_RETURN_IF_ERROR(args.RefuseGiven("out"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  if (low == nullptr && high == nullptr) return symbolic::GraphBreak("clip without bounds");
  std::vector<symbolic::Value*> values = {a};
  for (symbolic::Value* bound : {low, high}) {
    if (bound != nullptr) values.push_back(bound);
  }
  DYNACC_ASSIGN_OR_RETURN(auto operands, OperandsFrom(trace, values));
  for (size_t i = 1; i < operands.size(); ++i) {
    DYNACC_RETURN_IF_ERROR(RequireNoNan(trace, operands[i]));
  }
  const Op one_sided = low == nullptr ? Op::kMinimum : Op::kMaximum;
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, operands.size() == 2
                                                    ? Elementwise(trace, one_sided, operands)
                                                    : ClipBetween(trace, operands));
  if (out == nullptr) return result;
  if (out->node->dtype != result->node->dtype)
    return symbolic::GraphBreak("argument out of another dtype");
  DYNACC_RETURN_IF_ERROR(UpdateInPlace(trace, AsNumpy(out), result));
  return out;
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceWhere(symbolic::TraceContext& trace, const BoundArgs& args,
                                            Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * condition, args.Required("condition"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * x, args.Required("x"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * y, args.Required("y"));
  DYNACC_ASSIGN_OR_RETURN(const auto operands, OperandsFrom(trace, {condition, x, y}));
  DYNACC_ASSIGN_OR_RETURN(const Prepared prepared, Prepare(trace, ResolveWhere, operands));
  const ir::Node* node =
      trace.graph().Where(prepared.nodes[0], prepared.nodes[1], prepared.nodes[2]);
  return NewTensor(trace, node, prepared.shape, prepared.c_order, /*scalar_if_rank_0=*/false);
}

namespace {

// As np.select: the choices among themselves, and the result of that with the default.
std::vector<int> ResolveSelect(absl::Span<PyArrayObject* const> arrays, size_t num_conditions) {
  std::vector<PyArrayObject*> choices(arrays.begin() + num_conditions, arrays.end());
  PyArrayObject* otherwise = choices.back();
  PyArray_Descr* among =
      PyArray_ResultType(static_cast<npy_intp>(choices.size()) - 1, choices.data(), 0, nullptr);
  PyArray_Descr* common = among == nullptr ? nullptr : PyArray_ResultType(1, &otherwise, 1, &among);
  std::vector<int> types;
  if (common != nullptr) {
    types.assign(num_conditions, NPY_BOOL);
    types.resize(arrays.size() + 1, common->type_num);
  }
  Py_XDECREF(among);
  Py_XDECREF(common);
  PyErr_Clear();
  return types;
}

// More of them are left to NumPy: every element is computed of all choices.
constexpr size_t kMaxChoices = 16;

}  // namespace

absl::StatusOr<symbolic::Value*> TraceSelect(symbolic::TraceContext& trace, const BoundArgs& args,
                                             Op) {
  if (HasWeakNumbers()) return symbolic::GraphBreak("choices by the rules of NumPy 2");
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * condlist, args.Required("condlist"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * choicelist, args.Required("choicelist"));
  const auto conditions = ItemsOf(trace, condlist);
  const auto choices = ItemsOf(trace, choicelist);
  if (!conditions || !choices) return symbolic::GraphBreak("conditions that are in no list");
  const size_t count = conditions->size();
  if (count == 0 || count != choices->size() || count > kMaxChoices) {
    return symbolic::GraphBreak("another number of choices");
  }
  std::vector<symbolic::Value*> values = *conditions;
  values.insert(values.end(), choices->begin(), choices->end());
  symbolic::Value* const given = args["default"];
  symbolic::Value* const zero = trace.New<symbolic::ConstantValue>(Ref::Steal(PyLong_FromLong(0)));
  values.push_back(given == nullptr ? zero : given);
  DYNACC_ASSIGN_OR_RETURN(const auto operands, OperandsFrom(trace, values));
  for (size_t i = 0; i < count; ++i) {
    if (operands[i].dtype != DType::kBool || !operands[i].is_array()) {
      return symbolic::GraphBreak("a condition that is no array of truths");
    }
  }
  const auto resolve = [count](absl::Span<PyObject* const> examples) {
    std::vector<PyArrayObject*> arrays;
    for (PyObject* example : examples) arrays.push_back(AsArray(example));
    return ResolveSelect(arrays, count);
  };
  DYNACC_ASSIGN_OR_RETURN(const Prepared prepared, Prepare(trace, resolve, operands));
  ir::Graph& graph = trace.graph();
  const ir::Node* node = prepared.nodes.back();
  for (size_t i = count; i-- > 0;) {
    node = graph.Where(prepared.nodes[i], prepared.nodes[count + i], node);
  }
  NumpyTensor* chosen = NewTensor(trace, node, prepared.shape, prepared.c_order,
                                  /*scalar_if_rank_0=*/false);
  if (RequireCOrder(trace, chosen)) return chosen;
  // NumPy fills an array of its own.
  return NewTensor(trace, graph.Copied(Op::kCOrder, node), prepared.shape, COrder(std::in_place),
                   /*scalar_if_rank_0=*/false);
}

absl::StatusOr<symbolic::Value*> TraceClipFunction(symbolic::TraceContext& trace,
                                                   const BoundArgs& args, Op) {
  if (args["min"] != nullptr || args["max"] != nullptr) {
    const bool are_both = args["a_min"] != nullptr || args["a_max"] != nullptr;
    if (NumpyVersion() < 201 || are_both) return symbolic::RaisingBreak("bounds by other names");
    return Clip(trace, args, args.GivenOrNull("min"), args.GivenOrNull("max"));
  }
  DYNACC_RETURN_IF_ERROR(args.Required("a_min").status());
  DYNACC_RETURN_IF_ERROR(args.Required("a_max").status());
  return Clip(trace, args, args.GivenOrNull("a_min"), args.GivenOrNull("a_max"));
}

absl::StatusOr<symbolic::Value*> TraceClipMethod(symbolic::TraceContext& trace,
                                                 const BoundArgs& args, Op) {
  return Clip(trace, args, args.GivenOrNull("min"), args.GivenOrNull("max"));
}

}  // namespace dynacc::numpy
