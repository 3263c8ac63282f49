// What Abseil asks the system for. In a module that has Abseil linked in (cmake/OwnAbseil.cmake)
// these stand in for absl/base/internal/sysinfo.cc: Debian's archive has that file built for
// programs, with a variable of the thread that a library cannot have.
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "absl/base/internal/sysinfo.h"

namespace absl {
ABSL_NAMESPACE_BEGIN
namespace base_internal {

int NumCPUs() {
  static const int count = static_cast<int>(std::thread::hardware_concurrency());
  return count;
}

// Abseil's own answer where the frequency is not known; asked by its profilers only.
double NominalCPUFrequency() { return 1.0; }

pid_t GetTID() { return static_cast<pid_t>(syscall(SYS_gettid)); }

pid_t GetCachedTID() {
  static thread_local const pid_t id = GetTID();
  return id;
}

}  // namespace base_internal
ABSL_NAMESPACE_END
}  // namespace absl
