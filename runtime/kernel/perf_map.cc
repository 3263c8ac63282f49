#include "runtime/kernel/perf_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/synchronization/mutex.h"
#include "runtime/base/log.h"

namespace dynacc::kernel {
namespace {

// /tmp is anyone's: a link or another user's file of that name is not written to.
int Open(const std::string& path) {
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  struct stat info;
  if (descriptor < 0) return -1;
  if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid()) {
    return descriptor;
  }
  close(descriptor);
  errno = EPERM;
  return -1;
}

struct PerfMap {
  absl::Mutex mutex;
  pid_t owner = 0;
  int descriptor = -1;
};

void OpenFor(PerfMap& map, pid_t process) {
  if (map.descriptor >= 0) close(map.descriptor);
  const std::string path = absl::StrCat("/tmp/perf-", process, ".map");
  map.owner = process;
  map.descriptor = Open(path);
  if (map.descriptor < 0) {
    WarnOnce("perf map",
             absl::StrCat("DYNACC_PERF_MAP: cannot write ", path, ": ", std::strerror(errno)));
  }
}

}  // namespace

void AddToPerfMap(absl::Span<const char> code, absl::string_view name) {
  static PerfMap& map = *new PerfMap;
  const std::string line =
      absl::StrCat(absl::Hex(reinterpret_cast<uintptr_t>(code.data())), " ", absl::Hex(code.size()),
                   " ", absl::StrReplaceAll(name, {{"\n", " "}}), "\n");
  absl::MutexLock lock(&map.mutex);
  if (map.owner != getpid()) OpenFor(map, getpid());
  if (map.descriptor < 0) return;
  // Appended by one write, in full or not at all.
  [[maybe_unused]] const ssize_t written = write(map.descriptor, line.data(), line.size());
}

}  // namespace dynacc::kernel
