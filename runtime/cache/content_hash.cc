#include "runtime/cache/content_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "absl/strings/str_cat.h"

namespace dynacc::cache {
namespace {

ContentHash AsContentHash(const XXH128_hash_t& hash) { return {hash.low64, hash.high64}; }

}  // namespace

std::string ContentHash::Hex() const {
  return absl::StrCat(absl::Hex(high, absl::kZeroPad16), absl::Hex(low, absl::kZeroPad16));
}

ContentHash HashContent(absl::string_view bytes) {
  return AsContentHash(XXH3_128bits(bytes.data(), bytes.size()));
}

ContentHash HashParts(absl::Span<const absl::string_view> parts) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (const absl::string_view part : parts) {
    const uint64_t size = part.size();
    XXH3_128bits_update(&state, &size, sizeof(size));
    XXH3_128bits_update(&state, part.data(), part.size());
  }
  return AsContentHash(XXH3_128bits_digest(&state));
}

}  // namespace dynacc::cache
