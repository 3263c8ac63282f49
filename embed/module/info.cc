#include "embed/module/info.h"

#include <Python.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "codegen/compile/option_names.h"
#include "codegen/targets/cpu/plugin_loader.h"
#include "nlohmann/json.hpp"
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

// An option's value, of each kind.
std::string TextOf(bool value) { return value ? "1" : "0"; }
std::string TextOf(const std::string& value) { return value; }

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

// `text` in lines of at most kWidth characters, each after `indent`.
std::string Folded(absl::string_view text, absl::string_view indent) {
  constexpr size_t kWidth = 100;
  std::string folded, line;
  for (absl::string_view word : absl::StrSplit(text, ' ')) {
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > kWidth) {
      absl::StrAppend(&folded, indent, line, "\n");
      line.clear();
    }
    absl::StrAppend(&line, line.empty() ? "" : " ", word);
  }
  absl::StrAppend(&folded, indent, line, "\n");
  return folded;
}

std::string TopicLines() {
  std::string text;
#define DYNACC_LOG_TOPIC(name, topic, doc) absl::StrAppend(&text, "  ", topic, ": ", doc, "\n");
#include "runtime/base/log_topics.def"
#undef DYNACC_LOG_TOPIC
  return text;
}

std::string VersionLine() {
  return absl::StrCat("DynaCC ", DYNACC_VERSION, " (CPython ", PY_VERSION, ", built for NumPy ",
                      DYNACC_NUMPY_VERSION, ")\n");
}

std::string HelpText() {
  std::string text = absl::StrCat(
      "usage: dynacc-python [option of python3] ... [-c cmd | -m mod | file | -] [arg] ...\n"
      "Runs a Python program as python3 does, its array code as compiled kernels.\n\n"
      "Options of its own, each alone:\n"
      "  --dynacc-version   the versions of DynaCC, CPython and NumPy\n"
      "  --dynacc-help      this text; -h prints that of python3\n"
      "  --dynacc-info      this machine, targets, cache folder, variables as they are set\n\n"
      "Tools:\n"
      "  -m dynacc info                       the same with the NumPy that is in use\n"
      "  -m dynacc.report prog.py [-o page]   runs a program; a page that shows what happened\n");
  const auto heading = [&](absl::string_view title) { absl::StrAppend(&text, "\n", title, "\n"); };
  const auto option = [&](absl::string_view variable, const std::string& standard,
                          absl::string_view doc) {
    absl::StrAppend(&text, "  ", variable,
                    standard.empty() ? "" : absl::StrCat(" (", standard, ")"), "\n",
                    Folded(doc, "      "));
  };
#define DYNACC_OPTION_GROUP(title) heading("Environment variables: " title);
#define DYNACC_OPTION(field, kind, scope, variable, default_value, doc) \
  option(variable, TextOf(Options::kind(default_value)), doc);
#include "runtime/base/options.def"
#undef DYNACC_OPTION
  heading("Topics of DYNACC_LOGS and dynacc.set_logs, +topic for more");
#define DYNACC_LOG_TOPIC(name, topic, doc) option(topic, "", doc);
#include "runtime/base/log_topics.def"
#undef DYNACC_LOG_TOPIC
  return text;
}

std::string InfoText() {
  return absl::StrCat("DynaCC ", DYNACC_VERSION, " in CPython ", PY_VERSION, "\n", "NumPy      ",
                      "built for ", DYNACC_NUMPY_VERSION, "\n", "processor  ", ProcessorName(),
                      ", ", std::thread::hardware_concurrency(), " threads, ",
                      absl::StrJoin(platform::LevelsOfThisMachine(), " "), "\n", "compiler   ",
                      CompilerPlugin(), "\n", "oneDNN     ", cpu::OneDnnSummary(), "\n",
                      "cache      ", CacheFolder(), "\n", "targets\n", TargetLines(),
                      "environment\n", OptionLines(), "topics of DYNACC_LOGS\n", TopicLines());
}

Json ChangedOptions() {
  Json changed = Json::object();
  const Options standard;
#define DYNACC_OPTION(field, kind, scope, variable, default_value, doc) \
  if (ProcessOptions().field != standard.field) changed[variable] = TextOf(ProcessOptions().field);
#include "runtime/base/options.def"
#undef DYNACC_OPTION
  return changed;
}

}  // namespace

std::optional<std::string> AnswerTo(const std::string& option) {
  if (option == "--dynacc-version") return VersionLine();
  if (option == "--dynacc-help") return HelpText();
  if (option == "--dynacc-info") return InfoText();
  return std::nullopt;
}

Json InfoData() {
  Json targets = Json::object();
  for (const compile::TargetInfo& target : compile::TargetInfos()) {
    targets[std::string(target.name)] = std::string(target.doc);
  }
  Json levels = Json::array();
  for (const auto& level : platform::LevelsOfThisMachine()) levels.push_back(std::string(level));
  const std::string& cpu = ProcessOptions().cpu;
  return {{"dynacc", DYNACC_VERSION},
          {"python", PY_VERSION},
          {"numpy_built_for", DYNACC_NUMPY_VERSION},
          {"processor", ProcessorName()},
          {"threads", std::thread::hardware_concurrency()},
          {"cpu_levels", std::move(levels)},
          {"cpu", cpu.empty() ? "native" : cpu},
          {"compiler", CompilerPlugin()},
          {"onednn", cpu::OneDnnSummary()},
          {"cache", CacheFolder()},
          {"target", ProcessOptions().target},
          {"targets", std::move(targets)},
          {"options", ChangedOptions()}};
}

}  // namespace dynacc
