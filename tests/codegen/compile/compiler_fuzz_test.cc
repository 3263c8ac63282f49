// Random graphs on random strided arrays, run by the tile target, against a plain interpreter that
// works node by node on C-ordered vectors.
#include <cmath>
#include <numeric>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/codegen/graph_runner.h"
#include "tests/codegen/mimic_loops.h"
#include "tests/fuzz_seeds.h"

namespace dynacc::compile {
namespace {

using testing::GraphRunner;
using testing::VectorSink;
using Shape = std::vector<int64_t>;
using Values = std::vector<double>;

struct Array {
  std::vector<double> memory;
  StridedView view;
};

class Fuzzer {
 public:
  explicit Fuzzer(int seed) : random_(seed) {}

  void Run() {
    shape_ = RandomShape();
    const int num_inputs = Pick(1, 3);
    for (int i = 0; i < num_inputs; ++i) {
      arrays_.push_back(RandomArray());
      values_.push_back(VectorSink::ValuesOf<double>(arrays_.back()->view));
      lines_.push_back(absl::StrCat("%", i, ": ", Type(), " = input ", i));
    }
    const int num_nodes = Pick(1, 12);
    for (int i = 0; i < num_nodes; ++i) AddNode();
    CheckRun();
  }

 private:
  int64_t Pick(int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random_);
  }

  Shape RandomShape() {
    Shape shape(Pick(0, 4));
    const int64_t sizes[] = {0, 1, 2, 3, 5, 8, 40};
    for (int64_t& size : shape) size = sizes[Pick(Pick(0, 9) == 0 ? 0 : 1, 6)];
    if (!shape.empty() && Pick(0, 3) == 0) shape[Pick(0, shape.size() - 1)] = Pick(1000, 5000);
    while (Size(shape) > 200000) *std::max_element(shape.begin(), shape.end()) /= 4;
    return shape;
  }

  static int64_t Size(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  }

  // Memory in a random order of axes, with gaps, flips and broadcast axes.
  std::unique_ptr<Array> RandomArray() {
    auto array = std::make_unique<Array>();
    StridedView& view = array->view;
    view.dtype = DType::kFloat64;
    view.rank = static_cast<int>(shape_.size());
    std::vector<int> order(view.rank);
    std::iota(order.begin(), order.end(), 0);
    std::reverse(order.begin(), order.end());
    if (Pick(0, 1) == 0) std::shuffle(order.begin(), order.end(), random_);
    int64_t stride = 1, offset = 0;
    for (const int axis : order) {
      const int64_t step = Pick(0, 4) == 0 ? 2 : 1;
      view.shape[axis] = shape_[axis];
      const bool broadcast = Pick(0, 9) == 0;
      view.strides[axis] = broadcast ? 0 : 8 * stride * step;
      if (!broadcast) stride *= std::max<int64_t>(shape_[axis], 1) * step;
      if (Pick(0, 5) == 0 && shape_[axis] > 0) {
        offset += view.strides[axis] / 8 * (shape_[axis] - 1);
        view.strides[axis] = -view.strides[axis];
      }
    }
    array->memory.resize(stride + 1);
    for (double& value : array->memory) value = static_cast<double>(Pick(-1000, 1000)) / 64;
    view.data = reinterpret_cast<char*>(array->memory.data() + offset);
    return array;
  }

  std::string Type() const { return absl::StrCat("f64[", absl::StrJoin(shape_, ", "), "]"); }

  void Define(const std::string& text, Values values) {
    lines_.push_back(absl::StrCat("%", lines_.size(), ": ", text));
    values_.push_back(std::move(values));
  }

  template <typename Function>
  void Binary(const char* name, Function function) {
    const int a = Pick(0, values_.size() - 1), b = Pick(0, values_.size() - 1);
    if (values_[a].size() != values_[b].size()) return;
    Values result(values_[a].size());
    for (size_t i = 0; i < result.size(); ++i) result[i] = function(values_[a][i], values_[b][i]);
    Define(absl::StrCat(Type(), " = ", name, " %", a, ", %", b), std::move(result));
  }

  // A reversal of one axis: a View that other nodes read through.
  void Flip() {
    if (shape_.empty()) return;
    const int a = Pick(0, values_.size() - 1);
    const int64_t flipped = Pick(0, shape_.size() - 1);
    if (shape_[flipped] == 0) return;
    int64_t inner = 1;
    for (size_t i = flipped + 1; i < shape_.size(); ++i) inner *= shape_[i];
    Values result(values_[a].size());
    for (size_t i = 0; i < result.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i) / inner % shape_[flipped];
      result[i] = values_[a][i + (shape_[flipped] - 1 - 2 * at) * inner];
    }
    std::vector<int64_t> axis(shape_.size()), start(shape_.size()), step(shape_.size(), 1);
    std::iota(axis.begin(), axis.end(), 0);
    start[flipped] = shape_[flipped] - 1;
    step[flipped] = -1;
    Define(absl::StrCat(Type(), " = view %", a, " axis[", absl::StrJoin(axis, ", "), "] start[",
                        absl::StrJoin(start, ", "), "] step[", absl::StrJoin(step, ", "), "]"),
           std::move(result));
  }

  void Exponential() {
    const int a = Pick(0, values_.size() - 1);
    Values result = values_[a];
    for (double& value : result) value = std::exp(value);
    Define(absl::StrCat(Type(), " = exp %", a), std::move(result));
  }

  void AddNode() {
    switch (Pick(0, 5)) {
      case 0:
        return Binary("add", [](double a, double b) { return a + b; });
      case 1:
        return Binary("subtract", [](double a, double b) { return a - b; });
      case 2:
        return Binary("multiply", [](double a, double b) { return a * b; });
      case 3:
        return Binary("divide", [](double a, double b) { return a / b; });
      case 4:
        return Exponential();
      default:
        return Flip();
    }
  }

  void CheckRun() {
    std::vector<int> outputs = {static_cast<int>(values_.size()) - 1};
    if (Pick(0, 2) == 0) outputs.push_back(Pick(0, values_.size() - 1));
    std::string text = "graph {\n";
    for (const std::string& line : lines_) absl::StrAppend(&text, "  ", line, "\n");
    absl::StrAppend(&text, "  return %", absl::StrJoin(outputs, ", %"), "\n}\n");
    GraphRunner runner(text);
    ASSERT_TRUE(runner.status().ok()) << runner.status() << "\n" << text;
    std::vector<StridedView> inputs;
    for (const auto& array : arrays_) inputs.push_back(array->view);
    VectorSink sink;
    ASSERT_TRUE(runner.Run(inputs, sink).ok()) << text;
    for (size_t k = 0; k < outputs.size(); ++k) {
      const Values& expected = values_[outputs[k]];
      const Values actual = sink.Values<double>(static_cast<int>(k));
      ASSERT_EQ(actual.size(), expected.size()) << text;
      for (size_t i = 0; i < expected.size(); ++i) {
        const bool same = std::memcmp(&actual[i], &expected[i], sizeof(double)) == 0 ||
                          (std::isnan(actual[i]) && std::isnan(expected[i]));
        ASSERT_TRUE(same) << "output " << k << " element " << i << ": " << actual[i] << " not "
                          << expected[i] << "\n"
                          << text << runner.compiled().Describe();
      }
    }
  }

  std::mt19937 random_;
  Shape shape_;
  std::vector<std::unique_ptr<Array>> arrays_;
  std::vector<Values> values_;
  std::vector<std::string> lines_;
};

TEST(CompilerFuzzTest, MatchesAPlainInterpreter) {
  testing::RegisterMimicLoops();
  testing::ForEachSeed(0, 400, [](uint64_t seed) { Fuzzer(seed).Run(); });
}

}  // namespace
}  // namespace dynacc::compile
