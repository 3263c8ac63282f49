#include "runtime/platform/buffer_cache.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "runtime/base/stats.h"

namespace dynacc::platform {
namespace {

void* SystemAllocate(size_t bytes) {
  if (bytes < BufferCache::kHugePageThreshold) {
    return std::aligned_alloc(BufferCache::kAlignment, bytes);
  }
  // Block sizes of this range are multiples of the alignment only; round up for aligned_alloc.
  const size_t huge = BufferCache::kHugePageBytes;
  void* block = std::aligned_alloc(huge, (bytes + huge - 1) / huge * huge);
  if (block != nullptr) madvise(block, bytes, MADV_HUGEPAGE);
  return block;
}

// No more than a sixteenth of the machine's memory lies idle.
size_t ProcessBound() {
  const size_t memory =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return std::min(BufferCache::kDefaultBound, memory / 16);
}

}  // namespace

BufferCache::BufferCache(size_t bound) : bound_(bound) {}

BufferCache::~BufferCache() { Trim(); }

BufferCache& BufferCache::Process() {
  static BufferCache& cache = *[] {
    auto* made = new BufferCache(ProcessBound());
    // The lock is held over a fork so that the child finds the lists whole.
    pthread_atfork([] { Process().mutex_.lock(); }, [] { Process().mutex_.unlock(); },
                   [] { Process().mutex_.unlock(); });
    return made;
  }();
  return cache;
}

// Class 4k + j holds blocks of 2^k * (4 + j) / 4 bytes, and kHeadBytes.
int BufferCache::ClassOf(size_t bytes) {
  const size_t size = std::max(bytes, 4 * kAlignment + kHeadBytes) - kHeadBytes;
  const int k = std::bit_width(size - 1) - 1;  // 2^k < size <= 2^(k+1)
  const size_t quarter = size_t{1} << (k - 2);
  return 4 * k + static_cast<int>((size - 1 - (size_t{1} << k)) / quarter) + 1;
}

size_t BufferCache::BlockBytes(size_t bytes) {
  const int size_class = ClassOf(bytes);
  const int k = size_class / 4;
  return (size_t{1} << (k - 2)) * (4 + size_class % 4) + kHeadBytes;
}

void* BufferCache::Allocate(size_t bytes) {
  const int size_class = ClassOf(bytes);
  const size_t size = BlockBytes(bytes);
  {
    std::lock_guard lock(mutex_);
    if (!free_[size_class].empty()) {
      void* block = free_[size_class].back();
      free_[size_class].pop_back();
      cached_ -= size;
      Count(ThreadStats().blocks_reused);
      return block;
    }
  }
  Count(ThreadStats().blocks_allocated);
  if (void* block = SystemAllocate(size)) return block;
  Trim();
  return SystemAllocate(size);
}

void BufferCache::Free(void* block, size_t bytes) {
  const size_t size = BlockBytes(bytes);
  {
    std::lock_guard lock(mutex_);
    if (cached_ + size <= bound_) {
      free_[ClassOf(bytes)].push_back(block);
      cached_ += size;
      return;
    }
  }
  std::free(block);
}

void BufferCache::Trim() {
  std::lock_guard lock(mutex_);
  for (std::vector<void*>& blocks : free_) {
    for (void* block : blocks) std::free(block);
    blocks.clear();
  }
  cached_ = 0;
}

size_t BufferCache::cached_bytes() const {
  std::lock_guard lock(mutex_);
  return cached_;
}

}  // namespace dynacc::platform
