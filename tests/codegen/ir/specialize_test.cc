#include "codegen/ir/specialize.h"

#include "codegen/ir/graph_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynacc::ir {
namespace {

using testing::HasSubstr;

constexpr char kGraph[] = R"(graph {
  scalars: s0 = input int, s1 = (s0 - 2), s2 = input float
  %0: f64[s0] = input 0
  %1: f64[s1] = view %0 axis[0] start[2] step[1]
  %2: f64[s1] = full s2
  %3: f64[s1] = multiply %1, %2
  %4: f64[s0] = store %0, %3 axis[0] start[1] step[1]
  return %3, %4 -> %0
}
)";

TEST(SpecializeTest, NumbersBecomeConstants) {
  const auto graph = ParseGraph(kGraph);
  ASSERT_TRUE(graph.ok()) << graph.status();
  ScalarValue numbers[2];
  numbers[0].i = 7;
  numbers[1].f = 0.5;
  const auto special = SpecializeGraph(**graph, numbers);
  ASSERT_TRUE(special.ok()) << special.status();
  EXPECT_EQ(PrintGraph(**special), R"(graph {
  %0: f64[7] = input 0
  %1: f64[5] = view %0 axis[0] start[2] step[1]
  %2: f64[5] = full 0.5
  %3: f64[5] = multiply %1, %2
  %4: f64[7] = store %0, %3 axis[0] start[1] step[1]
  return %3, %4 -> %0
}
)");
}

TEST(SpecializeTest, SizesThatDoNotFitAreErrors) {
  const auto graph = ParseGraph(R"(graph {
  scalars: s0 = input int
  %0: f64[4] = input 0
  %1: f64[s0] = view %0 axis[0] start[1] step[1]
  return %1
}
)");
  ASSERT_TRUE(graph.ok()) << graph.status();
  ScalarValue number;
  number.i = 3;
  EXPECT_TRUE(SpecializeGraph(**graph, {&number, 1}).ok());
  number.i = 4;
  EXPECT_EQ(SpecializeGraph(**graph, {&number, 1}).status().code(), absl::StatusCode::kInternal);
  const absl::Status missing = SpecializeGraph(**graph, {}).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("takes 1 numbers, not 0"));
}

TEST(SpecializeTest, NumbersMustBeWhatTheGraphRequires) {
  const auto graph = ParseGraph(R"(graph {
  scalars: s0 = input int, s1 = input int, s2 = (s0 == s1)
  %0: f64[s0] = input 0
  %1: f64[s1] = input 1
  %2: f64[s0] = view %1 axis[0] start[0] step[1]
  %3: f64[s0] = add %0, %2
  requires s2
  return %3
}
)");
  ASSERT_TRUE(graph.ok()) << graph.status();
  ScalarValue sizes[2];
  sizes[0].i = 5;
  sizes[1].i = 5;
  EXPECT_TRUE(SpecializeGraph(**graph, sizes).ok());
  sizes[1].i = 6;  // legal without the condition: a part of the second array would be read
  EXPECT_THAT(SpecializeGraph(**graph, sizes).status().message(),
              HasSubstr("requires that (s0 == s1)"));
}

TEST(SpecializeTest, ANodesDataDependentNumbersStay) {
  const auto graph = ParseGraph(R"(graph {
  scalars: s0 = input int, s1 = late, s2 = late, s3 = (s2 + s0), s4 = (s2 <= s0), s5 = (s1 == s2)
  %0: f64[s0] = input 0
  %1: f64[s1] = library_call 7 defines s1 %0
  %2: f64[s2] = library_call 8 defines s2 %0
  %3: f64[s3] = concat %0, %2 axes[0]
  %4: f64[] = reduce_sum %3 axes[0]
  requires s4, s5
  return %1, %4
}
)");
  ASSERT_TRUE(graph.ok()) << graph.status();
  ScalarValue size;
  size.i = 7;
  const auto special = SpecializeNode(**graph, (*graph)->outputs()[1], {&size, 1});
  ASSERT_TRUE(special.ok()) << special.status();
  EXPECT_EQ(PrintGraph(**special), R"(graph {
  scalars: s0 = late, s1 = (s0 + 7), s2 = (s0 <= 7)
  %0: f64[7] = input 0
  %1: f64[s0] = library_call 8 defines s0 %0
  %2: f64[s1] = concat %0, %1 axes[0]
  %3: f64[] = reduce_sum %2 axes[0]
  requires s2
  return %3
}
)");
  EXPECT_FALSE(SpecializeGraph(**graph, {&size, 1}).ok());
}

}  // namespace
}  // namespace dynacc::ir
