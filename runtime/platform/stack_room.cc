#include "runtime/platform/stack_room.h"

#include <pthread.h>

#include <cstdint>

namespace dynacc::platform {
namespace {

// The lowest address of the thread's stack; 0 if it is not known.
uintptr_t LowestAddress() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  size_t size = 0;
  const bool is_known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  return is_known ? reinterpret_cast<uintptr_t>(lowest) : 0;
}

}  // namespace

size_t StackLeft() {
  thread_local const uintptr_t lowest = LowestAddress();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here > lowest ? here - lowest : 0;
}

}  // namespace dynacc::platform
