#include "frontend/numpy/trace/masked.h"

#include <opcode.h>

#include <algorithm>

#include "absl/algorithm/container.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/operators.h"
#include "frontend/numpy/trace/storage.h"
#include "frontend/numpy/trace/stores.h"
#include "frontend/numpy/trace/subscript.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

bool IsMask(const Value* key) {
  if (key->kind() != ValueKind::kTensor) return false;
  const auto* tensor = static_cast<const TensorValue*>(key);
  return tensor->node->dtype == DType::kBool && tensor->node->rank() > 0;
}

// The part of an array that a key with a mask looks at, and the mask over all of it.
struct MaskedPart {
  const Node* node;  // the array's own, or a View of it
  Shape shape;
  const Node* mask;
  COrder order;  // of the array and the mask, as a result's of the two
};

// The mask in `shape`, along its axes from `first` on; sizes may be the same by other expressions.
absl::StatusOr<const Node*> MaskOver(TraceContext& trace, NumpyTensor* mask, const Shape& shape,
                                     int first) {
  const int rank = mask->node->rank();
  if (first + rank > shape.rank()) return RaisingBreak("a mask of a higher rank");
  std::vector<int64_t> axes(shape.rank(), -1);
  ScalarProgram& scalars = trace.graph().scalars();
  std::vector<ScalarId> steps(shape.rank(), scalars.Int(0));
  for (int axis = 0; axis < rank; ++axis) {
    if (!IsEqual(trace, SizeOf(mask, axis), shape.at(first + axis))) {
      return RaisingBreak("a mask of another shape");
    }
    axes[first + axis] = axis;
    steps[first + axis] = scalars.Int(1);
  }
  if (absl::c_equal(mask->node->shape, shape.ids)) return mask->node;
  const std::vector<ScalarId> starts(rank, scalars.Int(0));
  return trace.graph().View(mask->node, shape.ids, axes, starts, steps);
}

absl::StatusOr<MaskedPart> WholePart(TraceContext& trace, NumpyTensor* a, NumpyTensor* mask) {
  const Shape shape = ShapeOf(a);
  DYNACC_ASSIGN_OR_RETURN(const Node* over, MaskOver(trace, mask, shape, 0));
  const bool whole = mask->node->rank() == shape.rank();
  return MaskedPart{a->node, shape, over,
                    whole ? Combine(a->c_order, mask->c_order) : std::nullopt};
}

bool IsPlainIndex(Value* value) {
  if (auto* number = As<NumberValue>(value)) return number->type == ScalarType::kInt;
  auto* constant = As<ConstantValue>(value);
  return constant != nullptr && PyLong_CheckExact(constant->object.get());
}

// Of a tuple: the mask gives way to slices of all of its axes.
absl::StatusOr<MaskedPart> PartOfTuple(TraceContext& trace, NumpyTensor* a,
                                       absl::Span<Value* const> items) {
  NumpyTensor* mask = nullptr;
  int place = 0;  // of the mask among the part's axes
  std::vector<Value*> key;
  Value* const none = trace.New<ConstantValue>(Ref::New(Py_None));
  for (Value* item : items) {
    if (IsMask(item)) {
      if (mask != nullptr) return GraphBreak("a key with two masks");
      mask = AsNumpy(static_cast<TensorValue*>(item));
      for (int i = 0; i < mask->node->rank(); ++i) {
        key.push_back(trace.New<SliceValue>(none, none, none));
      }
      continue;
    }
    const bool is_slice =
        As<SliceValue>(item) != nullptr || (As<ConstantValue>(item) != nullptr &&
                                            PySlice_Check(As<ConstantValue>(item)->object.get()));
    if (!is_slice && !IsPlainIndex(item)) return GraphBreak("a mask with another object");
    if (mask == nullptr && is_slice) ++place;
    key.push_back(item);
  }
  Value* const tuple = trace.New<TupleValue>(std::move(key));
  DYNACC_ASSIGN_OR_RETURN(const SubscriptedPart part, PartAt(trace, a, tuple));
  DYNACC_ASSIGN_OR_RETURN(const Node* over, MaskOver(trace, mask, part.shape, place));
  return MaskedPart{part.node, part.shape, over, std::nullopt};
}

absl::StatusOr<MaskedPart> PartOf(TraceContext& trace, NumpyTensor* a, Value* key) {
  DYNACC_RETURN_IF_ERROR(a->is_scalar ? GraphBreak("a mask on a number") : absl::OkStatus());
  if (IsMask(key)) return WholePart(trace, a, AsNumpy(static_cast<TensorValue*>(key)));
  return PartOfTuple(trace, a, *ItemsOf(trace, key));
}

// The elements that count; ones for the others.
const Node* Guarded(TraceContext& trace, const SelectionValue& selection) {
  Graph& graph = trace.graph();
  const Node* const node = selection.node;
  const Node* const one = graph.Scalar(node->dtype, graph.scalars().Int(1));
  return graph.Where(selection.mask, node, graph.BroadcastTo(one, node->shape));
}

// Whether no operand of an integer dtype raises a flag.
bool NeverRaisesOnInts(int nb_op) {
  static constexpr int kHarmless[] = {NB_ADD, NB_SUBTRACT, NB_MULTIPLY, NB_AND,
                                      NB_OR,  NB_XOR,      NB_LSHIFT,   NB_RSHIFT};
  return absl::c_linear_search(kHarmless, nb_op);
}

Shape ShapeOfSelection(const SelectionValue& selection) {
  Shape shape;
  for (size_t axis = 0; axis < selection.hint_shape.size(); ++axis) {
    shape.push_back({selection.node->shape[axis], selection.hint_shape[axis]});
  }
  return shape;
}

Value* AsTensor(TraceContext& trace, const SelectionValue& selection, bool guarded) {
  return NewTensor(trace, guarded ? Guarded(trace, selection) : selection.node,
                   ShapeOfSelection(selection), std::nullopt);
}

// The value as an operand of arithmetic with elements that `mask` selects.
absl::StatusOr<Value*> OperandBeside(TraceContext& trace, Value* value, const Node* mask,
                                     bool harmless_on_ints) {
  auto* const selection = As<SelectionValue>(value);
  if (selection == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(const Operand operand, MakeOperand(trace, value));
    if (operand.is_array()) return GraphBreak("an array beside elements that a mask selects");
    return value;
  }
  if (selection->mask != mask) return GraphBreak("elements that different masks select");
  if (IsComplex(selection->node->dtype)) return GraphBreak("complex elements that a mask selects");
  const bool guarded = !harmless_on_ints || IsInexact(selection->node->dtype);
  return AsTensor(trace, *selection, guarded);
}

SelectionValue* Computed(TraceContext& trace, const SelectionValue& from, const Node* node) {
  auto* const made = trace.New<SelectionValue>(node, from.mask, from.hint_shape);
  made->step = from.step;
  return made;
}

absl::Status UpdateSelection(TraceContext& trace, SelectionValue* target, const Node* result) {
  const DType dtype = target->node->dtype;
  if (!PyArray_CanCastTypeTo(Descr(result->dtype), Descr(dtype), NPY_SAME_KIND_CASTING)) {
    return RaisingBreak("in-place update with a result of another kind");
  }
  target->node = result;
  if (result->dtype != dtype) target->node = trace.graph().Cast(dtype, Guarded(trace, *target));
  return absl::OkStatus();
}

}  // namespace

bool HasMask(TraceContext& trace, Value* key) {
  if (IsMask(key)) return true;
  if (key->kind() == ValueKind::kList) return false;
  const auto items = ItemsOf(trace, key);
  return items && absl::c_any_of(*items, IsMask);
}

absl::StatusOr<Value*> ReadMasked(TraceContext& trace, NumpyTensor* a, Value* key) {
  DYNACC_ASSIGN_OR_RETURN(const MaskedPart part, PartOf(trace, a, key));
  return trace.New<SelectionValue>(part.node, part.mask, part.shape.hints);
}

absl::Status StoreMasked(TraceContext& trace, NumpyTensor* a, Value* key, Value* value) {
  DYNACC_ASSIGN_OR_RETURN(const MaskedPart part, PartOf(trace, a, key));
  Graph& graph = trace.graph();
  const DType dtype = a->node->dtype;
  const Node* chosen = nullptr;
  if (auto* const selection = As<SelectionValue>(value)) {
    if (selection->mask != part.mask) return GraphBreak("elements that another mask selects");
    auto& open = trace.open_selections();
    std::erase_if(open,
                  [&](const SelectionValue* other) { return other->step == selection->step; });
    DYNACC_RETURN_IF_ERROR(RequireArrayCast(selection->node->dtype, dtype));
    const bool casts = selection->node->dtype != dtype;
    chosen = graph.Cast(dtype, casts ? Guarded(trace, *selection) : selection->node);
  } else {
    // An array gives one element for each that is chosen: how many is not known.
    DYNACC_ASSIGN_OR_RETURN(const Operand operand, MakeOperand(trace, value));
    if (operand.is_array()) return GraphBreak("an assignment of an array to masked elements");
    DYNACC_ASSIGN_OR_RETURN(const Node* number, NumberAs(trace, value, dtype));
    chosen = graph.BroadcastTo(number, part.shape.ids);
  }
  return WritePart(trace, a, part.node, graph.Where(part.mask, chosen, part.node), part.order);
}

absl::StatusOr<Value*> SelectionBinary(TraceContext& trace, int nb_op, bool in_place, Value* a,
                                       Value* b) {
  auto* const left = As<SelectionValue>(a);
  auto* const right = As<SelectionValue>(b);
  const SelectionValue& first = left != nullptr ? *left : *right;
  if (nb_op == NB_MATRIX_MULTIPLY) return GraphBreak("a product of what a mask selects");
  const bool harmless = NeverRaisesOnInts(nb_op);
  DYNACC_ASSIGN_OR_RETURN(Value * x, OperandBeside(trace, a, first.mask, harmless));
  DYNACC_ASSIGN_OR_RETURN(Value * y, OperandBeside(trace, b, first.mask, harmless));
  if (IsComplex(first.node->dtype)) return GraphBreak("complex elements that a mask selects");
  DYNACC_ASSIGN_OR_RETURN(Value * computed, NumpyBinary(trace, nb_op, /*in_place=*/false, x, y));
  auto* const result = As<TensorValue>(computed);
  if (result == nullptr || IsComplex(result->node->dtype)) {
    return GraphBreak("complex elements that a mask selects");
  }
  if (in_place && left != nullptr) {
    DYNACC_RETURN_IF_ERROR(UpdateSelection(trace, left, result->node));
    return left;
  }
  SelectionValue* const made = Computed(trace, first, result->node);
  if (right != nullptr) made->step = std::min(made->step, right->step);
  return made;
}

absl::StatusOr<Value*> SelectionUnary(TraceContext& trace, int opcode, SelectionValue* a) {
  if (IsComplex(a->node->dtype)) return GraphBreak("complex elements that a mask selects");
  Value* const operand = AsTensor(trace, *a, IsInexact(a->node->dtype));
  DYNACC_ASSIGN_OR_RETURN(Value * computed,
                          NumpyUnary(trace, opcode, static_cast<TensorValue*>(operand)));
  auto* const result = As<TensorValue>(computed);
  if (result == nullptr) return GraphBreak("an operator on elements that a mask selects");
  return Computed(trace, *a, result->node);
}

}  // namespace dynacc
