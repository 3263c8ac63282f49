#include "runtime/base/check.h"

#include "gtest/gtest.h"

namespace dynacc {
namespace {

TEST(CheckDeathTest, AFailureNamesPlaceConditionAndMessage) {
  const int sizes = 3;
  EXPECT_DEATH(DYNACC_CHECK(sizes == 4) << "of " << sizes,
               "internal error at .*check_test.cc:[0-9]+: sizes == 4 of 3\n.*report it");
}

TEST(Check, WhatHoldsEvaluatesNoMessage) {
  int evaluated = 0;
  DYNACC_CHECK(true) << ++evaluated;
  EXPECT_EQ(evaluated, 0);
}

}  // namespace
}  // namespace dynacc
