#include "frontend/fallback/step_interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/frontend/interpreter_fixture.h"

namespace dynacc::fallback {
namespace {

const auto* const kInterpreter = testing::AddGlobalTestEnvironment(new Interpreter);

// A new opcode, or one that loses its row, shows here; step_python's programs test the rows.
TEST(StepInterpreter, LeavesExactlyTheseOpcodesToCPython) {
  std::vector<std::string> left;
#define DYNACC_OPCODE(name, number, caches, jump) \
  if (!CanStep(number)) left.push_back(#name);
#include "frontend/cpython/opcodes.def"
#undef DYNACC_OPCODE
  EXPECT_THAT(left,
              testing::UnorderedElementsAre(
                  // units that are folded into instructions
                  "CACHE", "EXTENDED_ARG",
                  // exception groups
                  "CHECK_EG_MATCH", "PREP_RERAISE_STAR",
                  // generators and coroutines
                  "RETURN_GENERATOR", "YIELD_VALUE", "SEND", "GET_YIELD_FROM_ITER", "GET_AWAITABLE",
                  "GET_AITER", "GET_ANEXT", "END_ASYNC_FOR", "BEFORE_ASYNC_WITH", "ASYNC_GEN_WRAP",
                  // module bodies and the prompt
                  "IMPORT_STAR", "SETUP_ANNOTATIONS", "PRINT_EXPR",
                  // class and mapping patterns
                  "MATCH_CLASS", "MATCH_KEYS"));
}

}  // namespace
}  // namespace dynacc::fallback
