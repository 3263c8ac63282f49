#include "frontend/capture/graph_call.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/ir/graph_text.h"
#include "frontend/arrays/run_scope.h"
#include "frontend/guards/array_checks.h"
#include "runtime/base/status_macros.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc::capture {
namespace {

// Fresh arrays for the outputs.
class ListSink : public executor::OutputSink {
 public:
  ListSink(const arrays::ArrayNamespace& arrays, size_t outputs, bool only_without_errors)
      : objects(outputs), arrays_(arrays), only_without_errors_(only_without_errors) {}

  absl::Status Allocate(int index, StridedView& view) override {
    objects[index] = Ref::Steal(arrays_.NewArray(view, false, false));
    if (objects[index]) return absl::OkStatus();
    PyErr_Clear();
    return absl::ResourceExhaustedError("no memory for a result");
  }

  bool MayWriteBack(uint32_t flags) override {
    may_write = !only_without_errors_ || (flags & arrays_.ReportedFpFlags()) == 0;
    return may_write;
  }

  std::vector<Ref> objects;
  bool may_write = true;

 private:
  const arrays::ArrayNamespace& arrays_;
  const bool only_without_errors_;
};

}  // namespace

absl::Status DoesNotFit(const ir::Graph& graph, const ir::Node& input) {
  return absl::InvalidArgumentError(
      absl::StrCat("an array does not fit ", ir::PrintNode(graph, input)));
}

absl::StatusOr<GraphCall> GraphCall::Read(const ir::Graph& graph, PyObject* arrays) {
  arrays::ArrayNamespace* const library = arrays::LoadedArrayNamespace();
  if (library == nullptr) return absl::FailedPreconditionError("numpy is not imported");
  Ref items = Ref::Steal(PySequence_Fast(arrays, "the arrays must be a sequence"));
  if (!items) return absl::InvalidArgumentError("no sequence");
  const size_t count = graph.inputs().size();
  const auto given = static_cast<size_t>(PySequence_Fast_GET_SIZE(items.get()));
  if (given != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("the graph takes ", count, " arrays, not ", given));
  }
  GraphCall call(graph, *library, std::move(items));
  call.views_.resize(count);
  call.storage_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (!library->IsArray(call.item(i)))
      return absl::InvalidArgumentError(absl::StrCat("input ", i, " is not an array"));
    if (guards::RegisteredArrayChecks().device_of(call.item(i)) != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("input ", i, " is on a device: graphs take arrays of the host"));
    }
    library->Read(call.item(i), &call.views_[i], call.storage_[i].data());
  }
  return call;
}

absl::Status GraphCall::SetNumbers(absl::Span<const ScalarValue> inputs) {
  const ScalarProgram& program = graph_->scalars();
  scalars_.resize(program.size());
  if (!program.Evaluate(inputs, absl::MakeSpan(scalars_))) {
    return absl::InvalidArgumentError("an expression of these sizes and numbers has no value");
  }
  for (size_t i = 0; i < views_.size(); ++i) {
    const ir::Node& input = *graph_->inputs()[i];
    bool fits = views_[i].dtype == input.dtype && views_[i].rank == input.rank();
    for (int axis = 0; fits && axis < input.rank(); ++axis) {
      // A size that only the run tells is compared there.
      const bool is_late = program.Level(input.shape[axis]) > 0;
      fits = is_late || views_[i].shape[axis] == scalars_[input.shape[axis]].i;
    }
    if (!fits) return DoesNotFit(*graph_, input);
  }
  for (const ScalarId condition : graph_->conditions()) {
    if (program.Level(condition) == 0 && scalars_[condition].i == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the graph requires that ", program.ToString(condition)));
    }
  }
  return CheckTargets();
}

// What is written into shares memory with no other input, nor with itself.
absl::Status GraphCall::CheckTargets() const {
  for (const ir::Node* target : graph_->targets()) {
    if (target == nullptr) continue;
    const auto written = static_cast<size_t>(target->attrs.ints[0]);
    bool apart = !MayRepeatElements(views_[written]);
    for (size_t i = 0; i < views_.size(); ++i) {
      apart = apart && (i == written || !MayOverlap(views_[written], views_[i]));
    }
    if (!apart) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the array for input ", written, " is written into, and shares memory with another one"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> GraphCall::Run(const executor::CompiledGraph& compiled,
                                        const RunEffects& effects, bool (*stop)()) {
  ListSink sink(*library_, graph_->outputs().size(), effects.only_without_errors);
  arrays::RunScope scope({});
  executor::RunArguments run;
  run.inputs = views_;
  run.scalars = scalars_;
  run.late = absl::MakeSpan(scalars_);
  run.sink = &sink;
  run.library_calls = &library_->library_calls();
  run.stop = stop;
  run.has_free_orders = true;
  DYNACC_ASSIGN_OR_RETURN(const uint32_t flags, compiled.Run(run));
  const uint32_t errors = flags & library_->ReportedFpFlags();
  const bool is_final = !effects.only_without_errors || errors == 0;
  if (effects.keeps_draws && is_final) scope.Keep();
  has_written_ = sink.may_write;
  outputs_ = std::move(sink.objects);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const ir::Node* const written = graph_->targets()[i];
    if (written != nullptr)
      outputs_[i] = Ref::New(item(static_cast<size_t>(written->attrs.ints[0])));
  }
  return errors;
}

}  // namespace dynacc::capture
