#include "runtime/base/options.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "gmock/gmock.h"
#include "tests/runtime/base/scratch_directory.h"

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

// In a program with more rights than its caller.
TEST(Options, PathsAreNotReadWithMoreRights) {
  for (const OptionRow& row : OptionTable()) {
    const std::string value = row.kind == std::string("Flag") ? "1" : "7";
    const Options options = ReadOptions(
        [&](const char* name) {
          return name == std::string(row.variable) ? value.c_str() : nullptr;
        },
        /*has_more_rights=*/true);
    if (row.kind == std::string("Path")) {
      EXPECT_THAT(options.warnings, ElementsAre(testing::HasSubstr(row.variable)));
    } else {
      EXPECT_THAT(options.warnings, IsEmpty()) << row.variable;
    }
  }
  const EnvironmentLookup all = [](const char*) { return "/a/path"; };
  EXPECT_EQ(ReadOptions(all, true).cache_dir, "");
  EXPECT_EQ(ReadOptions(all, true).extensions, "");
  EXPECT_EQ(ReadOptions(all, false).cache_dir, "/a/path");
}

// Whether the kernel really says so: in a copy of this program that is setuid root, started by
// another user with the variables set. (The test in the copy is the next one.)
TEST(Options, ASetuidProgramIsFound) {
  if (geteuid() != 0) GTEST_SKIP() << "needs to be root to make a setuid program";
  const ScratchDirectory scratch;
  struct statvfs where;
  ASSERT_EQ(statvfs(scratch.path().c_str(), &where), 0);
  if ((where.f_flag & ST_NOSUID) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) {
    GTEST_SKIP() << "no program is setuid here";
  }
  const std::string copy = scratch.path() + "/setuid";
  std::filesystem::copy_file("/proc/self/exe", copy);
  ASSERT_EQ(chmod(copy.c_str(), 04755), 0);
  ASSERT_EQ(chmod(scratch.path().c_str(), 0755), 0);
  const auto run = [&](bool as_stranger) {
    const pid_t child = fork();
    if (child == 0) {
      if (as_stranger && (setgid(12345) != 0 || setuid(12345) != 0)) _exit(100);
      setenv("DYNACC_CACHE_DIR", "/somewhere", 1);
      setenv("DYNACC_STATS", "/somewhere", 1);
      setenv("HOME", "/somewhere", 1);
      const char* filter = as_stranger ? "--gtest_filter=InASetuidProgram.NothingIsRead"
                                       : "--gtest_filter=InASetuidProgram.EverythingIsRead";
      execl(copy.c_str(), copy.c_str(), filter, nullptr);
      _exit(101);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  };
  EXPECT_EQ(run(true), 0);
  EXPECT_EQ(run(false), 0);
}

TEST(InASetuidProgram, NothingIsRead) {
  if (std::getenv("DYNACC_STATS") == nullptr) GTEST_SKIP() << "run by ASetuidProgramIsFound";
  EXPECT_TRUE(HasMoreRightsThanItsCaller());
  EXPECT_EQ(ReadOptions().cache_dir, "");
  EXPECT_EQ(ReadOptions().stats, "");
  EXPECT_EQ(ReadOptions().warnings.size(), 2u);
  EXPECT_EQ(FileVariable("HOME"), nullptr);
}

TEST(InASetuidProgram, EverythingIsRead) {
  if (std::getenv("DYNACC_STATS") == nullptr) GTEST_SKIP() << "run by ASetuidProgramIsFound";
  EXPECT_FALSE(HasMoreRightsThanItsCaller());
  EXPECT_EQ(ReadOptions().cache_dir, "/somewhere");
  EXPECT_STREQ(FileVariable("HOME"), "/somewhere");
}

TEST(Options, ValuesAsText) {
  Options options;
  for (const OptionRow& row : OptionTable()) {
    ASSERT_EQ(FindOption(row.name), &row);
    const std::string value = row.kind == std::string("Flag") ? "1" : "7";
    EXPECT_TRUE(SetOption(options, row, value).ok()) << row.name;
    EXPECT_EQ(OptionText(options, row), value) << row.name;
  }
  EXPECT_EQ(FindOption("magic"), nullptr);
  EXPECT_EQ(FindOption(""), nullptr);
}

TEST(Options, AWrongValueChangesNothing) {
  Options options;
  options.tier_up = "5";
  for (const char* wrong : {"-1", "x", "12345678901"}) {
    const absl::Status status = SetOption(options, *FindOption("tier_up"), wrong);
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("tier_up=")) << wrong;
    EXPECT_EQ(options.tier_up, "5");
  }
  EXPECT_FALSE(SetOption(options, *FindOption("fast_math"), "yes").ok());
}

TEST(Options, OverridesWinAndTheRestIsTheProcesss) {
  Options process;
  process.target = "tile";
  process.disable_passes = "a,b";
  OptionOverrides overrides;
  EXPECT_EQ(overrides.Over(process).target, "tile");
  EXPECT_EQ(overrides.Find("target"), nullptr);
  overrides.values.emplace_back(FindOption("target"), "cpu");
  overrides.values.emplace_back(FindOption("target"), "reference");
  overrides.passes = {{"a", true}, {"c", false}};
  EXPECT_EQ(*overrides.Find("target"), "reference");
  const Options own = overrides.Over(process);
  EXPECT_EQ(own.target, "reference");
  EXPECT_EQ(own.disable_passes, "b,c");
  EXPECT_EQ(process.disable_passes, "a,b");
}

TEST(Options, ReplacedOptionsStayReadable) {
  const Options before = ProcessOptions();
  const std::string& target = ProcessOptions().target;
  Options other = before;
  other.target = "tile";
  ReplaceProcessOptions(other);
  EXPECT_EQ(ProcessOptions().target, "tile");
  EXPECT_EQ(target, before.target);
  ReplaceProcessOptions(before);
  EXPECT_EQ(ProcessOptions().target, before.target);
}

TEST(Options, UnknownVariablesThatAreNearlyOurs) {
  const char* const environment[] = {
      "DYNACC_TARGE=tile", "DYNACC_TARGET=tile", "DYNACC_SOMETHING_ELSE=1", "DYNACC_THREDS",
      "TARGE=1",           "DYNACC_=1",          "DYNACC_PYTHON=/usr",      nullptr};
  EXPECT_THAT(WarningsOfUnknownVariables(environment),
              ElementsAre("DYNACC_TARGE is no variable of DynaCC; did you mean DYNACC_TARGET?",
                          "DYNACC_THREDS is no variable of DynaCC; did you mean DYNACC_THREADS?"));
  EXPECT_THAT(WarningsOfUnknownVariables(nullptr), IsEmpty());
}

TEST(Options, TheTableDescribesEveryRow) {
  for (const OptionRow& row : OptionTable()) {
    EXPECT_EQ(std::string(row.variable).rfind("DYNACC_", 0), 0u) << row.variable;
    EXPECT_GT(std::string(row.doc).size(), 10u) << row.variable;
  }
}

}  // namespace
}  // namespace dynacc
