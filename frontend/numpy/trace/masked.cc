#include "frontend/numpy/trace/masked.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/known_int.h"
#include "frontend/numpy/trace/operators.h"
#include "frontend/numpy/trace/storage.h"
#include "frontend/numpy/trace/stores.h"
#include "frontend/numpy/trace/subscript.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

bool IsMask(const symbolic::Value* key) {
  if (key->kind() != symbolic::ValueKind::kTensor) return false;
  const auto* tensor = static_cast<const symbolic::TensorValue*>(key);
  return tensor->node->dtype == DType::kBool && tensor->node->rank() > 0;
}

// The part of an array that a key with a mask looks at, and the mask over all of it.
struct MaskedPart {
  const ir::Node* node;  // the array's own, or a View of it
  Shape shape;
  const ir::Node* mask;
  COrder order;  // of the array and the mask, as a result's of the two
};

// The mask in `shape`, along its axes from `first` on; sizes may be the same by other expressions.
absl::StatusOr<const ir::Node*> MaskOver(symbolic::TraceContext& trace, NumpyTensor* mask,
                                         const Shape& shape, int first) {
  const int rank = mask->node->rank();
  if (first + rank > shape.rank()) return symbolic::RaisingBreak("a mask of a higher rank");
  std::vector<int64_t> axes(shape.rank(), -1);
  ScalarProgram& scalars = trace.graph().scalars();
  std::vector<ScalarId> steps(shape.rank(), scalars.Int(0));
  for (int axis = 0; axis < rank; ++axis) {
    if (!IsEqual(trace, SizeOf(mask, axis), shape.at(first + axis))) {
      return symbolic::RaisingBreak("a mask of another shape");
    }
    axes[first + axis] = axis;
    steps[first + axis] = scalars.Int(1);
  }
  if (absl::c_equal(mask->node->shape, shape.ids)) return mask->node;
  const std::vector<ScalarId> starts(rank, scalars.Int(0));
  return trace.graph().View(mask->node, shape.ids, axes, starts, steps);
}

absl::StatusOr<MaskedPart> WholePart(symbolic::TraceContext& trace, NumpyTensor* a,
                                     NumpyTensor* mask) {
  const Shape shape = ShapeOf(a);
  DYNACC_ASSIGN_OR_RETURN(const ir::Node* over, MaskOver(trace, mask, shape, 0));
  const bool whole = mask->node->rank() == shape.rank();
  return MaskedPart{a->node, shape, over,
                    whole ? Combine(a->c_order, mask->c_order) : std::nullopt};
}

// Of a tuple: the mask gives way to slices of all of its axes.
absl::StatusOr<MaskedPart> PartOfTuple(symbolic::TraceContext& trace, NumpyTensor* a,
                                       absl::Span<symbolic::Value* const> items) {
  NumpyTensor* mask = nullptr;
  int place = 0;  // of the mask among the part's axes
  std::vector<symbolic::Value*> key;
  symbolic::Value* const none = trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
  for (symbolic::Value* item : items) {
    if (IsMask(item)) {
      if (mask != nullptr) return symbolic::GraphBreak("a key with two masks");
      mask = AsNumpy(static_cast<symbolic::TensorValue*>(item));
      for (int i = 0; i < mask->node->rank(); ++i) {
        key.push_back(trace.New<symbolic::SliceValue>(none, none, none));
      }
      continue;
    }
    const bool is_slice =
        symbolic::As<symbolic::SliceValue>(item) != nullptr ||
        (symbolic::As<symbolic::ConstantValue>(item) != nullptr &&
         PySlice_Check(symbolic::As<symbolic::ConstantValue>(item)->object.get()));
    if (!is_slice && !IsPlainInt(item)) return symbolic::GraphBreak("a mask with another object");
    if (mask == nullptr && is_slice) ++place;
    key.push_back(item);
  }
  symbolic::Value* const tuple = trace.New<symbolic::TupleValue>(std::move(key));
  DYNACC_ASSIGN_OR_RETURN(const SubscriptedPart part, PartAt(trace, a, tuple));
  DYNACC_ASSIGN_OR_RETURN(const ir::Node* over, MaskOver(trace, mask, part.shape, place));
  return MaskedPart{part.node, part.shape, over, std::nullopt};
}

absl::StatusOr<MaskedPart> PartOf(symbolic::TraceContext& trace, NumpyTensor* a,
                                  symbolic::Value* key) {
  DYNACC_RETURN_IF_ERROR(a->is_scalar ? symbolic::GraphBreak("a mask on a number")
                                      : absl::OkStatus());
  if (IsMask(key)) return WholePart(trace, a, AsNumpy(static_cast<symbolic::TensorValue*>(key)));
  return PartOfTuple(trace, a, *ItemsOf(trace, key));
}

// The elements that count; ones for the others.
const ir::Node* Guarded(symbolic::TraceContext& trace, const symbolic::SelectionValue& selection) {
  ir::Graph& graph = trace.graph();
  const ir::Node* const node = selection.node;
  const ir::Node* const one = graph.Scalar(node->dtype, graph.scalars().Int(1));
  return graph.Where(selection.mask, node, graph.BroadcastTo(one, node->shape));
}

// Whether no operand of an integer dtype raises a flag.
bool NeverRaisesOnInts(int nb_op) {
  static constexpr int kHarmless[] = {NB_ADD, NB_SUBTRACT, NB_MULTIPLY, NB_AND,
                                      NB_OR,  NB_XOR,      NB_LSHIFT,   NB_RSHIFT};
  return absl::c_linear_search(kHarmless, nb_op);
}

Shape ShapeOfSelection(const symbolic::SelectionValue& selection) {
  Shape shape;
  for (size_t axis = 0; axis < selection.hint_shape.size(); ++axis) {
    shape.push_back({selection.node->shape[axis], selection.hint_shape[axis]});
  }
  return shape;
}

symbolic::Value* AsTensor(symbolic::TraceContext& trace, const symbolic::SelectionValue& selection,
                          bool guarded) {
  return NewTensor(trace, guarded ? Guarded(trace, selection) : selection.node,
                   ShapeOfSelection(selection), std::nullopt);
}

// The value as an operand of arithmetic with elements that `mask` selects.
absl::StatusOr<symbolic::Value*> OperandBeside(symbolic::TraceContext& trace,
                                               symbolic::Value* value, const ir::Node* mask,
                                               bool harmless_on_ints) {
  auto* const selection = symbolic::As<symbolic::SelectionValue>(value);
  if (selection == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(const Operand operand, MakeOperand(trace, value));
    if (operand.is_array())
      return symbolic::GraphBreak("an array beside elements that a mask selects");
    return value;
  }
  if (selection->mask != mask) return symbolic::GraphBreak("elements that different masks select");
  if (IsComplex(selection->node->dtype))
    return symbolic::GraphBreak("complex elements that a mask selects");
  const bool guarded = !harmless_on_ints || IsInexact(selection->node->dtype);
  return AsTensor(trace, *selection, guarded);
}

symbolic::SelectionValue* Computed(symbolic::TraceContext& trace,
                                   const symbolic::SelectionValue& from, const ir::Node* node) {
  auto* const made = trace.New<symbolic::SelectionValue>(node, from.mask, from.hint_shape);
  made->step = from.step;
  return made;
}

absl::Status UpdateSelection(symbolic::TraceContext& trace, symbolic::SelectionValue* target,
                             const ir::Node* result) {
  const DType dtype = target->node->dtype;
  if (!PyArray_CanCastTypeTo(Descr(result->dtype), Descr(dtype), NPY_SAME_KIND_CASTING)) {
    return symbolic::RaisingBreak("in-place update with a result of another kind");
  }
  target->node = result;
  if (result->dtype != dtype) target->node = trace.graph().Cast(dtype, Guarded(trace, *target));
  return absl::OkStatus();
}

}  // namespace

bool HasMask(symbolic::TraceContext& trace, symbolic::Value* key) {
  if (IsMask(key)) return true;
  if (key->kind() == symbolic::ValueKind::kList) return false;
  const auto items = ItemsOf(trace, key);
  return items && absl::c_any_of(*items, IsMask);
}

absl::StatusOr<symbolic::Value*> ReadMasked(symbolic::TraceContext& trace, NumpyTensor* a,
                                            symbolic::Value* key) {
  DYNACC_ASSIGN_OR_RETURN(const MaskedPart part, PartOf(trace, a, key));
  return trace.New<symbolic::SelectionValue>(part.node, part.mask, part.shape.hints);
}

absl::Status StoreMasked(symbolic::TraceContext& trace, NumpyTensor* a, symbolic::Value* key,
                         symbolic::Value* value) {
  DYNACC_ASSIGN_OR_RETURN(const MaskedPart part, PartOf(trace, a, key));
  ir::Graph& graph = trace.graph();
  const DType dtype = a->node->dtype;
  const ir::Node* chosen = nullptr;
  if (auto* const selection = symbolic::As<symbolic::SelectionValue>(value)) {
    if (selection->mask != part.mask)
      return symbolic::GraphBreak("elements that another mask selects");
    auto& open = trace.open_selections();
    std::erase_if(open, [&](const symbolic::SelectionValue* other) {
      return other->step == selection->step;
    });
    DYNACC_RETURN_IF_ERROR(RequireArrayCast(selection->node->dtype, dtype));
    const bool casts = selection->node->dtype != dtype;
    chosen = graph.Cast(dtype, casts ? Guarded(trace, *selection) : selection->node);
  } else {
    // An array gives one element for each that is chosen: how many is not known.
    DYNACC_ASSIGN_OR_RETURN(const Operand operand, MakeOperand(trace, value));
    if (operand.is_array())
      return symbolic::GraphBreak("an assignment of an array to masked elements");
    DYNACC_ASSIGN_OR_RETURN(const ir::Node* number, NumberAs(trace, value, dtype));
    chosen = graph.BroadcastTo(number, part.shape.ids);
  }
  return WritePart(trace, a, part.node, graph.Where(part.mask, chosen, part.node), part.order);
}

absl::StatusOr<symbolic::Value*> SelectionBinary(symbolic::TraceContext& trace, int nb_op,
                                                 bool in_place, symbolic::Value* a,
                                                 symbolic::Value* b) {
  auto* const left = symbolic::As<symbolic::SelectionValue>(a);
  auto* const right = symbolic::As<symbolic::SelectionValue>(b);
  const symbolic::SelectionValue& first = left != nullptr ? *left : *right;
  if (nb_op == NB_MATRIX_MULTIPLY) return symbolic::GraphBreak("a product of what a mask selects");
  const bool harmless = NeverRaisesOnInts(nb_op);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * x, OperandBeside(trace, a, first.mask, harmless));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * y, OperandBeside(trace, b, first.mask, harmless));
  if (IsComplex(first.node->dtype))
    return symbolic::GraphBreak("complex elements that a mask selects");
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * computed,
                          NumpyBinary(trace, nb_op, /*in_place=*/false, x, y));
  auto* const result = symbolic::As<symbolic::TensorValue>(computed);
  if (result == nullptr || IsComplex(result->node->dtype)) {
    return symbolic::GraphBreak("complex elements that a mask selects");
  }
  if (in_place && left != nullptr) {
    DYNACC_RETURN_IF_ERROR(UpdateSelection(trace, left, result->node));
    return left;
  }
  symbolic::SelectionValue* const made = Computed(trace, first, result->node);
  if (right != nullptr) made->step = std::min(made->step, right->step);
  return made;
}

absl::StatusOr<symbolic::Value*> SelectionUnary(symbolic::TraceContext& trace, int opcode,
                                                symbolic::SelectionValue* a) {
  if (IsComplex(a->node->dtype))
    return symbolic::GraphBreak("complex elements that a mask selects");
  symbolic::Value* const operand = AsTensor(trace, *a, IsInexact(a->node->dtype));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * computed,
                          NumpyUnary(trace, opcode, static_cast<symbolic::TensorValue*>(operand)));
  auto* const result = symbolic::As<symbolic::TensorValue>(computed);
  if (result == nullptr) return symbolic::GraphBreak("an operator on elements that a mask selects");
  return Computed(trace, *a, result->node);
}

}  // namespace dynacc::numpy
