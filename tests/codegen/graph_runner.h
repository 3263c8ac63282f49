// Runs compiled graphs on plain memory: inputs by value, results in memory of their own.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "codegen/compile/compiler.h"
#include "codegen/ir/graph_text.h"
#include "gtest/gtest.h"
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

  // All of the memory, and where its elements lie.
  std::map<int, std::string> Bytes() const {
    std::map<int, std::string> bytes;
    for (const auto& [index, memory] : memory_) {
      const StridedView& view = views_.at(index);
      const auto* const strides = reinterpret_cast<const char*>(view.strides);
      bytes[index].assign(memory.begin(), memory.end());
      bytes[index].append(strides, view.rank * sizeof(view.strides[0]));
    }
    return bytes;
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

  static constexpr int kRuns = 3;

  // Runs with these inputs and scalar inputs; the flags, or the error. It runs kRuns times, each
  // from the same inputs, which must all do the same: executors do what they have done before in
  // other ways (runtime/executor/bound_program.h).
  absl::StatusOr<uint32_t> Run(std::vector<StridedView> inputs, VectorSink& sink,
                               std::vector<ScalarValue> scalars = {}) {
    const std::vector<std::string> before = BytesOf(inputs);
    const absl::StatusOr<uint32_t> first = RunOnce(inputs, sink, scalars);
    if (!first.ok()) return first;
    const std::vector<std::string> after = BytesOf(inputs);
    const std::map<int, std::string> results = sink.Bytes();
    for (int run = 1; run < kRuns; ++run) {
      Restore(before, inputs);
      EXPECT_EQ(RunOnce(inputs, sink, scalars), first) << "in run " << run;
      EXPECT_TRUE(sink.Bytes() == results) << "results of run " << run;
      EXPECT_TRUE(BytesOf(inputs) == after) << "written in run " << run;
    }
    return first;
  }

  // The same once, for those who count what a run does.
  absl::StatusOr<uint32_t> RunOnce(const std::vector<StridedView>& inputs, VectorSink& sink,
                                   const std::vector<ScalarValue>& scalars = {}) {
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
  static std::vector<std::string> BytesOf(const std::vector<StridedView>& views) {
    std::vector<std::string> bytes;
    for (const StridedView& view : views) {
      const MemoryBounds bounds = BoundsOf(view);
      bytes.emplace_back(bounds.begin, bounds.end);
    }
    return bytes;
  }

  static void Restore(const std::vector<std::string>& bytes,
                      const std::vector<StridedView>& views) {
    for (size_t i = 0; i < views.size(); ++i) {
      std::copy(bytes[i].begin(), bytes[i].end(), BoundsOf(views[i]).begin);
    }
  }

  std::unique_ptr<ir::Graph> graph_;
  std::shared_ptr<const executor::CompiledGraph> compiled_;
  absl::Status status_;
};

}  // namespace dynacc::testing
