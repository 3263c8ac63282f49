#include "codegen/compile/compile_progress.h"

#include <fcntl.h>
#include <pty.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/log.h"

namespace dynacc::compile {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

// What a compile of that time shows on stderr, which is a terminal here.
std::string ShownOnTerminal(std::chrono::milliseconds time) {
  int terminal = -1;
  int end = -1;
  EXPECT_EQ(openpty(&terminal, &end, nullptr, nullptr, nullptr), 0);
  const int stderr_before = dup(STDERR_FILENO);
  dup2(end, STDERR_FILENO);
  {
    const CompileProgress progress("f (prog.py:12)");
    std::this_thread::sleep_for(time);
  }
  dup2(stderr_before, STDERR_FILENO);
  close(stderr_before);
  close(end);
  std::string shown;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(terminal, buffer, sizeof(buffer))) > 0;) {
    shown.append(buffer, static_cast<size_t>(n));
  }
  close(terminal);
  return shown;
}

TEST(CompileProgressTest, AQuickCompileShowsNothing) {
  EXPECT_EQ(ShownOnTerminal(std::chrono::milliseconds(0)), "");
}

TEST(CompileProgressTest, ALongOneIsCountedAndTakenBack) {
  const std::string shown = ShownOnTerminal(std::chrono::milliseconds(1300));
  EXPECT_THAT(shown, HasSubstr("dynacc: compiling f (prog.py:12), 1 s"));
  EXPECT_THAT(shown, EndsWith("\r\033[K"));
}

TEST(CompileProgressTest, AHostWithALogSinkKeepsItsTerminal) {
  SetLogSink([](absl::string_view) {});
  EXPECT_EQ(ShownOnTerminal(std::chrono::milliseconds(1300)), "");
  SetLogSink(nullptr);
}

}  // namespace
}  // namespace dynacc::compile
