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
#define DYNACC_OPCODE(name, ...) \
  if (!CanStep(name)) left.push_back(#name);
#include "frontend/cpython/opcodes.def"
#undef DYNACC_OPCODE
  EXPECT_THAT(left,
              testing::UnorderedElementsAre(
                  // exception groups
                  "CHECK_EG_MATCH", "PREP_RERAISE_STAR", "CALL_INTRINSIC_2",
                  // generators and coroutines
                  "RETURN_GENERATOR", "YIELD_VALUE", "SEND", "GET_YIELD_FROM_ITER", "GET_AWAITABLE",
                  "GET_AITER", "GET_ANEXT", "END_ASYNC_FOR", "BEFORE_ASYNC_WITH", "ASYNC_GEN_WRAP",
                  "END_FOR", "END_SEND", "CLEANUP_THROW", "CALL_INTRINSIC_1",
                  // module bodies and the prompt
                  "IMPORT_STAR", "SETUP_ANNOTATIONS", "PRINT_EXPR", "LOAD_LOCALS",
                  "LOAD_FROM_DICT_OR_DEREF", "LOAD_FROM_DICT_OR_GLOBALS",
                  // class and mapping patterns
                  "MATCH_CLASS", "MATCH_KEYS"));
}

}  // namespace
}  // namespace dynacc::fallback
