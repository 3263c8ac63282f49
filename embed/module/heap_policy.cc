#include "embed/module/heap_policy.h"

#include <malloc.h>
#include <unistd.h>

#include <cstring>

namespace dynacc {

void KeepFreedMemory() {
#ifdef __GLIBC__
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, "MALLOC_", 7) == 0 ||
        std::strncmp(*variable, "GLIBC_TUNABLES=", 15) == 0)
      return;
  }
  mallopt(M_MMAP_THRESHOLD, kLargestHeapBlock);
  mallopt(M_TRIM_THRESHOLD, kKeptHeap);
#endif
}

}  // namespace dynacc
