#include "tests/cuda_sim/memory.h"

#include <cstring>

#include "absl/strings/str_cat.h"

namespace dynacc::sim {
namespace {

constexpr size_t kAlignment = 256;
// Races are looked for in blocks up to this size: a byte takes one Shadow.
constexpr size_t kMaxShadowed = size_t{4} << 20;

}  // namespace

bool Races(Shadow& shadow, const Moment& now, bool writes) {
  const Moment& before = shadow.moment;
  const bool same_launch = before.launch == now.launch;
  const bool same_thread = before.block == now.block && before.thread == now.thread;
  const bool barrier_between = before.block == now.block && before.epoch != now.epoch;
  const bool concurrent = same_launch && !barrier_between && (!same_thread || shadow.read_by_many);
  const bool race = concurrent && (writes || shadow.written);
  shadow.read_by_many = concurrent && !writes;
  shadow.written = writes || (same_launch && same_thread && !barrier_between && shadow.written);
  shadow.moment = now;
  return race;
}

uint64_t DeviceMemory::Allocate(size_t bytes) {
  Block block;
  block.bytes = bytes;
  block.memory.reset(new char[bytes + kAlignment]);
  const auto raw = reinterpret_cast<uint64_t>(block.memory.get());
  const uint64_t aligned = (raw + kAlignment - 1) / kAlignment * kAlignment;
  std::memset(reinterpret_cast<char*>(aligned), 0xA5, bytes);
  block.address = aligned + kAddressOffset;
  const uint64_t address = block.address;
  blocks_.emplace(address, std::move(block));
  return address;
}

bool DeviceMemory::Free(uint64_t address) {
  last_ = nullptr;
  return blocks_.erase(address) != 0;
}

size_t DeviceMemory::SizeOf(uint64_t address) const {
  const auto it = blocks_.find(address);
  return it == blocks_.end() ? 0 : it->second.bytes;
}

DeviceMemory::Block* DeviceMemory::FindBlock(uint64_t address, size_t bytes) {
  auto holds = [&](const Block& block) {
    return address >= block.address && address + bytes <= block.address + block.bytes;
  };
  if (last_ != nullptr && holds(*last_)) return last_;
  auto it = blocks_.upper_bound(address);
  if (it == blocks_.begin()) return nullptr;
  --it;
  if (!holds(it->second)) return nullptr;
  return last_ = &it->second;
}

char* DeviceMemory::Find(uint64_t address, size_t bytes) {
  if (FindBlock(address, bytes) == nullptr) return nullptr;
  return reinterpret_cast<char*>(address - kAddressOffset);
}

std::string DeviceMemory::Access(uint64_t address, size_t bytes, size_t alignment, bool writes,
                                 const Moment& now, char*& at) {
  const std::string what = writes ? "writes " : "reads ";
  Block* const block = FindBlock(address, bytes);
  if (block == nullptr) {
    return absl::StrCat(what, bytes, " bytes at 0x", absl::Hex(address),
                        ", which is outside of all allocations");
  }
  if (address % alignment != 0) {
    return absl::StrCat(what, bytes, " bytes at 0x", absl::Hex(address), ", which is not aligned");
  }
  at = reinterpret_cast<char*>(address - kAddressOffset);
  if (block->bytes > kMaxShadowed) return "";
  if (block->shadows.empty()) block->shadows.resize(block->bytes);
  const size_t offset = address - block->address;
  for (size_t i = 0; i < bytes; ++i) {
    if (Races(block->shadows[offset + i], now, writes)) {
      return absl::StrCat(what, bytes, " bytes at 0x", absl::Hex(address),
                          " that another thread touches, with no barrier between");
    }
  }
  return "";
}

}  // namespace dynacc::sim
