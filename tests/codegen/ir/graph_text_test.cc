#include "codegen/ir/graph_text.h"

#include "absl/strings/str_cat.h"
#include "codegen/ir/verifier.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/executor/library_call_text.h"

namespace dynacc::ir {
namespace {

using testing::HasSubstr;

constexpr char kEverything[] = R"(graph {
  scalars: s0 = input int, s1 = (s0 - 2), s2 = input float, s3 = min(s0, s1), s4 = (s2 + 1e-05)
  scalars: s5 = neg(s4), s6 = (1 // 0)
  %0: f64[3, s0] = input 0    # some dir/prog.py:11
  %1: f64[3, s1] = view %0 axis[0, 1] start[0, 1] step[1, 1]
  %2: f64[] = scalar s4    # prog.py:12
  %3: f64[3, s1] = full -0.0
  %4: f64[3, s1] = multiply %1, %3
  %5: bool[3, s1] = less %4, %1
  %6: f64[3, s1] = where %5, %4, %1
  %7: f64[1, s1] = reduce_sum %6 axes[0] keepdims
  %8: f64[] = reduce_max %6 axes[0, 1]
  %9: i64[s0] = library_call 3 %0, %2
  %10: i64[] = library_call 4
  %11: f64[3, 3] = input 1
  %12: f64[3, 3] = matmul %11, %11
  %13: f64[3, 3] = matmul %11, %11 apart any_order low_precision windows
  return %7, %8, %7
}
)";

TEST(GraphText, RoundTrips) {
  const auto graph = ParseGraph(kEverything);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(PrintGraph(**graph), kEverything);
  EXPECT_EQ((*graph)->outputs().size(), 3u);
  EXPECT_STREQ((*graph)->nodes()[0]->location.file, "some dir/prog.py");
}

TEST(GraphText, DataDependentNumbersRoundTrip) {
  constexpr char kText[] = R"(graph {
  scalars: s0 = input int, s1 = late, s2 = (s1 + 1), s3 = (s0 <= s2), s4 = late, s5 = (s1 == s4)
  %0: f64[s0] = input 0
  %1: f64[s1] = library_call 0 defines s1 %0
  %2: i64[s4] = library_call 7 defines s4
  requires s3, s5
  return %1
}
)";
  const auto graph = ParseGraph(kText);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(PrintGraph(**graph), kText);
  EXPECT_EQ((*graph)->conditions().size(), 2u);
}

TEST(GraphText, OpsWithCallsRoundTrip) {
  constexpr char kText[] = R"(graph {
  scalars: s0 = input int, s1 = late
  %0: f64[3, s0] = input 0
  %1: i64[2, 4] = input 1
  %2: i64[] = input 2
  %3: bool[3] = input 3
  %4: f64[3, s0] = cumsum %0 axis[1] call 7
  %5: f64[3, s0] = cumprod %0 axis[0]
  %6: i64[3] = argmax %0 axes[1] call 8
  %7: i64[1, 1] = argmin %0 axes[0, 1] keepdims
  %8: f64[3, 1] = mean %0 axes[1] keepdims call 9
  %9: f64[2, 4, s0] = gather %0, %1 at[%1, :] call 10
  %10: f64[3, 2, 4] = gather %0, %1 at[:, %1]
  %11: f64[2, 4, 1, 2] = gather %0, %1, %2 at[%1, new, -3:%2:2] c_order call 11
  %12: f64[2] = gather %0 at[[0, -1], 1]
  %13: f64[3, 4] = gather %0, %1 at[%1, :] along
  %14: f64[3, s0] = scatter %0, %1 into %0 at[%1, ::-1] set 2.5 call 12
  %15: f64[3, s0] = scatter %9, %1, %0 into %0 at[%1, :] add %9
  %16: f64[s1, s0] = compress %0, %3 defines s1 call 13
  %17: f64[s1, s0] = compress %0, %3
  %18: i64[] = int_operator %2 floordiv[%2, 2] call 14
  %19: i32[] = int_operator %2, %18 pow[%2, %18]
  %20: i64[] = int_operator %2 neg[%2] wraps
  return %4, %16
}
)";
  const auto graph = ParseGraph(kText);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(PrintGraph(**graph), kText);
  EXPECT_EQ(VerifyGraph(**graph), absl::OkStatus());
  EXPECT_EQ((*graph)->nodes()[4]->attrs.call, 7);
  EXPECT_EQ((*graph)->nodes()[5]->attrs.call, kNoCall);
}

// The id of a call is a part of the node: one without is another node.
TEST(GraphText, NodesDifferInTheirCalls) {
  const auto graph = ParseGraph(R"(graph {
  %0: f64[3] = input 0
  %1: f64[3] = cumsum %0 axis[0] call 7
  %2: f64[3] = cumsum %0 axis[0]
  %3: f64[3] = cumsum %0 axis[0] call 7
  return %1, %2, %3
})");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ((*graph)->nodes().size(), 3u);
}

TEST(GraphText, CallsReadAsTheirTextsAndRoundTrip) {
  executor::SayCallReads(7001, "numpy.sum(%0, axis=(0, 1))");
  executor::SayCallReads(7002, "numpy.linalg.eigh(%0)[1]");
  executor::SayCallReads(7003, "numpy.where(%1, %0, [%1, 2])");
  executor::SayCallReads(7004, "numpy.empty(3)");
  constexpr char kText[] = R"(graph {
  scalars: s0 = late
  %0: f64[3, 3] = input 0
  %1: f64[] = numpy.sum(%0, axis=(0, 1)) call 7001
  %2: f64[3, 3] = numpy.linalg.eigh(%0)[1] call 7002
  %3: f64[s0] = numpy.where(%2, %0, [%2, 2]) call 7003 defines s0 of %0, %2
  %4: f64[3] = numpy.empty(3) call 7004
  return %1, %3, %4
}
)";
  const auto graph = ParseGraph(kText);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(PrintGraph(**graph), kText);
  EXPECT_EQ((*graph)->nodes()[3]->operands.size(), 2u);
}

TEST(GraphText, AnEmptyGraphRoundTrips) {
  const auto graph = ParseGraph("graph {\n  return\n}\n");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(PrintGraph(**graph), "graph {\n  return\n}\n");
}

TEST(GraphText, NamesAreFreeToChoose) {
  const auto graph = ParseGraph(R"(
    # a remark
    graph {
      scalars: sn = input int
      %x: f32[(sn + 2)] = input 0
      %y: f32[(sn + 2)] = add %x, %x
      return %y
    })");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(PrintNode(**graph, *(*graph)->outputs()[0]), "%1: f32[s1] = add %0, %0");
}

struct Mistake {
  const char* line;
  const char* message;
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreNamed) {
  const std::string text =
      absl::StrCat("graph {\n  scalars: s0 = input int\n", "  %0: f64[s0] = input 0\n",
                   GetParam().line, "\n  return %0\n}\n");
  const auto graph = ParseGraph(text);
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(graph.status().message()), HasSubstr("line 4: "));
  EXPECT_THAT(std::string(graph.status().message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Parser, Mistakes,
    testing::Values(Mistake{"%1: f64[s0] = frobnicate %0", "unknown op 'frobnicate'"},
                    Mistake{"%1: f65[s0] = negative %0", "unknown dtype 'f65'"},
                    Mistake{"%1: f64[s9] = negative %0", "unknown scalar 's9'"},
                    Mistake{"%1: f64[s0] = negative %7", "unknown node '%7'"},
                    Mistake{"%1: f64[s0] = add %0", "'add' takes 2 operands, not 1"},
                    Mistake{"%1: f64[s0] = custom_gradient", "'custom_gradient' takes operands"},
                    Mistake{"%1: f64[s0] = input 5", "input 5 is out of order"},
                    Mistake{"%0: f64[s0] = negative %0", "'%0' is defined twice"},
                    Mistake{"%1: f64[s0] = negative %0 %0", "unexpected '%0'"},
                    Mistake{"%1: f64[s0 = negative %0", "expected ']'"},
                    Mistake{"%1 f64[s0] = negative %0", "expected ':'"},
                    Mistake{"%1: f64[] = reduce_sum %0", "expected 'axes'"},
                    Mistake{"%1: f64[] = reduce_sum %0 axes[x]", "expected an integer"},
                    Mistake{"%1: f64[] = view %0 axis[] start[] step[]", "start needs one scalar"},
                    Mistake{"%1: f64[] = scalar (1 ? 2)", "expected an operator"},
                    Mistake{"%1: f64[] = scalar (1 + 2.0)", "does not take these operands"},
                    Mistake{"%1: f64[] = scalar min(1)", "does not take these operands"},
                    Mistake{"scalars: s0 = input int", "'s0' is defined twice"},
                    Mistake{"scalars: s1 = input complex", "unknown scalar type 'complex'"},
                    Mistake{"hello", "expected a node"}, Mistake{"}", "'}' before return"},
                    Mistake{"%1: f64[s0] = numpy.sum(%0, axis=1", "unknown op"},
                    Mistake{"%1: f64[s0] = numpy.sum(%0)", "expected 'call'"},
                    Mistake{"%1: f64[s0] = numpy.sum(%7) call 3", "unknown node"},
                    Mistake{"%1: f64[s0] = library_call x %0", "expected an integer"},
                    Mistake{"%1: f64[s0] = cumsum %0 axis[0] call x", "expected an integer"},
                    Mistake{"%1: f64[s0] = cumsum %0 axis[0, 1]", "one axis is expected"},
                    Mistake{"%1: f64[s0] = gather %0 at[%0 %0]", "expected ']'"},
                    Mistake{"%1: f64[s0] = gather %0 at[1:2]", "expected ':'"},
                    Mistake{"%1: f64[s0] = gather %0 at[%7]", "unknown node '%7'"},
                    Mistake{"%1: f64[s0] = scatter %0 into %0 at[0] put 1", "unknown op 'put'"},
                    Mistake{"%1: f64[s0] = scatter %0 at[0] set 1", "expected 'into'"},
                    Mistake{"%1: i64[] = int_operator %0 matmul[%0]", "unknown operator"}));

TEST(GraphText, IncompleteTextsAreRefused) {
  EXPECT_FALSE(ParseGraph("").ok());
  EXPECT_FALSE(ParseGraph("graph {").ok());
  EXPECT_FALSE(ParseGraph("graph {\n return\n}\nmore").ok());
  EXPECT_FALSE(ParseGraph("graf {\n return\n}").ok());
}

TEST(GraphText, DeepNestingIsRefusedNotCrashed) {
  const std::string deep = "graph {\n %0: f64[] = scalar " + std::string(100000, '(') + "\n";
  EXPECT_THAT(std::string(ParseGraph(deep).status().message()), HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace dynacc::ir
