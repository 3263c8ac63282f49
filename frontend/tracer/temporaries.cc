#include "frontend/tracer/temporaries.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/symbolic/binary_operator.h"
#include "frontend/tracer/references.h"

namespace dynacc::tracer {
namespace {

// NPY_MIN_ELIDE_BYTES of temp_elide.c.
constexpr int64_t kLeastBytes = 256 * 1024;

// Whether the instruction may leave on the stack an array that nothing else refers to.
bool MayLeaveFresh(const bytecode::Instruction& instruction) {
  constexpr int kMay[] = {CALL,          CALL_KW,        CALL_FUNCTION_EX,
                          BINARY_SUBSCR, BINARY_SLICE,   UNARY_NEGATIVE,
                          UNARY_INVERT,  UNARY_POSITIVE, COMPARE_OP};
  if (instruction.opcode == BINARY_OP) return instruction.arg < NB_INPLACE_ADD;
  return absl::c_linear_search(kMay, instruction.opcode);
}

// Whether what the instruction leaves on the stack has a name.
bool LoadsName(const bytecode::Instruction& instruction) {
  constexpr int kLoads[] = {LOAD_FAST,  LOAD_FAST_LOAD_FAST, STORE_FAST_LOAD_FAST,
                            LOAD_DEREF, LOAD_GLOBAL,         LOAD_CLASSDEREF,
                            LOAD_NAME,  LOAD_CONST};
  return absl::c_linear_search(kLoads, instruction.opcode);
}

// Where jumps from before lead to, ascending; found once for the code that was asked about last.
const std::vector<int>& ForwardTargets(const std::shared_ptr<const bytecode::DecodedCode>& code) {
  static thread_local std::weak_ptr<const bytecode::DecodedCode> last;
  static thread_local std::vector<int> targets;
  if (last.lock() == code) return targets;
  targets.clear();
  for (const bytecode::Instruction& jump : code->instructions()) {
    if (jump.start < jump.target) targets.push_back(jump.target);
  }
  absl::c_sort(targets);
  last = code;
  return targets;
}

enum class Held { kNo, kYes, kUnknown };

// Whether what the segment found on its stack, `from_top` of it before the instruction, is held by
// more than the stack. What has a name is; so is an attribute taken to be, unless there is to be no
// `doubt`.
Held IsFoundHeld(Tracer& tracer, const bytecode::Instruction& instruction, int from_top,
                 bool doubt) {
  const bytecode::DecodedCode& code = *tracer.frame().code;
  const std::vector<bytecode::Instruction>& all = code.instructions();
  const int depth = code.StackDepth(instruction.offset) - from_top;
  int maker = code.IndexAt(instruction.offset) - 1;
  // Two entries may be one instruction's.
  const auto makes = [&](int index) {
    const int after = code.StackDepth(all[index + 1].offset);
    return after == depth || (after > depth && code.StackDepth(all[index].offset) < depth);
  };
  while (maker >= 0 && !makes(maker)) --maker;
  if (maker < 0) return Held::kYes;
  // Another way may lead here from before the operand, which leaves another operand.
  const std::vector<int>& targets = ForwardTargets(tracer.frame().code);
  const auto joins_behind = absl::c_upper_bound(targets, all[maker].start);
  const bool joins =
      std::any_of(joins_behind, std::upper_bound(joins_behind, targets.end(), instruction.start),
                  [&](int target) { return code.StackDepth(target) == depth; });
  if (joins || MayLeaveFresh(all[maker])) return Held::kUnknown;
  return doubt && !LoadsName(all[maker]) ? Held::kUnknown : Held::kYes;
}

// Whether the segment found the value on its stack, or in what it found there.
bool IsFromStack(const symbolic::Value& value) {
  const sources::Source* source = value.source();
  while (source != nullptr && source->parent != nullptr) source = source->parent;
  return source != nullptr && source->kind == sources::SourceKind::kStack;
}

// Whether an operand of the instruction, already taken from `from_top` of the stack, is held by
// more than the stack.
Held IsHeld(Tracer& tracer, symbolic::Value* value, const bytecode::Instruction& instruction,
            int from_top, bool doubt) {
  const sources::Source* source = value->source();
  if (source != nullptr && source->kind == sources::SourceKind::kStack) {
    return IsFoundHeld(tracer, instruction, from_top, doubt);
  }
  const Reached reached = IsReached(value, tracer.Roots());
  // What held it may have been taken from the stack since, and be gone.
  const bool may_be_gone = source != nullptr && reached != Reached::kYes;
  if (may_be_gone || (reached == Reached::kUnknown && doubt)) return Held::kUnknown;
  return reached == Reached::kNo ? Held::kNo : Held::kYes;
}

// The largest number if that is more than there can be: of arrays that no memory holds.
int64_t BytesOf(const symbolic::TensorValue& tensor) {
  int64_t bytes = ItemSize(tensor.node->dtype);
  bool too_large = false;
  for (const int64_t size : tensor.hint_shape) {
    if (size == 0) return 0;
    too_large |= __builtin_mul_overflow(bytes, size, &bytes);
  }
  return too_large ? std::numeric_limits<int64_t>::max() : bytes;
}

// Requires at every call that the array is as large, or as small, as in this one.
void RequireExtent(symbolic::TraceContext& trace, const symbolic::TensorValue& tensor, bool large) {
  ScalarProgram& scalars = trace.graph().scalars();
  ScalarId bytes = scalars.Int(ItemSize(tensor.node->dtype));
  for (const ScalarId size : tensor.node->shape) {
    bytes = scalars.Apply(ScalarOp::kMul, bytes, size);
  }
  int64_t known = 0;
  if (scalars.IsIntConst(bytes, &known)) return;
  const ScalarId least = scalars.Int(kLeastBytes);
  trace.RequireTrue(large ? scalars.Apply(ScalarOp::kLe, least, bytes)
                          : scalars.Apply(ScalarOp::kLt, bytes, least));
}

bool IsExactArray(symbolic::Value* value) {
  auto* tensor = symbolic::As<symbolic::TensorValue>(value);
  return tensor != nullptr && !tensor->is_scalar && !tensor->is_native;
}

// Whether `operand`, an operand of the operator that gave `result`, could hold it. `other`: the
// other operand, or null.
bool Fits(symbolic::Value* operand, symbolic::Value* other, const symbolic::TensorValue& result) {
  if (!IsExactArray(operand)) return false;
  auto* tensor = symbolic::As<symbolic::TensorValue>(operand);
  const bool own =
      tensor->view_of == nullptr && (tensor->source() == nullptr || IsFromStack(*tensor));
  const bool same =
      tensor->node->dtype == result.node->dtype && tensor->hint_shape == result.hint_shape;
  auto* with = symbolic::As<symbolic::TensorValue>(other);
  return own && same &&
         (with == nullptr || with->node->rank() == 0 ||
          (!with->is_native && with->hint_shape == result.hint_shape));
}

// `node` with the sizes of `other`, which are the same.
const ir::Node* WithSizes(ir::Graph& graph, const ir::Node* node, const ir::Node* other) {
  if (node->shape == other->shape) return node;
  std::vector<int64_t> axes(node->rank());
  std::iota(axes.begin(), axes.end(), 0);
  const std::vector<ScalarId> start(node->rank(), graph.scalars().Int(0));
  const std::vector<ScalarId> step(node->rank(), graph.scalars().Int(1));
  return graph.View(node, other->shape, axes, start, step);
}

symbolic::Elision ElisionOf(int nb_op) {
  return nb_op < NB_INPLACE_ADD ? symbolic::OperatorOf(nb_op).elision : symbolic::Elision::kNone;
}

// Whether the array library may compute it with other bits in an operand's memory: a product of
// complex numbers (ArrayNamespace::InOperandsMemory, which makes a node, knows).
bool MayHaveOtherBits(const ir::Node& made) {
  return IsComplex(made.dtype) &&
         (made.op == Op::kMultiply || made.op == Op::kMultiplyFused || ir::MakesCall(made));
}

// Whether nothing tells at capture how the memory of `holder` lies: the array library makes it, and
// the stride of an axis of one element follows from no order.
bool LiesAnyhow(symbolic::TraceContext& trace, const symbolic::TensorValue& holder) {
  if (!ir::MakesCall(*holder.node)) return false;
  const ScalarId one = trace.graph().scalars().Int(1);
  for (int axis = 0; axis < holder.node->rank(); ++axis) {
    if (trace.SameSize(holder.node->shape[axis], holder.hint_shape[axis], one, 1)) return true;
  }
  return false;
}

}  // namespace

absl::Status PlaceInTemporary(Tracer& tracer, const bytecode::Instruction& instruction,
                              symbolic::Value* left, symbolic::Value* right,
                              symbolic::Value* result) {
  auto* made = symbolic::As<symbolic::TensorValue>(result);
  if (!IsExactArray(result) || made->source() != nullptr || made->node->rank() == 0) {
    return absl::OkStatus();
  }
  const arrays::ArrayNamespace& library = *arrays::LoadedArrayNamespace();
  const symbolic::Elision elision =
      right == nullptr ? symbolic::Elision::kLeft : ElisionOf(instruction.arg);
  if (elision == symbolic::Elision::kNone) return absl::OkStatus();
  const bool may_be_right = elision == symbolic::Elision::kEither && library.TakesRightMemory(left);
  const bool may_have_other_bits = MayHaveOtherBits(*made->node);
  // The order of one axis is always the same.
  if (made->node->rank() < 2 && !may_have_other_bits) return absl::OkStatus();
  const bool large = BytesOf(*made) >= kLeastBytes;
  if (large && !library.ComputesInTemporaries()) return absl::OkStatus();
  for (symbolic::Value* holder : {left, right}) {
    if (holder == nullptr || (holder == right && !may_be_right)) break;
    if (left == right || !Fits(holder, holder == left ? right : left, *made)) continue;
    const int from_top = holder == left && right != nullptr ? 1 : 0;
    Held held = IsHeld(tracer, holder, instruction, from_top, may_have_other_bits);
    if (held == Held::kYes) continue;
    RequireExtent(tracer.trace(), *made, large);
    if (!large) break;
    const ir::Node* const in_place =
        library.InOperandsMemory(made->node, holder != left, tracer.trace());
    if (in_place == made->node) {
      if (made->node->rank() < 2) break;
      held = IsHeld(tracer, holder, instruction, from_top, /*doubt=*/false);
      if (held == Held::kYes) continue;
    }
    if (held == Held::kUnknown || in_place == nullptr ||
        LiesAnyhow(tracer.trace(), *symbolic::As<symbolic::TensorValue>(holder))) {
      return symbolic::GraphBreak("an operand that may be a temporary array");
    }
    ir::Graph& graph = tracer.trace().graph();
    made->node = graph.Update(
        WithSizes(graph, symbolic::As<symbolic::TensorValue>(holder)->node, in_place), in_place);
    break;
  }
  return absl::OkStatus();
}

}  // namespace dynacc::tracer
