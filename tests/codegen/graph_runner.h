// Runs compiled graphs on plain memory: inputs by value, results in memory of their own.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "codegen/compile/compiler.h"
#include "codegen/ir/graph_text.h"
#include "tests/runtime/tensor/view_of.h"

namespace dynacc::testing {

// Results in vectors; remembers the views that were asked for.
class VectorSink : public executor::OutputSink {
 public:
  absl::Status Allocate(int index, StridedView& view) override {
    std::vector<char>& memory = memory_[index];
    memory.assign(std::max<int64_t>(view.size() * ItemSize(view.dtype), 1), '\xee');
    view.data = memory.data();
    views_[index] = view;
    return absl::OkStatus();
  }
  bool Has(int index) const { return views_.contains(index); }
  const StridedView& view(int index) const { return views_.at(index); }

  // The elements of a result in C order.
  template <typename T>
  std::vector<T> Values(int index) const {
    return ValuesOf<T>(views_.at(index));
  }

  template <typename T>
  static std::vector<T> ValuesOf(const StridedView& view) {
    std::vector<T> values;
    int64_t at[kMaxRank] = {};
    for (int64_t i = 0; i < view.size(); ++i) {
      const char* element = view.data;
      for (int axis = 0; axis < view.rank; ++axis) element += at[axis] * view.strides[axis];
      T value;
      std::memcpy(&value, element, sizeof(T));
      values.push_back(value);
      for (int axis = view.rank - 1; axis >= 0 && ++at[axis] == view.shape[axis]; --axis) {
        at[axis] = 0;
      }
    }
    return values;
  }

 private:
  std::map<int, std::vector<char>> memory_;
  std::map<int, StridedView> views_;
};

// One graph, compiled once, run as often as wanted.
class GraphRunner {
 public:
  explicit GraphRunner(const std::string& text, const std::string& target = "tile",
                       const std::string& label = "") {
    auto graph = ir::ParseGraph(text);
    if (!graph.ok()) {
      status_ = graph.status();
      return;
    }
    graph_ = *std::move(graph);
    compile::CompileOptions options;
    options.target = target;
    options.label = label;
    auto compiled = compile::CompileGraph(*graph_, options);
    status_ = compiled.status();
    if (compiled.ok()) compiled_ = *compiled;
  }

  const absl::Status& status() const { return status_; }
  const executor::CompiledGraph& compiled() const { return *compiled_; }

  // Runs with these inputs and scalar inputs; the flags, or the error.
  absl::StatusOr<uint32_t> Run(std::vector<StridedView> inputs, VectorSink& sink,
                               std::vector<ScalarValue> scalars = {}) {
    std::vector<ScalarValue> values(graph_->scalars().size());
    if (!graph_->scalars().Evaluate(scalars, absl::MakeSpan(values))) {
      return absl::InvalidArgumentError("scalars");
    }
    executor::RunArguments arguments;
    arguments.inputs = inputs;
    arguments.scalars = values;
    arguments.sink = &sink;
    return compiled_->Run(arguments);
  }

 private:
  std::unique_ptr<ir::Graph> graph_;
  std::shared_ptr<const executor::CompiledGraph> compiled_;
  absl::Status status_;
};

}  // namespace dynacc::testing
