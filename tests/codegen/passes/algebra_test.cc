// Every row of algebra.def: what it puts in an expression's place has that one's bits, on special
// values of each dtype that the expression takes; and it is put there for at least one of them.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/extensions/pattern.h"
#include "codegen/passes/passes.h"
#include "gtest/gtest.h"
#include "tests/codegen/graph_runner.h"

namespace dynacc::passes {
namespace {

struct Row {
  const char* pattern;
  const char* replacement;
};

constexpr Row kRows[] = {
#define DYNACC_IDENTITY(pattern, replacement, condition) {pattern, replacement},
#include "codegen/passes/algebra.def"
#undef DYNACC_IDENTITY
};

constexpr int kElements = 8;

// A graph of `pattern`, whose variables are computed from inputs: ?c is of bools, the others of
// `dtype`. Null if its ops do not take these.
std::unique_ptr<ir::Graph> GraphOf(const char* pattern, DType dtype) {
  std::vector<std::string> names;
  const auto parsed = extensions::Pattern::Parse(pattern, names);
  EXPECT_TRUE(parsed.ok()) << pattern;
  auto graph = std::make_unique<ir::Graph>();
  const ScalarId shape[] = {graph->scalars().Int(kElements)};
  const ir::Node* const a = graph->AddInput(dtype, shape);
  const ir::Node* const b = graph->AddInput(dtype, shape);
  const ir::Node* const ones = graph->AddInput(dtype, shape);
  const Op scale = dtype == DType::kBool ? Op::kLogicalAnd : Op::kMultiply;
  extensions::Bindings bindings = {};
  for (size_t i = 0; i < names.size(); ++i) {
    bindings[i] = names[i] == "c" ? graph->Binary(Op::kGreater, a, b)
                                  : graph->Binary(scale, i % 2 == 0 ? a : b, ones);
  }
  const ir::Node* const like = graph->Binary(scale, a, ones);
  const ir::Node* const built = parsed->Build(*graph, *like, bindings);
  if (built == nullptr) return nullptr;
  graph->AddOutput(built);
  return graph;
}

// Zeros of both signs, ones, the largest and least of a type, infinities and a quiet NaN.
template <typename T>
std::vector<T> Special(bool reversed) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {T(0),          static_cast<T>(-T(0)), T(1), static_cast<T>(-1),
                           Limits::max(), Limits::lowest(),      T(2), T(3)};
  if constexpr (Limits::has_infinity) {
    values[6] = -Limits::infinity();
    values[7] = Limits::quiet_NaN();
  }
  if (reversed) std::reverse(values.begin(), values.end());
  return values;
}

// The result's bytes, by the target that runs no passes; nothing if an op is not defined for the
// dtype.
template <typename T>
std::optional<std::string> BytesOf(const ir::Graph& graph, DType dtype) {
  testing::GraphRunner runner(ir::PrintGraph(graph), "reference");
  EXPECT_TRUE(runner.status().ok()) << runner.status() << ir::PrintGraph(graph);
  std::vector<T> a = Special<T>(false), b = Special<T>(true), ones(kElements, T(1));
  if (dtype == DType::kBool) {
    for (std::vector<T>* values : {&a, &b})
      for (T& value : *values) value = static_cast<T>(value == 0);
  }
  testing::VectorSink sink;
  const auto flags =
      runner.Run({testing::ViewOf(a, dtype, {kElements}), testing::ViewOf(b, dtype, {kElements}),
                  testing::ViewOf(ones, dtype, {kElements})},
                 sink);
  if (!flags.ok()) return std::nullopt;
  return std::string(sink.view(0).data, sink.view(0).size() * ItemSize(sink.view(0).dtype));
}

// Whether the pass changes the expression for this dtype; then the bits are the same.
template <typename T>
bool Holds(const Row& row, DType dtype) {
  const std::unique_ptr<ir::Graph> graph = GraphOf(row.pattern, dtype);
  if (graph == nullptr) return false;
  const std::unique_ptr<ir::Graph> simple = EliminateDeadCode(*SimplifyAlgebra(*graph));
  if (ir::PrintGraph(*simple) == ir::PrintGraph(*graph)) return false;
  const std::optional<std::string> bytes = BytesOf<T>(*graph, dtype);
  if (!bytes) return false;
  EXPECT_EQ(BytesOf<T>(*simple, dtype), bytes) << row.pattern << " of " << Info(dtype).text;
  return true;
}

TEST(AlgebraTest, EveryIdentityHasTheSameBits) {
  for (const Row& row : kRows) {
    int held = 0;
    held += Holds<uint8_t>(row, DType::kBool);
    held += Holds<int8_t>(row, DType::kInt8);
    held += Holds<uint8_t>(row, DType::kUInt8);
    held += Holds<int64_t>(row, DType::kInt64);
    held += Holds<uint64_t>(row, DType::kUInt64);
    held += Holds<float>(row, DType::kFloat32);
    held += Holds<double>(row, DType::kFloat64);
    EXPECT_GT(held, 0) << row.pattern << " is never replaced";
  }
}

}  // namespace
}  // namespace dynacc::passes
