#include "embed/module/info.h"

#include <Python.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "codegen/compile/compiler.h"
#include "codegen/targets/cpu/plugin_loader.h"
#include "runtime/base/options.h"
#include "runtime/cache/kernel_cache.h"
#include "runtime/cache/kernel_file.h"
#include "runtime/cpu/onednn/library.h"
#include "runtime/platform/cpu_level.h"

namespace dynacc {
namespace {

std::string ProcessorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

std::string CacheFolder() {
  const std::string path = cache::KernelCache::FolderOfProcess();
  if (path.empty()) return "none: kernels are kept in memory only";
  int kernels = 0;
  uintmax_t bytes = 0;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(path, error)) {
    if (file.path().extension() != cache::kKernelFileEnding) continue;
    const uintmax_t size = file.file_size(error);
    if (error) continue;  // another process has replaced it
    ++kernels;
    bytes += size;
  }
  return absl::StrCat(path, ", ", kernels, " modules, ", (bytes + 1023) / 1024, " kB");
}

std::string CompilerPlugin() {
  const absl::StatusOr<std::string> path = cpu::FindCompilerPlugin();
  return path.ok() ? absl::StrCat("LLVM ", cpu::CompilerVersion(), ", ", *path)
                   : absl::StrCat("not found: ", path.status().message());
}

std::string TargetLines() {
  std::string text;
  for (const compile::TargetInfo& target : compile::TargetInfos()) {
    absl::StrAppend(&text, "  ", target.name, ": ", target.doc,
                    target.name == ProcessOptions().target ? " (in use)" : "", "\n");
  }
  return text;
}

std::string OptionLines() {
  std::string text;
  for (const OptionRow& row : OptionTable()) {
    const char* value = std::getenv(row.variable);
    absl::StrAppend(&text, "  ", row.variable, value == nullptr ? " (not set)" : "=",
                    value == nullptr ? "" : value, "\n      ", row.doc, "\n");
  }
  return text;
}

std::string TopicLines() {
  std::string text;
#define DYNACC_LOG_TOPIC(name, topic, doc) absl::StrAppend(&text, "  ", topic, ": ", doc, "\n");
#include "runtime/base/log_topics.def"
#undef DYNACC_LOG_TOPIC
  return text;
}

}  // namespace

std::string InfoText() {
  return absl::StrCat("DynaCC ", DYNACC_VERSION, " in CPython ", PY_VERSION, "\n", "NumPy      ",
                      "built for ", DYNACC_NUMPY_VERSION, "\n", "processor  ", ProcessorName(),
                      ", ", std::thread::hardware_concurrency(), " threads, ",
                      absl::StrJoin(platform::LevelsOfThisMachine(), " "), "\n", "compiler   ",
                      CompilerPlugin(), "\n", "oneDNN     ", cpu::OneDnnSummary(), "\n",
                      "cache      ", CacheFolder(), "\n", "targets\n", TargetLines(),
                      "environment\n", OptionLines(), "topics of DYNACC_LOGS\n", TopicLines());
}

}  // namespace dynacc
