#include "codegen/compiler.h"

#include "gtest/gtest.h"
#include "tests/codegen/graph_runner.h"
#include "tests/codegen/mimic_loops.h"

namespace dynacc {
namespace {

using testing::GraphRunner;
using testing::VectorSink;
using testing::ViewOf;

class CompilerTest : public ::testing::Test {
 protected:
  void SetUp() override { testing::RegisterMimicLoops(); }
};

TEST_F(CompilerTest, AddsTwoArrays) {
  GraphRunner runner(R"(graph {
    scalars: s0 = input int
    %0: f64[s0] = input 0
    %1: f64[s0] = input 1
    %2: f64[s0] = add %0, %1
    %3: f64[s0] = multiply %2, %0
    return %3
  })");
  ASSERT_TRUE(runner.status().ok()) << runner.status();
  std::vector<double> a = {1, 2, 3}, b = {4, 5, 6};
  VectorSink sink;
  auto flags = runner.Run({ViewOf(a, DType::kFloat64, {3}), ViewOf(b, DType::kFloat64, {3})}, sink,
                          {ScalarValue{.i = 3}});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(*flags, 0u);
  EXPECT_EQ(sink.Values<double>(0), (std::vector<double>{5, 14, 27}));
}

}  // namespace
}  // namespace dynacc
