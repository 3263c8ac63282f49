// Random programs of stores into arrays, on random strided memory, by one target against the
// reference target: results, and what is written back into the inputs.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/codegen/graph_runner.h"

namespace dynacc::testing {

class StoreFuzzer {
 public:
  StoreFuzzer(int seed, const char* target) : target_(target), random_(seed) {}

  void Run() {
    shape_.resize(Pick(1, 3));
    for (int64_t& size : shape_) size = Pick(0, 3) == 0 ? Pick(1, 3) : Pick(2, 12);
    num_inputs_ = static_cast<int>(Pick(1, 3));
    for (int i = 0; i < num_inputs_; ++i) Define(shape_, absl::StrCat("input ", i));
    for (int i = static_cast<int>(Pick(2, 25)); i > 0; --i) AddNode();
    const std::string text = Text();
    const auto expected = RunBy("reference", text);
    const auto actual = RunBy(target_, text);
    ASSERT_EQ(actual, expected) << text << GraphRunner(text, target_).compiled().Describe();
  }

 private:
  using Shape = std::vector<int64_t>;
  // Slices of the axes of an array.
  struct Part {
    Shape shape, start, step;
  };

  int64_t Pick(int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random_);
  }
  int PickNode() { return static_cast<int>(Pick(0, shapes_.size() - 1)); }

  // A node of the full shape, mostly a late one.
  int PickWhole() {
    for (int tries = 0; tries < 20; ++tries) {
      const int last = static_cast<int>(shapes_.size()) - 1;
      const int node = Pick(0, 1) == 0 ? last - static_cast<int>(Pick(0, last) / 3) : PickNode();
      if (shapes_[node] == shape_) return node;
    }
    return 0;
  }

  static std::string List(const Shape& items) {
    return absl::StrCat("[", absl::StrJoin(items, ", "), "]");
  }

  int Define(const Shape& shape, const std::string& text) {
    lines_.push_back(absl::StrCat("%", shapes_.size(), ": i64", List(shape), " = ", text));
    shapes_.push_back(shape);
    return static_cast<int>(shapes_.size()) - 1;
  }

  // Slices of `of` with these sizes; sizes that do not fit are cut.
  Part RandomPart(const Shape& of, const Shape& sizes) {
    Part part;
    for (size_t axis = 0; axis < of.size(); ++axis) {
      const int64_t size = std::min(sizes[axis], of[axis]);
      const int64_t stride = size > 1 && Pick(0, 4) == 0 ? (of[axis] - 1) / (size - 1) : 1;
      const int64_t span = size == 0 ? 0 : (size - 1) * stride + 1;
      const int64_t low = Pick(0, of[axis] - span);
      const bool flip = size > 0 && Pick(0, 5) == 0;
      part.shape.push_back(size);
      part.start.push_back(flip ? low + span - 1 : low);
      part.step.push_back(flip ? -stride : stride);
    }
    return part;
  }

  static std::string Attrs(const Part& part) {
    Shape axis;
    for (size_t i = 0; i < part.shape.size(); ++i) axis.push_back(i);
    return absl::StrCat(" axis", List(axis), " start", List(part.start), " step", List(part.step));
  }

  void AddView() {
    const int a = PickNode();
    Shape sizes;
    for (const int64_t size : shapes_[a]) sizes.push_back(Pick(0, 2) == 0 ? size : Pick(1, size));
    const Part part = RandomPart(shapes_[a], sizes);
    Define(part.shape, absl::StrCat("view %", a, Attrs(part)));
  }

  void AddBinary() {
    const int a = PickNode();
    for (int tries = 0; tries < 10; ++tries) {
      const int b = PickNode();
      if (shapes_[a] != shapes_[b]) continue;
      const char* const ops[] = {"add", "subtract", "multiply"};
      Define(shapes_[a], absl::StrCat(ops[Pick(0, 2)], " %", a, ", %", b));
      return;
    }
    Define(shapes_[a], absl::StrCat("negative %", a));
  }

  void AddReshape() {
    const int a = PickNode();
    int64_t size = 1;
    for (const int64_t axis : shapes_[a]) size *= axis;
    const Shape shape = shapes_[a];
    const int flat = Define({size}, absl::StrCat("reshape %", a));
    if (shape.size() > 1) Define(shape, absl::StrCat("reshape %", flat));
  }

  void AddStore() {
    const int base = PickWhole();
    const int value = PickNode();
    if (shapes_[value].size() != shape_.size()) return;
    for (size_t axis = 0; axis < shape_.size(); ++axis) {
      if (shapes_[value][axis] > shape_[axis]) return;
    }
    const Part part = RandomPart(shape_, shapes_[value]);
    Define(shape_, absl::StrCat("store %", base, ", %", value, Attrs(part)));
  }

  void AddRoll() {
    const int a = PickNode();
    Shape shifts;
    for (const int64_t size : shapes_[a]) {
      if (size == 0) return;
      shifts.push_back(Pick(0, 2) == 0 ? 0 : Pick(0, size - 1));
    }
    Define(shapes_[a], absl::StrCat("roll %", a, " shift", List(shifts)));
  }

  void AddConcat() {
    const int a = PickNode();
    const size_t axis = static_cast<size_t>(Pick(0, shape_.size() - 1));
    if (shapes_[a].size() <= axis) return;
    Shape whole = shapes_[a];
    std::string parts = absl::StrCat("%", a);
    for (int tries = 0; tries < 6; ++tries) {
      const int b = PickNode();
      Shape fits = shapes_[b];
      if (fits.size() != whole.size()) continue;
      fits[axis] = whole[axis];
      if (fits != whole || whole[axis] > 40) continue;
      whole[axis] += shapes_[b][axis];
      absl::StrAppend(&parts, ", %", b);
    }
    Define(whole, absl::StrCat("concat ", parts, " axes[", axis, "]"));
  }

  void AddNode() {
    const int64_t kind = Pick(0, 13);
    if (kind >= 12) return AddConcat();
    if (kind >= 10) return AddRoll();
    if (kind < 3) return AddView();
    if (kind < 6) return AddBinary();
    return kind < 9 ? AddStore() : AddReshape();
  }

  std::string Text() {
    std::vector<std::string> outputs;
    for (int64_t i = Pick(0, 2); i > 0; --i) outputs.push_back(absl::StrCat("%", PickNode()));
    for (int i = 0; i < num_inputs_; ++i) {
      if (Pick(0, 3) != 0) outputs.push_back(absl::StrCat("%", PickWhole(), " -> %", i));
    }
    if (outputs.empty()) outputs.push_back("%0");
    num_outputs_ = static_cast<int>(outputs.size());
    return absl::StrCat("graph {\n  ", absl::StrJoin(lines_, "\n  "), "\n  return ",
                        absl::StrJoin(outputs, ", "), "\n}\n");
  }

  // The results' elements, then all bytes of the inputs afterwards.
  std::vector<std::vector<int64_t>> RunBy(const char* target, const std::string& text) {
    GraphRunner runner(text, target);
    EXPECT_TRUE(runner.status().ok()) << runner.status() << "\n" << text;
    if (!runner.status().ok()) return {};
    std::mt19937 layout(static_cast<uint32_t>(lines_.size()));
    std::vector<std::vector<int64_t>> memory(num_inputs_);
    std::vector<StridedView> inputs;
    for (std::vector<int64_t>& block : memory) inputs.push_back(LayOut(layout, block));
    VectorSink sink;
    EXPECT_TRUE(runner.Run(inputs, sink).ok()) << text;
    std::vector<std::vector<int64_t>> seen;
    for (int i = 0; i < num_outputs_; ++i) {
      if (sink.Has(i)) seen.push_back(sink.Values<int64_t>(i));
    }
    seen.insert(seen.end(), memory.begin(), memory.end());
    return seen;
  }

  // Memory with gaps, flips and any order of axes.
  StridedView LayOut(std::mt19937& layout, std::vector<int64_t>& block) {
    StridedView view;
    view.dtype = DType::kInt64;
    view.rank = static_cast<int>(shape_.size());
    std::vector<int> order(view.rank);
    for (int i = 0; i < view.rank; ++i) order[i] = view.rank - 1 - i;
    if (layout() % 2 == 0) std::shuffle(order.begin(), order.end(), layout);
    int64_t stride = 1, offset = 0;
    for (const int axis : order) {
      stride *= layout() % 4 == 0 ? 2 : 1;
      view.shape[axis] = shape_[axis];
      view.strides[axis] = 8 * stride;
      if (layout() % 4 == 0) {
        offset += stride * (shape_[axis] - 1);
        view.strides[axis] = -view.strides[axis];
      }
      stride *= shape_[axis];
    }
    block.resize(stride + 1);
    for (int64_t& item : block) item = static_cast<int64_t>(layout() % 2000) - 1000;
    view.data = reinterpret_cast<char*>(block.data() + offset);
    return view;
  }

  const char* target_;
  std::mt19937 random_;
  Shape shape_;
  int num_inputs_ = 0;
  int num_outputs_ = 0;
  std::vector<Shape> shapes_;
  std::vector<std::string> lines_;
};

}  // namespace dynacc::testing
