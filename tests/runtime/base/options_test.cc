#include "runtime/base/options.h"

#include <map>

#include "gmock/gmock.h"

namespace dynacc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Options Read(const std::map<std::string, std::string>& environment) {
  return ReadOptions([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(Options, DefaultsWithoutAnEnvironment) {
  const Options options = Read({});
  EXPECT_FALSE(options.disable);
  EXPECT_EQ(options.target, "cpu");
  EXPECT_THAT(options.warnings, IsEmpty());
}

TEST(Options, EachKindIsRead) {
  const Options options =
      Read({{"DYNACC_DISABLE", "1"}, {"DYNACC_TARGET", "tile"}, {"DYNACC_THREADS", "16"}});
  EXPECT_TRUE(options.disable);
  EXPECT_EQ(options.target, "tile");
  EXPECT_EQ(options.threads, "16");
}

TEST(Options, AFlagMayBeEmpty) { EXPECT_FALSE(Read({{"DYNACC_DISABLE", ""}}).disable); }

TEST(Options, WrongValuesAreReportedAndIgnored) {
  const Options options = Read({{"DYNACC_DISABLE", "yes"},
                                {"DYNACC_THREADS", "-3"},
                                {"DYNACC_FORCE_BREAKS", "12345678901"}});
  EXPECT_FALSE(options.disable);
  EXPECT_EQ(options.threads, "");
  EXPECT_EQ(options.force_breaks, "");
  EXPECT_THAT(
      options.warnings,
      ElementsAre(
          "DYNACC_DISABLE=yes is neither 0 nor 1; ignored",
          "DYNACC_THREADS=-3 is not a whole number from 0 to 999999999; ignored",
          "DYNACC_FORCE_BREAKS=12345678901 is not a whole number from 0 to 999999999; ignored"));
}

TEST(Options, TheTableDescribesEveryRow) {
  for (const OptionRow& row : OptionTable()) {
    EXPECT_EQ(std::string(row.variable).rfind("DYNACC_", 0), 0u) << row.variable;
    EXPECT_GT(std::string(row.doc).size(), 10u) << row.variable;
  }
}

}  // namespace
}  // namespace dynacc
