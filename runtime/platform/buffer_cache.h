// BufferCache: memory for temporaries and results, kept for reuse.
//
// A fresh large block costs page faults that take longer than most kernels; so freed blocks are
// kept on lists by size class (four classes to a power of two) up to a bound, and blocks of 4 MB
// and more ask the kernel for huge pages. Thread-safe, usable after fork.
//
// Blocks have kHeadBytes more than their class says: who needs some bytes before the data, as
// NumPy's arrays do, finds blocks of others whose data is as large, and sizes are often powers of
// two.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace dynacc::platform {

class BufferCache {
 public:
  static constexpr size_t kAlignment = 64;
  static constexpr size_t kHeadBytes = kAlignment;
  static constexpr size_t kDefaultBound = size_t{512} << 20;
  static constexpr size_t kHugePageBytes = size_t{2} << 20;
  static constexpr size_t kHugePageThreshold = size_t{4} << 20;

  // Keeps at most `bound` bytes of free blocks.
  explicit BufferCache(size_t bound = kDefaultBound);
  ~BufferCache();
  BufferCache(const BufferCache&) = delete;
  BufferCache& operator=(const BufferCache&) = delete;

  // The cache of the process; never destroyed.
  static BufferCache& Process();

  // At least `bytes` bytes at a multiple of kAlignment, contents unspecified; nullptr if there is
  // no memory (after giving back what the cache held).
  void* Allocate(size_t bytes);

  // Takes back what Allocate(bytes) gave.
  void Free(void* block, size_t bytes);

  // Gives every free block back to the system.
  void Trim();

  size_t cached_bytes() const;

  // The size of the block that a request for `bytes` gets.
  static size_t BlockBytes(size_t bytes);

 private:
  static int ClassOf(size_t bytes);

  static constexpr int kClasses = 4 * 64;
  mutable std::mutex mutex_;
  std::vector<void*> free_[kClasses];
  size_t cached_ = 0;
  const size_t bound_;
};

}  // namespace dynacc::platform
