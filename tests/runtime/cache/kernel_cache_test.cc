#include "runtime/cache/kernel_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/log.h"
#include "runtime/base/stats.h"
#include "tests/runtime/base/scratch_directory.h"

namespace dynacc::cache {
namespace {

struct TextModule : KernelModule {
  explicit TextModule(absl::string_view binary) : text(binary) {}
  std::string text;
};

// Requests for modules whose binary is "binary of <name>"; counts the compiles.
class Compiler {
 public:
  KernelModuleRequest Request(const std::string& name) {
    KernelModuleRequest request;
    request.key = HashContent(name);
    request.source = "source";
    request.num_kernels = 2;
    request.compile = [this, name]() -> absl::StatusOr<std::string> {
      ++compiles;
      if (fails) return absl::InternalError("does not compile");
      return "binary of " + name;
    };
    request.load =
        [](absl::string_view binary) -> absl::StatusOr<std::shared_ptr<const KernelModule>> {
      if (!absl::StartsWith(binary, "binary of ")) return absl::InvalidArgumentError("bad");
      return std::make_shared<const TextModule>(binary);
    };
    return request;
  }

  std::atomic<int> compiles = 0;
  std::atomic<bool> fails = false;
};

std::string Text(const absl::StatusOr<std::shared_ptr<const KernelModule>>& module) {
  return module.ok() ? static_cast<const TextModule&>(**module).text
                     : std::string(module.status().message());
}

TEST(KernelCache, CompilesOnceThenHitsMemoryThenDisk) {
  const ScratchDirectory scratch;
  Compiler compiler;
  KernelCache cache(scratch.path());
  const uint64_t compiled = ProcessStats().kernels_compiled,
                 hits = ProcessStats().kernel_cache_hits;
  EXPECT_EQ(Text(cache.Get(compiler.Request("m"))), "binary of m");
  EXPECT_EQ(ProcessStats().kernels_compiled, compiled + 2);
  EXPECT_EQ(Text(cache.Get(compiler.Request("m"))), "binary of m");
  cache.ClearMemory();
  EXPECT_EQ(Text(cache.Get(compiler.Request("m"))), "binary of m");
  KernelCache next_process(scratch.path());
  EXPECT_EQ(Text(next_process.Get(compiler.Request("m"))), "binary of m");
  EXPECT_EQ(compiler.compiles, 1);
  EXPECT_EQ(ProcessStats().kernel_cache_hits, hits + 6);
}

TEST(KernelCache, WorksWithoutADirectory) {
  Compiler compiler;
  KernelCache cache("");
  EXPECT_EQ(Text(cache.Get(compiler.Request("m"))), "binary of m");
  EXPECT_EQ(Text(cache.Get(compiler.Request("m"))), "binary of m");
  EXPECT_EQ(compiler.compiles, 1);
}

TEST(KernelCache, SaysOnceThatTheDirectoryCannotBeUsed) {
  const ScratchDirectory scratch;
  ASSERT_EQ(chmod(scratch.path().c_str(), 0777), 0);
  std::vector<std::string> lines;
  SetLogSink([&](absl::string_view line) { lines.emplace_back(line); });
  Compiler compiler;
  for (int i = 0; i < 3; ++i) {
    KernelCache cache(scratch.path());
    EXPECT_EQ(Text(cache.Get(compiler.Request("m"))), "binary of m");
  }
  SetLogSink(nullptr);
  EXPECT_EQ(compiler.compiles, 3);
  EXPECT_THAT(lines, testing::ElementsAre(testing::HasSubstr("not kept on disk")));
}

TEST(KernelCache, CompilesAgainWhatDoesNotLoad) {
  const ScratchDirectory scratch;
  Compiler compiler;
  const KernelModuleRequest request = compiler.Request("m");
  ASSERT_TRUE((*KernelDirectory::Open(scratch.path()))->Store(request.key, "foreign", "").ok());
  KernelCache cache(scratch.path());
  EXPECT_EQ(Text(cache.Get(request)), "binary of m");
  EXPECT_EQ(compiler.compiles, 1);
  EXPECT_EQ((*KernelDirectory::Open(scratch.path()))->Find(request.key), "binary of m");
}

TEST(KernelCache, TriesAgainAfterAFailedCompile) {
  Compiler compiler;
  KernelCache cache("");
  compiler.fails = true;
  EXPECT_EQ(Text(cache.Get(compiler.Request("m"))), "does not compile");
  compiler.fails = false;
  EXPECT_EQ(Text(cache.Get(compiler.Request("m"))), "binary of m");
}

TEST(KernelCache, KeepsModulesThatAreUsedAndDropsOthers) {
  Compiler compiler;
  KernelCache cache("");
  const auto kept = cache.Get(compiler.Request("kept"));
  const std::weak_ptr<const KernelModule> dropped = *cache.Get(compiler.Request("dropped"));
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(cache.Get(compiler.Request(absl::StrCat(i))).ok());
  EXPECT_TRUE(dropped.expired());
  const int compiles = compiler.compiles;
  EXPECT_EQ(*cache.Get(compiler.Request("kept")), *kept);
  EXPECT_EQ(compiler.compiles, compiles);
}

TEST(KernelCache, ThreadsShareOneCompileOfAKey) {
  const ScratchDirectory scratch;
  Compiler compiler;
  KernelCache cache(scratch.path());
  constexpr int kThreads = 8, kModules = 20;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kModules * 5; ++i) {
        const std::string name = absl::StrCat((i + t) % kModules);
        if (Text(cache.Get(compiler.Request(name))) != "binary of " + name) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(compiler.compiles, kModules);
}

// Each thread drops what others have just left.
TEST(KernelCache, ThreadsDropEachOthersModules) {
  Compiler compiler;
  KernelCache cache("");
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        const std::string name = absl::StrCat(t, "-", i);
        if (Text(cache.Get(compiler.Request(name))) != "binary of " + name) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace dynacc::cache
