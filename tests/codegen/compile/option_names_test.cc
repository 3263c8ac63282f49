// The names that users may give to DYNACC_TARGET, backend= and DYNACC_DISABLE_PASSES.
#include "codegen/compile/option_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/compile/compiler.h"
#include "codegen/compile/targets.h"
#include "codegen/passes/pass_runner.h"

namespace dynacc::compile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(OptionNames, EveryTargetOfTheTableIsFoundByItsName) {
#define DYNACC_TARGET(function, text, doc)      \
  ASSERT_NE(FindTarget(text), nullptr) << text; \
  EXPECT_EQ(FindTarget(text)->name(), text);
#include "codegen/compile/targets.def"
#undef DYNACC_TARGET
  EXPECT_EQ(FindTarget("gpu"), nullptr);
}

TEST(OptionNames, UsersMayNameTargetsThatCompute) {
  for (const TargetInfo& info : TargetInfos()) EXPECT_TRUE(CheckTargetName(info.name).ok());
  EXPECT_TRUE(CheckTargetName("cpu").ok());
  EXPECT_TRUE(CheckTargetName("reference").ok());
  for (const char* name : {"null", "", "CPU", "gpu"}) {
    const std::string message(CheckTargetName(name).message());
    EXPECT_THAT(message, HasSubstr("cpu, tile")) << name;
    EXPECT_THAT(message, Not(HasSubstr("null,"))) << name;
  }
}

TEST(OptionNames, PassesAndRules) {
#define DYNACC_PASS(function, name, kind, why) \
  EXPECT_EQ(CheckPassNames(name).ok(), passes::IsOptional(passes::PassKind::kind)) << name;
#include "codegen/passes/passes.def"
#undef DYNACC_PASS
#define DYNACC_FUSION_RULE(function, name, what) EXPECT_TRUE(CheckPassNames(name).ok()) << name;
#include "codegen/schedule/rules.def"
#undef DYNACC_FUSION_RULE
  EXPECT_EQ(CurrentPassNames("algebra, element-loops,library-product"),
            "algebra,loop-compiler,library-matmul");
  EXPECT_EQ(CurrentPassNames(""), "");
  EXPECT_TRUE(CheckPassNames("").ok());
  EXPECT_TRUE(CheckPassNames("algebra, fuse-sibling,").ok());
  EXPECT_THAT(std::string(CheckPassNames("algebra,magic").message()), HasSubstr("'magic'"));
}

}  // namespace
}  // namespace dynacc::compile
