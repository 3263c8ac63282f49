#include "codegen/emit/expression.h"

#include <gtest/gtest.h>

namespace dynacc::emit {
namespace {

TEST(ExpandExpression, ReplacesWholeIdentifiersOnly) {
  EXPECT_EQ(ExpandExpression("Abs(a)", {"v7", "", ""}, "F64"), "Abs(v7)");
  EXPECT_EQ(ExpandExpression("(a != T(0)) & (b != T(0))", {"v1", "v2", ""}, "I8"),
            "(v1 != I8(0)) & (v2 != I8(0))");
  EXPECT_EQ(ExpandExpression("a * Degree<T>()", {"v1", "", ""}, "F32"), "v1 * Degree<F32>()");
  EXPECT_EQ(ExpandExpression("Where(a, b, c)", {"v0", "v1", "v2"}, ""), "Where(v0, v1, v2)");
  EXPECT_EQ(ExpandExpression("a_b + Tab + aT", {"X", "Y", "Z"}, "W"), "a_b + Tab + aT");
  EXPECT_EQ(ExpandExpression("", {"", "", ""}, ""), "");
}

}  // namespace
}  // namespace dynacc::emit
