#include "runtime/platform/core_load.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "runtime/platform/container_limits.h"

namespace dynacc::platform {

// "0.31 0.20 0.18 3/412 9123": the fourth field begins with what is asked for (proc(5)).
int RunnableThreads(const std::string& root) {
  const int file = open((root + "/proc/loadavg").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128];
  const ssize_t size = read(file, text, sizeof(text) - 1);
  close(file);
  if (size <= 0) return 0;
  text[size] = '\0';
  const char* field = text;
  for (int i = 0; i < 3 && field != nullptr; ++i) {
    field = std::strchr(field, ' ');
    if (field != nullptr) ++field;
  }
  return field == nullptr ? 0 : std::atoi(field);
}

int OnlineCores() {
  static const int cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return cores;
}

int UsableCores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return 1;
  const double quota = CpuQuota("");
  const int allowed = quota > 0 ? static_cast<int>(std::min(256.0, std::ceil(quota))) : 256;
  return std::max(1, std::min(allowed, CPU_COUNT(&cores)));
}

}  // namespace dynacc::platform
