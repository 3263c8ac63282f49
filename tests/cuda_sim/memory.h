// DeviceMemory: the allocations of a simulated device, and who touched which byte of them.
//
// Addresses that the program sees are not mapped in the process (kAddressOffset), so host code
// that follows a device pointer crashes as it would on a machine with a GPU.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dynacc::sim {

inline constexpr uint64_t kAddressOffset = uint64_t{1} << 60;

// One thread's moment in a launch. Accesses of two threads are ordered if they are of one block
// and a barrier is between them.
struct Moment {
  uint32_t launch = 0;
  uint32_t block = 0;
  uint32_t thread = 0;  // within the block
  uint32_t epoch = 0;   // barriers that the block has passed
};

// What was done last to one byte.
struct Shadow {
  Moment moment;
  bool read_by_many = false;
  bool written = false;
};

// Notes an access of a byte; true if it races with the one before.
bool Races(Shadow& shadow, const Moment& now, bool writes);

class DeviceMemory {
 public:
  // A fresh allocation, its bytes filled with 0xA5.
  uint64_t Allocate(size_t bytes);
  // False: not the start of an allocation.
  bool Free(uint64_t address);
  size_t SizeOf(uint64_t address) const;

  // Where [address, address + bytes) is kept; null if that is not within one allocation.
  char* Find(uint64_t address, size_t bytes);

  // The same for a kernel's access; "" or what is wrong with it.
  std::string Access(uint64_t address, size_t bytes, size_t alignment, bool writes,
                     const Moment& now, char*& at);

 private:
  struct Block {
    std::unique_ptr<char[]> memory;
    uint64_t address = 0;
    size_t bytes = 0;
    std::vector<Shadow> shadows;  // made at the first access by a kernel; none for large blocks
  };
  Block* FindBlock(uint64_t address, size_t bytes);

  std::map<uint64_t, Block> blocks_;  // by address
  Block* last_ = nullptr;
};

}  // namespace dynacc::sim
