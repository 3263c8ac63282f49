// A Runtime for each test, and modules from text.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "dynacc/embed.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynacc {

struct FoldersToRemove {
  std::vector<std::string> paths;

  ~FoldersToRemove() {
    std::error_code ignored;
    for (const std::string& path : paths) std::filesystem::remove_all(path, ignored);
  }
};

class HostTest : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<Runtime>> runtime = Runtime::Start(Options());
    ASSERT_TRUE(runtime.ok()) << runtime.status();
    runtime_ = *std::move(runtime);
  }

  virtual RuntimeOptions Options() { return {}; }

  // The path of a new Python file with that text, in a folder of its own, which goes with the
  // process.
  static std::string FileOf(const std::string& text) {
    static int count = 0;
    std::string folder = testing::TempDir() + "dynacc_host_XXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    static FoldersToRemove folders;
    folders.paths.push_back(folder);
    const std::string path = folder + "/module_" + std::to_string(count++) + ".py";
    std::ofstream(path) << text;
    return path;
  }

  Module ModuleOf(const std::string& text) {
    absl::StatusOr<Module> module = runtime_->LoadFile(FileOf(text));
    EXPECT_TRUE(module.ok()) << module.status();
    return module.ok() ? *module : Module();
  }

  // The function `f` of a module with that text.
  Function FunctionOf(const std::string& text) {
    absl::StatusOr<Function> function = ModuleOf(text).Get("f");
    EXPECT_TRUE(function.ok()) << function.status();
    return function.ok() ? *function : Function();
  }

  std::unique_ptr<Runtime> runtime_;
};

// Functions are compiled before their first call returns, by the target that is there at once.
class CompiledHostTest : public HostTest {
 protected:
  RuntimeOptions Options() override {
    RuntimeOptions options;
    options.target = "tile";
    return options;
  }

  static std::string Compiled(const std::string& text) {
    return "import dynacc\nimport numpy as np\n@dynacc.compile\n" + text;
  }
};

}  // namespace dynacc
