#include "embed/launcher/info.h"

#include <Python.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "runtime/base/options.h"

namespace dynacc {
namespace {

std::string Environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

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
  const Options& options = ProcessOptions();
  if (!options.cache_dir.empty()) return options.cache_dir;
  const std::string xdg = Environment("XDG_CACHE_HOME");
  return xdg.empty() ? Environment("HOME") + "/.cache/dynacc" : xdg + "/dynacc";
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

}  // namespace

std::string InfoText() {
  return absl::StrCat("DynaCC ", DYNACC_VERSION, " in CPython ", PY_VERSION, "\n", "target     ",
                      ProcessOptions().target, "\n", "processor  ", ProcessorName(), ", ",
                      std::thread::hardware_concurrency(), " threads\n", "cache      ",
                      CacheFolder(), "\n", "environment\n", OptionLines());
}

}  // namespace dynacc
