#include "runtime/kernel/content_hash.h"

#include <bit>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace dynacc {
namespace {

constexpr uint64_t kC1 = 0x87c37b91114253d5;
constexpr uint64_t kC2 = 0x4cf5ad432745937f;

uint64_t Finish(uint64_t k) {
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccd;
  k ^= k >> 33;
  k *= 0xc4ceb9fe1a85ec53;
  return k ^ (k >> 33);
}

uint64_t MixLow(uint64_t k) { return std::rotl(k * kC1, 31) * kC2; }
uint64_t MixHigh(uint64_t k) { return std::rotl(k * kC2, 33) * kC1; }

}  // namespace

std::string ContentHash::Hex() const {
  return absl::StrCat(absl::Hex(high, absl::kZeroPad16), absl::Hex(low, absl::kZeroPad16));
}

ContentHash HashContent(absl::string_view bytes, uint64_t seed) {
  uint64_t low = seed, high = seed;
  const uint64_t size = bytes.size();
  for (; bytes.size() >= 16; bytes.remove_prefix(16)) {
    uint64_t block[2];
    std::memcpy(block, bytes.data(), sizeof(block));
    low = (std::rotl(low ^ MixLow(block[0]), 27) + high) * 5 + 0x52dce729;
    high = (std::rotl(high ^ MixHigh(block[1]), 31) + low) * 5 + 0x38495ab5;
  }
  uint64_t rest[2] = {0, 0};
  std::memcpy(rest, bytes.data(), bytes.size());
  low ^= MixLow(rest[0]) ^ size;
  high ^= MixHigh(rest[1]) ^ size;
  low += high;
  high += low;
  low = Finish(low);
  high = Finish(high);
  low += high;
  return {low, high + low};
}

ContentHasher& ContentHasher::Add(absl::string_view part) {
  const ContentHash next = HashContent(part, hash_.low);
  hash_ = {next.low, next.high ^ Finish(hash_.high)};
  return *this;
}

}  // namespace dynacc
