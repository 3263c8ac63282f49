#include "runtime/base/memory_reserve.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace dynacc {
namespace {

// What a trace or a compile of a kernel allocates in small pieces until it ends, by far.
constexpr int kBlocks = 32;
constexpr size_t kBlockBytes = size_t{64} << 10;

std::atomic<void*> g_blocks[kBlocks];
std::atomic<int> g_missing{0};

void LetGo() {
  for (std::atomic<void*>& place : g_blocks) {
    if (void* const block = place.exchange(nullptr)) {
      g_missing.fetch_add(1, std::memory_order_relaxed);
      std::free(block);
      return;
    }
  }
  throw std::bad_alloc();
}

void Fill() {
  for (std::atomic<void*>& place : g_blocks) {
    if (place.load(std::memory_order_relaxed) != nullptr) continue;
    void* const block = std::malloc(kBlockBytes);
    if (block == nullptr) return;
    void* none = nullptr;
    if (place.compare_exchange_strong(none, block)) {
      g_missing.fetch_sub(1, std::memory_order_relaxed);
    } else {
      std::free(block);
    }
  }
}

}  // namespace

void HoldMemoryReserve() {
  if (std::get_new_handler() != nullptr) return;
  g_missing.store(kBlocks, std::memory_order_relaxed);
  Fill();
  std::set_new_handler(LetGo);
}

void RefillMemoryReserve() {
  if (MemoryIsShort()) Fill();
}

bool MemoryIsShort() { return g_missing.load(std::memory_order_relaxed) > 0; }

}  // namespace dynacc
