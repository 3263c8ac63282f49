#include "codegen/ir/editable_graph.h"

#include <gmock/gmock.h>

#include <limits>
#include <utility>

#include "codegen/ir/graph_text.h"
#include "codegen/ir/size_range.h"
#include "gtest/gtest.h"

namespace dynacc::ir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kText[] = R"(graph {
  scalars: s0 = input int, s1 = (s0 - 1)
  %0: f64[s0] = input 0
  %1: f64[s1] = view %0 axis[0] start[1] step[1]    # prog.py:3
  %2: f64[s1] = view %0 axis[0] start[0] step[1]    # prog.py:3
  %3: f64[s1] = subtract %1, %2    # prog.py:3
  %4: f64[] = reduce_sum %3 axes[0]    # prog.py:4
  return %4, %3
}
)";

std::unique_ptr<EditableGraph> Edited(const char* text) {
  const auto graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status();
  return std::make_unique<EditableGraph>(**graph);
}

std::string TextOf(const EditableGraph& graph) {
  const auto built = graph.Build();
  return built.ok() ? PrintGraph(**built) : built.status().ToString();
}

EditableNode* At(const EditableGraph& graph, int position) {
  EditableNode* node = graph.first();
  while (position-- > 0) node = node->next;
  return node;
}

TEST(EditableGraph, GivesTheGraphBack) { EXPECT_EQ(TextOf(*Edited(kText)), kText); }

TEST(EditableGraph, InputsStayInTheirOrderWhereverTheyStand) {
  EditableGraph graph;
  const ScalarId size = graph.scalars().Int(2);
  EditableNode* const first = graph.AddInput(DType::kFloat64, {&size, 1});
  graph.SetInsertionPoint(first);
  EditableNode* const second = graph.AddInput(DType::kInt64, {&size, 1});
  ASSERT_TRUE(graph.SetOutputs({{second, nullptr}, {first, nullptr}}).ok());
  EXPECT_EQ(TextOf(graph),
            "graph {\n  %0: f64[2] = input 0\n  %1: i64[2] = input 1\n  return %1, %0\n}\n");
}

TEST(EditableGraph, UsersFollowEveryEdit) {
  const auto graph = Edited(kText);
  EditableNode* const difference = At(*graph, 3);
  EditableNode* const later = At(*graph, 1);
  EXPECT_THAT(graph->UsersOf(*later), ElementsAre(difference));
  EditableNode* const earlier = At(*graph, 2);
  EXPECT_THAT(*graph->ReplaceAllUses(*later, *earlier), ElementsAre(difference));
  EXPECT_THAT(graph->UsersOf(*earlier), ElementsAre(difference));  // as both operands, once
  EXPECT_TRUE(graph->UsersOf(*later).empty());
  EXPECT_TRUE(graph->Erase(*later).ok());
  EXPECT_THAT(TextOf(*graph), HasSubstr("%2: f64[s1] = subtract %1, %1"));
}

TEST(EditableGraph, WhatIsUsedIsNotErased) {
  const auto graph = Edited(kText);
  EXPECT_THAT(graph->Erase(*At(*graph, 1)).message(), HasSubstr("is used by '%3: f64[s1]"));
  EXPECT_THAT(graph->Erase(*At(*graph, 4)).message(), HasSubstr("the graph's outputs"));
  EXPECT_EQ(TextOf(*graph), kText);
}

TEST(EditableGraph, DeadCodeGoes) {
  const auto graph = Edited(kText);
  ASSERT_TRUE(graph->SetOutputs({{At(*graph, 1), nullptr}}).ok());
  EXPECT_EQ(graph->EliminateDeadCode(/*keep_raising=*/true), 0);  // sums of floats may overflow
  EXPECT_EQ(graph->EliminateDeadCode(/*keep_raising=*/false), 3);
  EXPECT_EQ(graph->size(), 2u);
}

TEST(EditableGraph, AnOrderThatIsWrongIsFound) {
  const auto graph = Edited(kText);
  EditableNode* const view = At(*graph, 1);
  EditableNode* const operand = At(*graph, 3);
  const auto made = graph->Create(Op::kNegative, {&operand, 1}, {});
  ASSERT_TRUE(made.ok());
  ASSERT_TRUE(graph->SetOperands(*operand, {*made, view}).ok());
  EXPECT_THAT(TextOf(*graph),
              HasSubstr("%3: f64[s1] = subtract %5, %1': is made before its operand"));
}

TEST(EditableGraph, CopiesBindSizes) {
  const auto graph = Edited(kText);
  EditableGraph other;
  const ScalarId size = other.scalars().Int(7);
  absl::flat_hash_map<const EditableNode*, EditableNode*> map;
  map[graph->first()] = other.AddInput(DType::kFloat64, {&size, 1});
  ASSERT_TRUE(NodeCopier(*graph, other).CopyAll(map).ok());
  ASSERT_TRUE(other.SetOutputs({{map[graph->outputs()[0].node], nullptr}}).ok());
  EXPECT_THAT(TextOf(other), HasSubstr("%3: f64[6] = subtract %1, %2    # prog.py:3"));
  EXPECT_EQ(other.scalars().num_inputs(), 0);
}

TEST(EditableGraph, InfersForOtherInputs) {
  const auto graph = Edited(kText);
  const EditableGraph::InputType type = {DType::kFloat32, {4}};
  const auto inferred = graph->Infer({&type, 1});
  ASSERT_TRUE(inferred.ok()) << inferred.status();
  EXPECT_THAT(TextOf(**inferred), HasSubstr("%4: f32[] = reduce_sum %3 axes[0]"));
  const EditableGraph::InputType empty = {DType::kFloat32, {0}};
  const auto negative = graph->Infer({&empty, 1});
  ASSERT_TRUE(negative.ok());
  EXPECT_THAT(TextOf(**negative), HasSubstr("a size is negative"));
}

TEST(InferType, OfProductsAndParts) {
  EditableGraph graph;
  ScalarProgram& scalars = graph.scalars();
  const ScalarId n = scalars.AddInput(ScalarType::kInt), one = scalars.Int(1), two = scalars.Int(2);
  EditableNode* const a = graph.AddInput(DType::kFloat64, {one, n, two});
  EditableNode* const b = graph.AddInput(DType::kFloat64, {n, two, n});
  const auto product = graph.Create(Op::kMatmul, {a, b}, {});
  ASSERT_TRUE(product.ok()) << product.status();
  EXPECT_THAT((*product)->shape, ElementsAre(n, n, n));
  EditableNode* const row = graph.AddInput(DType::kFloat64, {scalars.Int(3)});
  EXPECT_THAT(graph.Create(Op::kMatmul, {a, row}, {}).status().message(),
              HasSubstr("cannot multiply f64[1, s0, 2] by f64[3]"));
  const int64_t axis = 1;
  const auto both = graph.Create(Op::kConcat, {a, a, a}, {.ints = {&axis, 1}});
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(PrintType(scalars, (*both)->dtype, (*both)->shape), "f64[1, s2, 2]");
  EXPECT_THAT(graph.Create(Op::kConcat, {a, row}, {.ints = {&axis, 1}}).status().message(),
              HasSubstr("differ along its axis only"));
}

TEST(SizeRange, FollowsArithmeticAndConditions) {
  ScalarProgram program;
  const ScalarId n = program.AddInput(ScalarType::kInt), m = program.AddInput(ScalarType::kInt);
  const auto at = [&](ScalarOp op, ScalarId a, int64_t b) {
    return program.Apply(op, a, program.Int(b));
  };
  const ScalarId conditions[] = {at(ScalarOp::kLt, n, 10),
                                 program.Apply(ScalarOp::kLt, program.Int(2), n),
                                 program.Apply(ScalarOp::kNot, at(ScalarOp::kEq, m, 0))};
  const auto range = [&](ScalarId id) {
    const SizeRange found = RangeOf(program, {n, m}, conditions, id);
    return std::pair(found.low, found.high);
  };
  EXPECT_EQ(range(n), std::pair(int64_t{3}, int64_t{9}));
  EXPECT_EQ(range(m), std::pair(int64_t{1}, SizeRange::kNoHigh));
  EXPECT_EQ(range(at(ScalarOp::kMul, at(ScalarOp::kSub, n, 1), 4)),
            std::pair(int64_t{8}, int64_t{32}));
  EXPECT_EQ(range(program.Apply(ScalarOp::kSub, n, m)), std::pair(SizeRange::kNoLow, int64_t{8}));
  EXPECT_EQ(range(at(ScalarOp::kMod, m, 7)), std::pair(int64_t{0}, int64_t{6}));
  EXPECT_EQ(range(at(ScalarOp::kFloorDiv, n, 4)), std::pair(int64_t{0}, int64_t{2}));
  EXPECT_EQ(range(program.Apply(ScalarOp::kMin, n, m)), std::pair(int64_t{1}, int64_t{9}));
  EXPECT_EQ(range(program.Apply(ScalarOp::kNeg, m)), std::pair(SizeRange::kNoLow, int64_t{-1}));
  EXPECT_EQ(range(at(ScalarOp::kSub, n, std::numeric_limits<int64_t>::min())),
            std::pair(SizeRange::kNoLow, SizeRange::kNoHigh));
}

}  // namespace
}  // namespace dynacc::ir
