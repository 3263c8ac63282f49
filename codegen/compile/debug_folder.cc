#include "codegen/compile/debug_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "codegen/ir/graph_text.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"

namespace dynacc::compile {
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
constexpr int kMaxSameName = 100;  // of processes that had the same number

// Of all folders of this process.
std::atomic<int64_t> written_bytes{0};

int64_t MostBytes() {
  constexpr int64_t kDefault = int64_t{1} << 30;
  static const int64_t most = BytesOfMebibytes(ProcessOptions().debug_limit, kDefault);
  return most;
}

// Whether so many bytes may still be written, which are then counted.
bool MayWrite(int64_t bytes) {
  if (written_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes <= MostBytes()) return true;
  WarnOnce("debug limit", "DYNACC_DEBUG_DIR has all that it may have (DYNACC_DEBUG_LIMIT)");
  return false;
}

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

// A folder that was not there before and that only this user may write, so that nobody has put
// links in it; errno if there is none.
FileDescriptor MakeNew(const std::string& parent, const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  errno = error.value();
  if (error || mkdir(path.c_str(), 0755) != 0) return FileDescriptor();
  FileDescriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info;
  if (!folder.is_open() || fstat(folder.get(), &info) != 0) return FileDescriptor();
  if (info.st_uid == geteuid()) return folder;  // else somebody has exchanged it
  errno = EPERM;
  return FileDescriptor();
}

}  // namespace

std::unique_ptr<DebugFolder> DebugFolder::Make(absl::string_view label, const ir::Graph& graph) {
  const std::string& parent = ProcessOptions().debug_dir;
  constexpr int64_t kFolderBytes = 4096;
  if (parent.empty() || !MayWrite(kFolderBytes)) return nullptr;
  static std::atomic<int> number{0};
  const std::string stem = absl::StrCat(parent, "/", getpid(), "-",
                                        absl::Dec(++number, absl::kZeroPad4), "-", NameOf(label));
  std::string path = stem;
  FileDescriptor descriptor = MakeNew(parent, path);
  for (int again = 2; !descriptor.is_open() && errno == EEXIST && again <= kMaxSameName; ++again) {
    path = absl::StrCat(stem, "-", again);
    descriptor = MakeNew(parent, path);
  }
  if (!descriptor.is_open()) {
    WarnOnce("debug folder",
             absl::StrCat("DYNACC_DEBUG_DIR: cannot make ", path, ": ", std::strerror(errno)));
    return nullptr;
  }
  std::unique_ptr<DebugFolder> folder(new DebugFolder(path, std::move(descriptor)));
  const std::string text = ir::PrintGraph(graph);
  folder->Write("graph.txt", text);
  folder->Write("run.py", absl::Substitute(kProgram, OneLine(label), text));
  return folder;
}

void DebugFolder::Write(absl::string_view name, absl::string_view contents) const {
  if (!MayWrite(static_cast<int64_t>(contents.size()))) return;
  const FileDescriptor file(openat(descriptor_.get(), std::string(name).c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file.is_open() || !WriteAll(file.get(), contents)) {
    WarnOnce("debug folder", absl::StrCat("DYNACC_DEBUG_DIR: cannot write ", path_, "/", name));
  }
}

}  // namespace dynacc::compile
