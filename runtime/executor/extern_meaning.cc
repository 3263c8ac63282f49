#include "runtime/executor/extern_meaning.h"

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace dynacc {
namespace {

struct Meanings {
  absl::Mutex mutex;
  absl::flat_hash_map<int64_t, ExternScan> scans ABSL_GUARDED_BY(mutex);
};

Meanings& TheMeanings() {
  static Meanings& meanings = *new Meanings;
  return meanings;
}

}  // namespace

void SayExternIsScan(int64_t extern_id, const ExternScan& scan) {
  Meanings& meanings = TheMeanings();
  absl::MutexLock lock(&meanings.mutex);
  meanings.scans[extern_id] = scan;
}

std::optional<ExternScan> FindExternScan(int64_t extern_id) {
  Meanings& meanings = TheMeanings();
  absl::MutexLock lock(&meanings.mutex);
  const auto it = meanings.scans.find(extern_id);
  if (it == meanings.scans.end()) return std::nullopt;
  return it->second;
}

}  // namespace dynacc
