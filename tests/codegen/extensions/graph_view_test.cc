#include "codegen/extensions/graph_view.h"

#include <string>
#include <string_view>

#include "codegen/extensions/graph_passes.h"
#include "codegen/ir/graph_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynacc::extensions {
namespace {

using ::testing::HasSubstr;

constexpr char kLayer[] = R"(graph {
  %0: f64[8, 3] = input 0
  %1: f64[3, 4] = input 1
  %2: f64[8, 4] = matmul %0, %1
  %3: f64[4] = input 2
  %4: f64[8, 4] = view %3 axis[-1, 0] start[0] step[0, 1]
  %5: f64[8, 4] = add %2, %4    # layer.py:7
  %6: f64[8] = reduce_sum %5 axes[1]
  return %6
})";

TEST(GraphViewTest, ReadsNodes) {
  ir::EditableGraph edited(**ir::ParseGraph(kLayer));
  GraphView owned(edited);
  graph::Graph& view = owned;
  EXPECT_EQ(view.num_inputs(), 3);
  EXPECT_EQ(view.num_outputs(), 1);
  graph::Node* const sum = view.output(0);
  EXPECT_STREQ(sum->op(), "reduce_sum");
  EXPECT_STREQ(sum->dtype(), "f64");
  EXPECT_STREQ(sum->text(), "%6: f64[8] = reduce_sum %5 axes[1]");
  EXPECT_TRUE(sum->is_output());
  EXPECT_EQ(sum->rank(), 1);
  EXPECT_EQ(sum->size(0), 8);
  EXPECT_EQ(sum->next(), nullptr);
  graph::Node* const add = sum->arg(0);
  EXPECT_EQ(add->num_args(), 2);
  EXPECT_EQ(add->num_users(), 1);
  EXPECT_EQ(add->user(0), sum);
  EXPECT_EQ(add->arg(0)->arg(0), view.input(0));
  EXPECT_EQ(view.first(), view.input(0));
  EXPECT_STREQ(add->file(), "layer.py");
  EXPECT_EQ(add->line(), 7);
  EXPECT_FALSE(add->is_output());
}

TEST(GraphViewTest, BuildsAGraph) {
  ir::EditableGraph edited;
  GraphView owned(edited);
  graph::Graph& view = owned;
  graph::Node* const x = view.AddInput("f32[5, 3]");
  graph::Node* const w = view.AddInput("f32[3, 2]");
  graph::Node* factors[] = {x, w};
  graph::Node* const product = view.Call("matmul", factors, 2);
  graph::Node* terms[] = {product, view.Number(0.5, product)};
  graph::Node* const scaled = view.Call("multiply", terms, 2);
  double half = 0;
  EXPECT_TRUE(terms[1]->IsNumber(&half));
  EXPECT_EQ(half, 0.5);
  graph::Node* const sum = view.Call("reduce_max axes[1] keepdims", &scaled, 1);
  graph::Node* const wide = view.Call("cast", &sum, 1, "f64[5, 1]");
  EXPECT_EQ(view.SetOutputs(&wide, 1), nullptr);
  EXPECT_EQ(view.Check(), nullptr);
  EXPECT_STREQ(view.text(), R"(graph {
  %0: f32[5, 3] = input 0
  %1: f32[3, 2] = input 1
  %2: f32[5, 2] = matmul %0, %1
  %3: f32[] = scalar 0.5
  %4: f32[5, 2] = view %3 axis[-1, -1] start[] step[0, 0]
  %5: f32[5, 2] = multiply %2, %4
  %6: f32[5, 1] = reduce_max %5 axes[1] keepdims
  %7: f64[5, 1] = cast %6
  return %7
}
)");
}

TEST(GraphViewTest, Changes) {
  ir::EditableGraph edited(**ir::ParseGraph(kLayer));
  GraphView owned(edited);
  graph::Graph& view = owned;
  graph::Node* const add = view.output(0)->arg(0);
  view.InsertBefore(view.output(0));
  graph::Node* const exp = view.Call("exp", &add, 1);
  EXPECT_EQ(view.SetArg(view.output(0), 0, exp), nullptr);
  EXPECT_EQ(view.Check(), nullptr);
  EXPECT_THAT(view.text(), HasSubstr("%6: f64[8, 4] = exp %5\n  %7: f64[8] = reduce_sum %6"));
  EXPECT_EQ(view.ReplaceAllUses(exp, add), nullptr);
  EXPECT_EQ(view.Erase(exp), nullptr);
  graph::Node* const product = add->arg(0);
  EXPECT_EQ(view.ReplaceAllUses(add, product), nullptr);
  EXPECT_EQ(view.EliminateDeadCode(), 2);
  graph::Node* terms[] = {product, view.BroadcastTo(view.input(2), product)};
  EXPECT_STREQ(view.Call("add", terms, 2)->op(), "add");
}

TEST(GraphViewTest, SaysWhatIsWrong) {
  ir::EditableGraph edited(**ir::ParseGraph(kLayer));
  GraphView owned(edited);
  graph::Graph& view = owned;
  graph::Node* factors[] = {view.input(1), view.input(0)};
  EXPECT_EQ(view.Call("matmul", factors, 2), nullptr);
  EXPECT_THAT(view.error(), HasSubstr("matmul"));
  EXPECT_EQ(view.Call("nothing", factors, 2), nullptr);
  EXPECT_THAT(view.error(), HasSubstr("unknown op 'nothing'"));
  EXPECT_EQ(view.Call("reduce_sum axes[7]", factors, 1), nullptr);
  EXPECT_EQ(view.Call("input 3", nullptr, 0), nullptr);
  EXPECT_EQ(view.AddInput("f65[3]"), nullptr);
  EXPECT_THAT(view.Erase(view.input(0)), HasSubstr("used"));
  EXPECT_NE(view.SetArg(view.output(0), 1, view.input(0)), nullptr);
  EXPECT_NE(view.ReplaceAllUses(view.output(0), view.input(0)), nullptr);
  view.InsertBefore(nullptr);
  graph::Node* const add = view.output(0)->arg(0);
  graph::Node* const product = add->arg(0);
  graph::Node* const last = view.Call("exp", &product, 1);
  EXPECT_EQ(view.SetArg(add, 0, last), nullptr);
  EXPECT_NE(view.Check(), nullptr);  // the node comes after its user
}

ExtensionPass Pass(extension::Pass run) { return {"test", run}; }

TEST(ApplyPassTest, GivesTheChangedGraph) {
  const auto graph = *ir::ParseGraph(kLayer);
  const auto made = ApplyPass(*graph, Pass([](graph::Graph& graph) {
    for (graph::Node* node = graph.first(); node != nullptr; node = node->next()) {
      if (std::string_view(node->op()) != "add") continue;
      graph.ReplaceAllUses(node, node->arg(0));
    }
    graph.EliminateDeadCode();
  }));
  ASSERT_NE(made, nullptr);
  EXPECT_THAT(ir::PrintGraph(*made), HasSubstr("%4: f64[8] = reduce_sum %2 axes[1]"));
}

TEST(ApplyPassTest, ForgetsWhatIsNoSuchGraph) {
  const auto graph = *ir::ParseGraph(kLayer);
  EXPECT_EQ(ApplyPass(*graph, Pass([](graph::Graph& graph) {
              graph::Node* const other = graph.input(0);
              graph.SetOutputs(&other, 1);
            })),
            nullptr);
  EXPECT_EQ(ApplyPass(*graph, Pass([](graph::Graph& graph) {
              graph::Node* const sum = graph.output(0);
              graph.InsertBefore(nullptr);
              graph::Node* const arg = sum->arg(0);
              graph.SetArg(sum, 0, graph.Call("exp", &arg, 1));
            })),
            nullptr);
}

}  // namespace
}  // namespace dynacc::extensions
