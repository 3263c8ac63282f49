#include "codegen/debug_folder.h"

#include <unistd.h>

#include <atomic>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "codegen/graph/graph_text.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"

namespace dynacc {
namespace {

constexpr char kProgram[] = R"(# $0, as DynaCC captured it.
# usage: dynacc-python run.py [check | show | shrink] [--help]
from dynacc import graphs

GRAPH = r"""
$1"""

if __name__ == "__main__":
    raise SystemExit(graphs.main(GRAPH))
)";

constexpr size_t kMaxNameLength = 60;

// "f (/a/prog.py:12)" as part of a file's name: "f-12".
std::string NameOf(absl::string_view label) {
  const absl::string_view function = label.substr(0, label.find(" ("));
  std::string line(label.substr(label.find_last_of(':') + 1));
  std::string name;
  for (const char c : absl::StrCat(function.substr(0, kMaxNameLength), "-", line)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.') {
      name.push_back(c);
    }
  }
  return name;
}

// A comment line of a Python program, whatever the function and its file are called.
std::string OneLine(absl::string_view label) {
  return absl::StrReplaceAll(label, {{"\n", " "}, {"\r", " "}});
}

}  // namespace

std::unique_ptr<DebugFolder> DebugFolder::Make(absl::string_view label, const Graph& graph) {
  const std::string& parent = ProcessOptions().debug_dir;
  if (parent.empty()) return nullptr;
  static std::atomic<int> number{0};
  const std::string path = absl::StrCat(parent, "/", getpid(), "-",
                                        absl::Dec(++number, absl::kZeroPad4), "-", NameOf(label));
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    WarnOnce("debug folder",
             absl::StrCat("DYNACC_DEBUG_DIR: cannot make ", path, ": ", error.message()));
    return nullptr;
  }
  std::unique_ptr<DebugFolder> folder(new DebugFolder(path));
  const std::string text = PrintGraph(graph);
  folder->Write("graph.txt", text);
  folder->Write("run.py", absl::Substitute(kProgram, OneLine(label), text));
  return folder;
}

void DebugFolder::Write(absl::string_view name, absl::string_view contents) const {
  const std::string path = absl::StrCat(path_, "/", name);
  std::ofstream file(path, std::ios::binary);
  file << contents;
  if (!file.flush())
    WarnOnce("debug folder", absl::StrCat("DYNACC_DEBUG_DIR: cannot write ", path));
}

}  // namespace dynacc
