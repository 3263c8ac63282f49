#include "runtime/base/status_macros.h"

#include <memory>

#include "gtest/gtest.h"

namespace dynacc {
namespace {

absl::StatusOr<std::unique_ptr<int>> Make(int value) {
  if (value < 0) return absl::OutOfRangeError("negative");
  return std::make_unique<int>(value);
}

absl::StatusOr<int> Sum(int a, int b) {
  DYNACC_ASSIGN_OR_RETURN(const std::unique_ptr<int> first, Make(a));
  DYNACC_ASSIGN_OR_RETURN(const std::unique_ptr<int> second, Make(b), "the second");
  return *first + *second;
}

absl::Status Check(int value) {
  DYNACC_RETURN_IF_ERROR(Make(value).status(), "checking");
  return absl::OkStatus();
}

TEST(StatusMacros, MovesValuesOut) { EXPECT_EQ(*Sum(1, 2), 3); }

TEST(StatusMacros, PutsTheContextBeforeTheMessageAndKeepsTheCode) {
  EXPECT_EQ(Sum(-1, 2).status(), absl::OutOfRangeError("negative"));
  EXPECT_EQ(Sum(1, -2).status(), absl::OutOfRangeError("the second: negative"));
  EXPECT_EQ(Check(-1), absl::OutOfRangeError("checking: negative"));
  EXPECT_TRUE(Check(1).ok());
}

TEST(StatusMacros, AnnotateLeavesSuccessAlone) {
  EXPECT_TRUE(Annotate(absl::OkStatus(), "context").ok());
  EXPECT_EQ(Annotate(absl::InternalError("x"), ""), absl::InternalError("x"));
}

}  // namespace
}  // namespace dynacc
