#include "codegen/ir/verifier.h"

#include "codegen/ir/graph_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynacc::ir {
namespace {

using testing::HasSubstr;

absl::Status Verify(const std::string& nodes) {
  const auto graph = ParseGraph("graph {\n  scalars: s0 = input int, s1 = input float\n" +
                                std::string("  %x: f64[3, s0] = input 0\n") +
                                "  %i: i32[3, s0] = input 1\n  %b: bool[3, s0] = input 2\n" +
                                nodes + "\n  return %x\n}\n");
  if (!graph.ok()) return graph.status();
  return VerifyGraph(**graph);
}

TEST(Verifier, AcceptsLegalGraphs) {
  EXPECT_EQ(Verify("%1: f64[s0, 3] = view %x axis[1, 0] start[0, 0] step[1, 1]"), absl::OkStatus());
  EXPECT_EQ(Verify("%1: f64[5, s0] = view %x axis[-1, 1] start[2, 0] step[0, 1]"),
            absl::OkStatus());
  EXPECT_EQ(Verify("%1: f64[3] = view %x axis[0] start[2, 0] step[-1]"), absl::OkStatus());
  EXPECT_EQ(Verify("%1: f64[1, s0] = reduce_sum %x axes[0] keepdims"), absl::OkStatus());
  EXPECT_EQ(Verify("%1: f64[7, 3, 3] = matmul %x, %x"),
            absl::InternalError("'%3: f64[7, 3, 3] = matmul %0, %0': the rank should be 2"));
  EXPECT_EQ(Verify("%1: f64[3] = matmul %x, %v").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Verify("%1: f64[3, s0] = update %x, %x\n%2: f64[3, s0] = update %x, %x, %1, %x"),
            absl::OkStatus());
  EXPECT_EQ(Verify("%v: f64[s0] = input 3\n%1: f64[3] = matmul %x, %v"), absl::OkStatus());
}

TEST(Verifier, OpsHaveTheirOperands) {
  // No text says this: the parser refuses it.
  Graph graph;
  const int64_t axis[] = {0};
  const ScalarId shape[] = {graph.scalars().Int(3)};
  graph.AddOutput(graph.Make(Op::kConcat, DType::kFloat64, shape, {}, {.ints = axis}));
  const absl::Status status = VerifyGraph(graph);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("takes some operands"));
}

struct Illegal {
  const char* node;
  const char* rule;
};

class IllegalNodes : public testing::TestWithParam<Illegal> {};

TEST_P(IllegalNodes, AreNamedWithTheirRule) {
  const absl::Status status = Verify(GetParam().node);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("'%3: "));
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().rule));
}

INSTANTIATE_TEST_SUITE_P(
    Rules, IllegalNodes,
    testing::Values(
        Illegal{"%1: f64[3, s0] = add %x, %i", "dtypes differ"},
        Illegal{"%1: f64[3, 3] = negative %x", "shape of operand %0 differs"},
        Illegal{"%1: f64[3, s0] = less %x, %x", "dtype does not follow"},
        Illegal{"%1: f32[3, s0] = negative %x", "dtype does not follow"},
        Illegal{"%1: f64[3] = cast %x", "shape of operand"},
        Illegal{"%1: f64[3, s0] = update %x", "takes elements and one to three operands"},
        Illegal{"%1: f64[3, s0] = update %x, %i", "dtypes differ"},
        Illegal{"%1: f64[3, s0] = where %i, %x, %x", "condition is not bool"},
        Illegal{"%1: i32[3, s0] = where %b, %i, %x", "values' dtypes differ"},
        Illegal{"%1: f64[2] = scalar 1", "rank 0"}, Illegal{"%1: f64[s1] = full 1", "not an int"},
        Illegal{"%1: f64[-1] = full 1", "negative"},
        Illegal{"%1: f64[1, 1, 1, 1, 1, 1, 1, 1, 1] = full 1", "rank exceeds 8"},
        Illegal{"%1: f64[3] = view %x axis[2] start[0, 0] step[1]", "no axis 2"},
        Illegal{"%1: f64[3] = view %x axis[0, 1] start[0, 0] step[1]", "one entry for each"},
        Illegal{"%1: f64[3] = view %x axis[0] start[0, 0] step[]", "start and step need"},
        Illegal{"%1: f64[3] = view %x axis[0] start[0, s1] step[1]", "not an int"},
        Illegal{"%1: f64[3] = view %x axis[0] start[1, 0] step[1]", "outside of operand axis 0"},
        Illegal{"%1: f64[2] = view %x axis[0] start[0, 0] step[-1]", "outside of operand axis 0"},
        Illegal{"%1: f64[1] = reduce_sum %x axes[0]", "without the axes"},
        Illegal{"%1: f64[s0] = reduce_sum %x axes[0] keepdims", "without the axes"},
        Illegal{"%1: f64[] = reduce_sum %x axes[1, 0]", "not ascending"},
        Illegal{"%1: f64[] = reduce_sum %x axes[2]", "not ascending"},
        Illegal{"%1: f64[3, s0] = matmul %x, %i", "dtypes differ"},
        Illegal{"%1: f64[s0, s0] = matmul %x, %x", "number of rows"},
        Illegal{"%1: f64[3, s0] = negative %x call 3", "a call of another op"},
        Illegal{"%1: f64[3, s0] = cumsum %x axis[2]", "none of the result's"},
        Illegal{"%1: f64[3] = cumsum %x axis[0]", "the shape of operand"},
        Illegal{"%1: i64[3] = argmax %x axes[]", "neither one nor all"},
        Illegal{"%1: f64[3] = argmax %x axes[1]", "dtype does not follow"},
        Illegal{"%1: i64[4] = argmax %x axes[1]", "without the axes"},
        Illegal{"%1: i32[3] = mean %i axes[1]", "inexact"},
        Illegal{"%1: f64[4] = mean %x axes[1]", "without the axes"},
        Illegal{"%1: f64[3] = gather %x at[0]", "not one for each axis"},
        Illegal{"%1: f64[3, s0] = gather %x at[:, :]", "that is a view"},
        Illegal{"%1: f64[s0] = gather %x at[0, 1]", "the rank should be 0"},
        Illegal{"%1: f64[3, s0] = gather %x, %x at[%x, :]", "indices are integers"},
        Illegal{"%1: f64[1] = gather %x at[0, ::0]", "a step of 0"},
        Illegal{"%1: f64[1] = gather %x, %i at[0, %i::1]", "no single integer"},
        Illegal{"%1: f64[] = gather %x at[0, 1] along", "along an axis there is one index"},
        Illegal{"%1: f64[3, s0] = gather at[0]", "takes some operands"},
        Illegal{"%1: i32[3, s0] = scatter %x into %x at[0, :] set 1", "not the base's"},
        Illegal{"%1: f64[3, s0] = scatter %x, %i into %x at[0, :] set %i", "the value's dtype"},
        Illegal{"%1: f64[3, s0] = scatter %x into %x at[0, 0] set %x", "the value's rank"},
        Illegal{"%1: f64[3, s0] = scatter %x into %x at[0, 0] set s0", "no constant"},
        Illegal{"%1: f64[3, s0] = scatter %x into %x at[0, 0] less 1", "no binary op"},
        Illegal{"%1: f64[3, s0] = scatter %x into %x at[0, 0] negative 1", "no binary op"},
        Illegal{"%1: f64[3, s0] = compress %x, %i", "mask is not bool"},
        Illegal{"%1: f64[3, s0] = compress %x, %b", "not the rank of rows"},
        Illegal{"%1: i64[] = int_operator %i add[%i, 1]", "no single int"},
        Illegal{"%1: f64[] = int_operator add[1, 1]", "the result is no integer"},
        Illegal{"%1: i64[] = int_operator add[1]", "another number of arguments"},
        Illegal{"%1: i64[1] = int_operator neg[1]", "rank 0"}));

TEST(Verifier, DataDependentNumbersAreDefinedBeforeTheyAreUsed) {
  const auto verify = [](const std::string& nodes) {
    const auto graph = ParseGraph("graph {\n  scalars: s0 = late, s1 = late, s2 = (s0 == s1)\n" +
                                  nodes + "\n  return\n}\n");
    return graph.ok() ? VerifyGraph(**graph) : graph.status();
  };
  const std::string first = "  %0: f64[s0] = library_call 0 defines s0\n";
  const std::string second = "  %1: f64[s1] = library_call 1 defines s1 %0\n";
  EXPECT_EQ(verify(first + second + "  requires s2"), absl::OkStatus());
  EXPECT_THAT(verify(first + "  requires s2").message(), HasSubstr("what is not defined"));
  EXPECT_THAT(verify(first + "  %1: f64[s1] = full 0").message(), HasSubstr("used before"));
  EXPECT_THAT(verify("  %0: f64[s1] = library_call 1 defines s1").message(),
              HasSubstr("used before"));
  EXPECT_THAT(verify("  %0: f64[3] = library_call 1 defines s0").message(),
              HasSubstr("of its own"));
}

TEST(Verifier, ReshapesKeepTheNumberOfElements) {
  const char kText[] = "graph {\n  %0: f64[2, 3] = input 0\n  %1: f64[5] = reshape %0\n  return\n}";
  const auto graph = ParseGraph(kText);
  ASSERT_TRUE(graph.ok());
  EXPECT_THAT(std::string(VerifyGraph(**graph).message()), HasSubstr("number of elements changes"));
}

}  // namespace
}  // namespace dynacc::ir
