#include "runtime/platform/host_memory.h"

#include <sys/sysinfo.h>

#include <limits>

#include "absl/algorithm/container.h"

namespace dynacc::platform {
namespace {

int64_t HostMemory() {
  static const int64_t bytes = [] {
    struct sysinfo info = {};
    if (sysinfo(&info) != 0) return std::numeric_limits<int64_t>::max();
    return static_cast<int64_t>((info.totalram + info.totalswap) * info.mem_unit);
  }();
  return bytes;
}

}  // namespace

bool FitsHostMemory(int64_t item_bytes, absl::Span<const int64_t> sizes) {
  if (absl::c_linear_search(sizes, 0)) return true;
  int64_t bytes = item_bytes;
  for (const int64_t size : sizes) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) return false;
  }
  return bytes <= HostMemory();
}

}  // namespace dynacc::platform
