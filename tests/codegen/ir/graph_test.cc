#include "codegen/ir/graph.h"

#include "codegen/ir/graph_text.h"
#include "codegen/ir/verifier.h"
#include "gtest/gtest.h"

namespace dynacc::ir {
namespace {

class GraphTest : public testing::Test {
 protected:
  const Node* Input(std::vector<ScalarId> shape, DType dtype = DType::kFloat64) {
    return graph_.AddInput(dtype, shape);
  }
  ScalarId Int(int64_t value) { return graph_.scalars().Int(value); }
  ScalarId Size() { return graph_.scalars().AddInput(ScalarType::kInt); }

  Graph graph_;
};

TEST_F(GraphTest, EqualNodesAreIdentical) {
  const Node* x = Input({Int(3)});
  const Node* sum = graph_.Binary(Op::kAdd, x, x);
  EXPECT_EQ(graph_.Binary(Op::kAdd, x, x), sum);
  EXPECT_NE(graph_.Binary(Op::kSubtract, x, x), sum);
  EXPECT_NE(Input({Int(3)}), x);
  EXPECT_EQ(graph_.inputs().size(), 2u);
  const int64_t first = 0;
  EXPECT_NE(graph_.Reduce(Op::kReduceSum, x, {&first, 1}, false),
            graph_.Reduce(Op::kReduceSum, x, {&first, 1}, true));
}

TEST_F(GraphTest, DTypesFollowTheTable) {
  const Node* x = Input({Int(3)});
  const Node* less = graph_.Binary(Op::kLess, x, x);
  EXPECT_EQ(less->dtype, DType::kBool);
  EXPECT_EQ(graph_.Where(less, x, x)->dtype, DType::kFloat64);
  EXPECT_EQ(graph_.Cast(DType::kInt8, x)->dtype, DType::kInt8);
  EXPECT_EQ(graph_.Cast(DType::kFloat64, x), x);
  EXPECT_EQ(graph_.Reduce(Op::kReduceAny, x, {}, false)->dtype, DType::kBool);
}

TEST_F(GraphTest, BroadcastMakesAView) {
  const ScalarId n = Size();
  const Node* row = Input({Int(1), n});
  const Node* wide = graph_.BroadcastTo(row, {Int(5), Int(4), n});
  EXPECT_EQ(PrintNode(graph_, *wide),
            "%1: f64[5, 4, s0] = view %0 axis[-1, -1, 1] start[0, 0] "
            "step[0, 0, 1]");
  EXPECT_EQ(graph_.BroadcastTo(row, {Int(1), n}), row);
}

TEST_F(GraphTest, ReductionsKeepOrDropAxes) {
  const ScalarId n = Size();
  const Node* x = Input({Int(2), n, Int(4)});
  const int64_t axes[] = {0, 2};
  const Node* kept = graph_.Reduce(Op::kReduceSum, x, axes, true);
  EXPECT_EQ(graph_.Reduce(Op::kReduceSum, x, axes, false)->shape, absl::MakeConstSpan(&n, 1));
  EXPECT_EQ(PrintNode(graph_, *kept), "%1: f64[1, s0, 1] = reduce_sum %0 axes[0, 2] keepdims");
}

TEST_F(GraphTest, LocationsAreOfTheFirstUse) {
  const Node* x = Input({});
  graph_.SetLocation("a.py", 3);
  const Node* sum = graph_.Binary(Op::kAdd, x, x);
  graph_.SetLocation("b.py", 4);
  EXPECT_EQ(graph_.Binary(Op::kAdd, x, x), sum);
  EXPECT_STREQ(sum->location.file, "a.py");
  EXPECT_EQ(sum->location.line, 3);
}

using GraphDeathTest = GraphTest;

TEST_F(GraphDeathTest, MisuseIsABug) {
  const Node* x = Input({Int(3)});
  const Node* y = Input({Int(4)});
  const Node* i = Input({Int(3)}, DType::kInt32);
  EXPECT_DEATH(graph_.Binary(Op::kAdd, x, y), "two shapes");
  EXPECT_DEATH(graph_.Binary(Op::kAdd, x, i), "f64 and i32");
  EXPECT_DEATH(graph_.Unary(Op::kAdd, x), "add is not unary");
  EXPECT_DEATH(graph_.Where(x, x, x), "not bool");
  EXPECT_DEATH(graph_.BroadcastTo(x, {Int(4)}), "not known as 1");
  EXPECT_DEATH(graph_.Transpose(x, {1}), "not a permutation");
  Graph other;
  EXPECT_DEATH(other.AddOutput(x), "another graph");
}

}  // namespace
}  // namespace dynacc::ir
