#include "codegen/targets/reference/reference_graph.h"

#include <cfenv>
#include <cstring>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/ir/graph_text.h"
#include "codegen/targets/reference/reference_tensor.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/data_dependent_sizes.h"

namespace dynacc::reference {
namespace {

// Gives the floating-point environment back as it was.
class EnvironmentScope {
 public:
  EnvironmentScope() { std::feholdexcept(&saved_); }
  ~EnvironmentScope() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_;
};

uint32_t TakeFlags() {
  uint32_t flags = 0;
  if (std::fetestexcept(FE_DIVBYZERO)) flags |= kFpDivide;
  if (std::fetestexcept(FE_OVERFLOW)) flags |= kFpOverflow;
  if (std::fetestexcept(FE_UNDERFLOW)) flags |= kFpUnderflow;
  if (std::fetestexcept(FE_INVALID)) flags |= kFpInvalid;
  std::feclearexcept(FE_ALL_EXCEPT);
  return flags;
}

void CopyInto(const ReferenceTensor& tensor, const StridedView& view) {
  std::vector<int64_t> position(tensor.shape.size());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    char* target = view.data;
    for (int d = 0; d < view.rank; ++d) target += position[d] * view.strides[d];
    std::memcpy(target, tensor.at(i), ItemSize(tensor.dtype));
    NextIndex(tensor.shape, absl::MakeSpan(position));
  }
}

class ReferenceGraph : public executor::CompiledGraph {
 public:
  explicit ReferenceGraph(std::shared_ptr<const ir::Graph> graph) : graph_(std::move(graph)) {}

  absl::StatusOr<uint32_t> Run(const executor::RunArguments& arguments) const override;
  std::string Describe() const override {
    return absl::StrCat("interpreted by the reference target:\n", ir::PrintGraph(*graph_));
  }

 private:
  absl::StatusOr<std::vector<ScalarValue>> AllScalars(
      const executor::RunArguments& arguments) const;
  absl::Status WriteOutputs(std::vector<ReferenceTensor>& tensors,
                            executor::OutputSink& sink) const;
  void WriteBack(const std::vector<ReferenceTensor>& tensors,
                 const executor::RunArguments& arguments) const;

  std::shared_ptr<const ir::Graph> graph_;
};

absl::StatusOr<std::vector<ScalarValue>> ReferenceGraph::AllScalars(
    const executor::RunArguments& arguments) const {
  const ScalarProgram& program = graph_->scalars();
  std::vector<ScalarValue> values(arguments.scalars.begin(), arguments.scalars.end());
  const int known = std::min(static_cast<int>(values.size()), program.size());
  values.resize(program.size());
  if (program.EvaluateRest(known, absl::MakeSpan(values))) return values;
  return absl::InternalError("reference: a size that a pass computes overflows");
}

absl::Status ReferenceGraph::WriteOutputs(std::vector<ReferenceTensor>& tensors,
                                          executor::OutputSink& sink) const {
  for (size_t i = 0; i < graph_->outputs().size(); ++i) {
    if (graph_->targets()[i] != nullptr) continue;
    ReferenceTensor& tensor = tensors[graph_->outputs()[i]->id];
    StridedView view = tensor.View();
    view.data = nullptr;
    DYNACC_RETURN_IF_ERROR(sink.Allocate(static_cast<int>(i), view));
    CopyInto(tensor, view);
  }
  return absl::OkStatus();
}

// Lets the data-dependent number that the node defines be known from here on.
absl::Status DefineSize(const ir::Node& node, const ReferenceTensor& tensor,
                        executor::DataDependentSizes& sizes) {
  const ScalarId defined = ir::DefinedBy(node);
  if (defined == kNoScalar) return absl::OkStatus();
  const auto axis = absl::c_find(node.shape, defined) - node.shape.begin();
  return sizes.Define(defined, tensor.shape[axis]);
}

void ReferenceGraph::WriteBack(const std::vector<ReferenceTensor>& tensors,
                               const executor::RunArguments& arguments) const {
  for (size_t i = 0; i < graph_->outputs().size(); ++i) {
    const ir::Node* const target = graph_->targets()[i];
    if (target == nullptr) continue;
    CopyInto(tensors[graph_->outputs()[i]->id], arguments.inputs[target->attrs.ints[0]]);
  }
}

// The sizes of inputs that only the run tells.
std::vector<executor::LateInputSize> LateInputSizes(const ir::Graph& graph) {
  std::vector<executor::LateInputSize> late;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const ir::Node& input = *graph.inputs()[i];
    for (int axis = 0; axis < input.rank(); ++axis) {
      const ScalarId size = input.shape[axis];
      if (graph.scalars().Level(size) > 0) late.push_back({static_cast<int>(i), axis, size});
    }
  }
  return late;
}

absl::StatusOr<uint32_t> ReferenceGraph::Run(const executor::RunArguments& arguments) const {
  DYNACC_ASSIGN_OR_RETURN(std::vector<ScalarValue> scalars, AllScalars(arguments));
  const std::vector<executor::LateInputSize> late = LateInputSizes(*graph_);
  executor::DataDependentSizes sizes(graph_->scalars(), graph_->conditions(),
                                     absl::MakeSpan(scalars), arguments.late, late,
                                     arguments.inputs);
  const EnvironmentScope environment;
  std::vector<ReferenceTensor> tensors(graph_->nodes().size());
  uint32_t flags = 0;
  for (const ir::Node* node : graph_->nodes()) {
    std::vector<int64_t> shape;
    for (const ScalarId size : node->shape) {
      const bool is_defined_here = size == ir::DefinedBy(*node);
      shape.push_back(is_defined_here ? 0 : scalars[size].i);
      if (shape.back() < 0) return absl::InternalError("reference: a size is negative");
    }
    tensors[node->id] = MakeTensor(node->dtype, std::move(shape));
    EvaluationContext context{*graph_, *node, {}, scalars, arguments, absl::MakeSpan(tensors)};
    for (const ir::Node* operand : node->operands)
      context.operands.push_back(&tensors[operand->id]);
    TakeFlags();
    DYNACC_RETURN_IF_ERROR(EvaluationOf(*node)(context, tensors[node->id]));
    DYNACC_RETURN_IF_ERROR(DefineSize(*node, tensors[node->id], sizes));
    // What an op without the trait raises (comparing NaN, say) the array library clears.
    const DType operand = node->operands.empty() ? node->dtype : node->operands[0]->dtype;
    if (RaisesFlags(node->op, operand)) flags |= TakeFlags();
  }
  DYNACC_RETURN_IF_ERROR(WriteOutputs(tensors, *arguments.sink));
  if (arguments.sink->MayWriteBack(flags)) WriteBack(tensors, arguments);
  return flags;
}

// Keeps what a graph gives.
class TensorSink : public executor::OutputSink {
 public:
  explicit TensorSink(size_t count) : tensors(count) {}

  absl::Status Allocate(int index, StridedView& view) override {
    tensors[index] = MakeTensor(view.dtype, {view.shape, view.shape + view.rank});
    view.data = tensors[index].at(0);
    SetContiguousStrides(view);
    return absl::OkStatus();
  }

  std::vector<ReferenceTensor> tensors;
};

}  // namespace

absl::StatusOr<std::vector<ReferenceTensor>> RunReference(const ir::Graph& graph,
                                                          absl::Span<ReferenceTensor* const> inputs,
                                                          absl::Span<const ScalarValue> numbers,
                                                          const executor::RunArguments& arguments,
                                                          uint32_t& flags) {
  std::vector<StridedView> views;
  for (ReferenceTensor* input : inputs) views.push_back(input->View());
  std::vector<ScalarValue> values(graph.scalars().size());
  if (!graph.scalars().Evaluate(numbers, absl::MakeSpan(values))) {
    return absl::AbortedError("reference: a size of a subgraph has no value");
  }
  TensorSink sink(graph.outputs().size());
  executor::RunArguments inside = arguments;
  inside.inputs = views;
  inside.scalars = values;
  inside.late = absl::MakeSpan(values);
  inside.sink = &sink;
  DYNACC_ASSIGN_OR_RETURN(const uint32_t raised,
                          ReferenceGraph(graph.shared_from_this()).Run(inside));
  flags |= raised;
  return std::move(sink.tensors);
}

std::shared_ptr<const executor::CompiledGraph> MakeReferenceGraph(
    std::unique_ptr<const ir::Graph> graph) {
  return std::make_shared<ReferenceGraph>(std::move(graph));
}

}  // namespace dynacc::reference
