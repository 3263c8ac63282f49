#include "frontend/numpy/trace/storage.h"

#include "absl/container/flat_hash_map.h"
#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/matmul/ordered_matmul.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc::numpy {
namespace {

StridedView MemoryOf(const symbolic::TensorValue* tensor) {
  StridedView view;
  ReadNumpy(static_cast<const NumpyTensor*>(tensor)->memory.get(), &view, nullptr);
  return view;
}

bool IsConstant(symbolic::TraceContext& trace, ScalarId id, int64_t wanted) {
  int64_t value = 0;
  return trace.graph().scalars().IsIntConst(id, &value) && value == wanted;
}

// The attributes of a View, or of the part that a Store stores.
struct ViewAttrs {
  absl::Span<const ScalarId> shape;
  absl::Span<const int64_t> axis;
  absl::Span<const ScalarId> start;
  absl::Span<const ScalarId> step;
};

ViewAttrs AttrsOf(const ir::Node* view) {
  const size_t rank = view->operands[0]->shape.size();
  return {view->shape, view->attrs.ints, view->attrs.scalars.subspan(0, rank),
          view->attrs.scalars.subspan(rank)};
}

// Whether the View shows an element twice, as far as that cannot be excluded.
bool MayRepeat(symbolic::TraceContext& trace, const ir::Node* view) {
  const ViewAttrs attrs = AttrsOf(view);
  uint64_t seen = 0;
  for (size_t d = 0; d < attrs.axis.size(); ++d) {
    if (IsConstant(trace, attrs.shape[d], 1)) continue;
    if (attrs.axis[d] < 0 || (seen >> attrs.axis[d] & 1) != 0) return true;
    int64_t step = 0;
    if (!trace.graph().scalars().IsIntConst(attrs.step[d], &step) || step == 0) return true;
    seen |= uint64_t{1} << attrs.axis[d];
  }
  return false;
}

bool ShowsAll(symbolic::TraceContext& trace, const ir::Node* view) {
  const ViewAttrs attrs = AttrsOf(view);
  if (attrs.shape != view->operands[0]->shape) return false;
  for (size_t d = 0; d < attrs.axis.size(); ++d) {
    const bool as_is = attrs.axis[d] == static_cast<int64_t>(d) &&
                       IsConstant(trace, attrs.start[d], 0) && IsConstant(trace, attrs.step[d], 1);
    if (!as_is) return false;
  }
  return true;
}

const ir::Node* StoreWhole(symbolic::TraceContext& trace, const ir::Node* base,
                           const ir::Node* value) {
  ir::Graph& graph = trace.graph();
  std::vector<int64_t> axis;
  axis.reserve(base->rank());
  for (int d = 0; d < base->rank(); ++d) axis.push_back(d);
  const std::vector<ScalarId> start(base->rank(), graph.scalars().Int(0));
  const std::vector<ScalarId> step(base->rank(), graph.scalars().Int(1));
  return graph.Store(base, value, axis, start, step);
}

// Whether NumPy computed the node into memory of its own.
bool IsComputed(const ir::Node* node) {
  return Info(node->op).category != OpCategory::kLeaf && node->op != Op::kView &&
         node->op != Op::kReshape && node->op != Op::kStore;
}

// Makes sure that versions of the root that are made in its base's memory order have the order of
// the real array: that of an existing one or of a fresh one, whatever it is (layout_program.h).
absl::Status RequireKnownOrder(symbolic::TraceContext& trace, NumpyTensor* root) {
  if (root->source() != nullptr || RequireCOrder(trace, root)) return absl::OkStatus();
  const ir::Node* made = root->node;
  while (made->op == Op::kStore) made = made->operands[0];
  // Nobody knows how NumPy's own functions lay out what they give, but where orders are free. Of
  // one axis only what nonzero gives has gaps, and is a part of another array
  // (DataDependentResult).
  if (!IsComputed(made) || (ir::MakesCall(*made) && !trace.has_free_orders())) {
    return symbolic::GraphBreak("in-place update in another memory order");
  }
  if (made->rank() <= 1) root->c_order.emplace();  // NumPy's fresh results have no gaps
  return absl::OkStatus();
}

// What the node of a view becomes when its base's becomes `base`; null if that is not known.
const ir::Node* Remake(ir::Graph& graph, const ir::Node* view, const ir::Node* old_base,
                       const ir::Node* base) {
  if (view == old_base) return base;
  const bool is_known =
      (view->op == Op::kView || view->op == Op::kReshape) && view->operands[0] == old_base;
  return is_known ? graph.Make(view->op, view->dtype, view->shape, {&base, 1}, view->attrs)
                  : nullptr;
}

// An element of rank 0 is no longer what it was when the segment began.
void SetNode(symbolic::TensorValue* tensor, const ir::Node* node) {
  tensor->node = node;
  AsNumpy(tensor)->object = {};
}

// All or nothing: where it breaks, the program goes on from before the write.
absl::Status SetRoot(symbolic::TraceContext& trace, NumpyTensor* root, const ir::Node* content) {
  absl::flat_hash_map<const symbolic::TensorValue*, const ir::Node*> remade = {{root, content}};
  for (symbolic::TensorValue* view : root->views) {  // each after what it is a view of
    const symbolic::TensorValue* const base = view->view_of;
    const ir::Node* const made = Remake(trace.graph(), view->node, base->node, remade.at(base));
    if (made == nullptr)
      return symbolic::GraphBreak("a write to an array with a view of another kind");
    remade[view] = made;
  }
  SetNode(root, content);
  for (symbolic::TensorValue* view : root->views) SetNode(view, remade.at(view));
  return absl::OkStatus();
}

// Of a view that NumPy's function gives the memory is written: an array that nothing else sees, of
// which it stays a view.
absl::StatusOr<NumpyTensor*> MemoryBehind(symbolic::TraceContext& trace, NumpyTensor* root) {
  if (root->may_be_view) return symbolic::GraphBreak("a write to an array that may be a view");
  if (!root->is_seen) return root;
  auto* const memory = trace.New<NumpyTensor>(root->node, /*is_scalar=*/false, root->hint_shape);
  memory->c_order = root->c_order;
  memory->views = {root};
  memory->views.insert(memory->views.end(), root->views.begin(), root->views.end());
  root->views.clear();
  root->view_of = memory;
  root->is_seen = false;
  return memory;
}

absl::Status WriteRoot(symbolic::TraceContext& trace, NumpyTensor* root, const ir::Node* content,
                       const COrder& order) {
  DYNACC_ASSIGN_OR_RETURN(root, MemoryBehind(trace, root));
  DYNACC_RETURN_IF_ERROR(RequireKnownOrder(trace, root));
  // In C order before and after: then the content may lie where it was computed. Where orders are
  // free, what NumPy's own functions give is brought into C order.
  const bool is_brought = trace.has_free_orders() && ir::MakesCall(*content);
  if ((order || is_brought) && RequireCOrder(trace, root)) {
    for (const sources::Source* source : order.value_or(std::vector<const sources::Source*>()))
      trace.AddGuard(guards::GuardKind::kContiguous, source);
    return SetRoot(trace, root, content);
  }
  return SetRoot(trace, root, StoreWhole(trace, root->node, content));
}

// `content`: target's node but for a Store.
absl::Status WriteStored(symbolic::TraceContext& trace, NumpyTensor* target,
                         const ir::Node* content) {
  if (target->view_of != nullptr) return Write(trace, target, content, target->c_order);
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * root, MemoryBehind(trace, target));
  DYNACC_RETURN_IF_ERROR(RequireKnownOrder(trace, root));
  return SetRoot(trace, root, content);
}

absl::Status BreakOnOverlap(const symbolic::TensorValue* a, const symbolic::TensorValue* b) {
  if (!MayOverlap(MemoryOf(a), MemoryOf(b))) return absl::OkStatus();
  const bool same = static_cast<const NumpyTensor*>(a)->memory.get() ==
                    static_cast<const NumpyTensor*>(b)->memory.get();
  return symbolic::GraphBreak(same ? symbolic::kSameArray
                                   : "a write to an array whose memory another one shares");
}

absl::Status RequireWritableRoot(symbolic::TraceContext& trace, NumpyTensor* root) {
  if (root->source() == nullptr || trace.IsWritten(root)) return absl::OkStatus();
  if (!IsWritable(root->memory.get()))
    return symbolic::RaisingBreak("a write to a read-only array");
  if (MayRepeatElements(MemoryOf(root))) {
    return symbolic::GraphBreak("a write to an array that shows an element twice");
  }
  trace.AddGuard(guards::GuardKind::kWritable, root->source());
  for (symbolic::TensorValue* other : trace.existing_arrays()) {
    if (other != root) DYNACC_RETURN_IF_ERROR(BreakOnOverlap(root, other));
  }
  trace.NoteWrite(root);
  return absl::OkStatus();
}

}  // namespace

absl::Status RequireWritable(symbolic::TraceContext& trace, NumpyTensor* target) {
  if (target->is_scalar) return symbolic::RaisingBreak("a write to a NumPy scalar");
  symbolic::TensorValue* root = target;
  for (; root->view_of != nullptr; root = root->view_of) {
    if (root->read_only) return symbolic::RaisingBreak("a write to a read-only array");
    if (root->node->op == Op::kView && root->node != root->view_of->node &&
        MayRepeat(trace, root->node)) {
      return symbolic::GraphBreak("a write to an array that shows an element twice");
    }
  }
  trace.NoteChangeOf(root);
  return RequireWritableRoot(trace, AsNumpy(root));
}

absl::Status Write(symbolic::TraceContext& trace, NumpyTensor* target, const ir::Node* content,
                   const COrder& order) {
  if (target->view_of == nullptr) return WriteRoot(trace, target, content, order);
  NumpyTensor* const base = AsNumpy(target->view_of);
  if (target->node == base->node) return Write(trace, base, content, order);
  ir::Graph& graph = trace.graph();
  if (target->node->op == Op::kReshape) {
    const ir::Node* const reshaped =
        graph.Make(Op::kReshape, content->dtype, base->node->shape, {&content, 1}, {});
    return Write(trace, base, reshaped, order ? base->c_order : std::nullopt);
  }
  return WritePart(trace, base, target->node, content, order);
}

absl::Status WritePart(symbolic::TraceContext& trace, NumpyTensor* target, const ir::Node* part,
                       const ir::Node* content, const COrder& order) {
  if (part == target->node) return Write(trace, target, content, order);
  if (part->op != Op::kView)
    return symbolic::GraphBreak("a write to the real or imaginary part of an array");
  if (ShowsAll(trace, part)) return Write(trace, target, content, order);
  if (part->operands[0] != target->node) {
    return symbolic::GraphBreak("a write to an array with a view of another kind");
  }
  const ViewAttrs attrs = AttrsOf(part);
  return WriteStored(
      trace, target,
      trace.graph().Store(target->node, content, attrs.axis, attrs.start, attrs.step));
}

bool AreApart(symbolic::TensorValue* a, symbolic::TensorValue* b) {
  const symbolic::TensorValue* const x = a->root();
  const symbolic::TensorValue* const y = b->root();
  const auto as_found = [](const symbolic::TensorValue* root) {
    return root->source() != nullptr && root->node == root->input;
  };
  return x != y && !(as_found(x) && as_found(y));
}

absl::Status CheckHandable(symbolic::TraceContext& trace, symbolic::TensorValue* tensor) {
  const ir::Node* node = tensor->node;
  while (node->op == Op::kView || node->op == Op::kReshape) node = node->operands[0];
  const bool is_part = node->op == Op::kReal || node->op == Op::kImag;
  if (is_part && !cpu::ProductsAreInOrder(node->dtype)) {
    return symbolic::GraphBreak("a part of complex numbers that NumPy's own function reads");
  }
  if (node->op != Op::kKeepOrder || trace.has_free_orders()) return absl::OkStatus();
  const ir::Node* copied = node->operands[0];
  while (copied->op == Op::kCast)
    copied = copied->operands[0];  // astype is a cast of what it copies
  if (IsComputed(copied)) return absl::OkStatus();
  if (RequireCOrder(trace, tensor->root())) return absl::OkStatus();
  return symbolic::GraphBreak("a copy in another memory order that NumPy's own function reads");
}

absl::Status CheckApartFromWritten(symbolic::TraceContext& trace, NumpyTensor* tensor) {
  for (symbolic::TensorValue* written : trace.written_arrays()) {
    DYNACC_RETURN_IF_ERROR(BreakOnOverlap(written, tensor));
  }
  return absl::OkStatus();
}

}  // namespace dynacc::numpy
