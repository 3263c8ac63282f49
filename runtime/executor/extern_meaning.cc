#include "runtime/executor/extern_meaning.h"

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace dynacc {
namespace {

template <typename Meaning>
class Meanings {
 public:
  void Say(int64_t extern_id, const Meaning& meaning) {
    absl::MutexLock lock(&mutex_);
    by_id_[extern_id] = meaning;
  }

  std::optional<Meaning> Find(int64_t extern_id) {
    absl::MutexLock lock(&mutex_);
    const auto it = by_id_.find(extern_id);
    if (it == by_id_.end()) return std::nullopt;
    return it->second;
  }

 private:
  absl::Mutex mutex_;
  absl::flat_hash_map<int64_t, Meaning> by_id_ ABSL_GUARDED_BY(mutex_);
};

Meanings<ExternScan>& Scans() {
  static auto& scans = *new Meanings<ExternScan>;
  return scans;
}

Meanings<ExternArgExtreme>& ArgExtremes() {
  static auto& extremes = *new Meanings<ExternArgExtreme>;
  return extremes;
}

Meanings<ExternMean>& Means() {
  static auto& means = *new Meanings<ExternMean>;
  return means;
}

Meanings<ExternTake>& Takes() {
  static auto& takes = *new Meanings<ExternTake>;
  return takes;
}

Meanings<ExternGather>& Gathers() {
  static auto& gathers = *new Meanings<ExternGather>;
  return gathers;
}

Meanings<ExternScatter>& Scatters() {
  static auto& scatters = *new Meanings<ExternScatter>;
  return scatters;
}

Meanings<ExternIntOperation>& IntOperations() {
  static auto& operations = *new Meanings<ExternIntOperation>;
  return operations;
}

}  // namespace

void SayExternIsScan(int64_t extern_id, const ExternScan& scan) { Scans().Say(extern_id, scan); }

std::optional<ExternScan> FindExternScan(int64_t extern_id) { return Scans().Find(extern_id); }

void SayExternIsArgExtreme(int64_t extern_id, const ExternArgExtreme& extreme) {
  ArgExtremes().Say(extern_id, extreme);
}

std::optional<ExternArgExtreme> FindExternArgExtreme(int64_t extern_id) {
  return ArgExtremes().Find(extern_id);
}

void SayExternIsMean(int64_t extern_id, const ExternMean& mean) { Means().Say(extern_id, mean); }

std::optional<ExternMean> FindExternMean(int64_t extern_id) { return Means().Find(extern_id); }

void SayExternIsTake(int64_t extern_id, const ExternTake& take) { Takes().Say(extern_id, take); }

std::optional<ExternTake> FindExternTake(int64_t extern_id) { return Takes().Find(extern_id); }

void SayExternIsGather(int64_t extern_id, const ExternGather& gather) {
  Gathers().Say(extern_id, gather);
}

std::optional<ExternGather> FindExternGather(int64_t extern_id) {
  return Gathers().Find(extern_id);
}

void SayExternIsScatter(int64_t extern_id, const ExternScatter& scatter) {
  Scatters().Say(extern_id, scatter);
}

std::optional<ExternScatter> FindExternScatter(int64_t extern_id) {
  return Scatters().Find(extern_id);
}

void SayExternIsIntOperation(int64_t extern_id, const ExternIntOperation& operation) {
  IntOperations().Say(extern_id, operation);
}

std::optional<ExternIntOperation> FindExternIntOperation(int64_t extern_id) {
  return IntOperations().Find(extern_id);
}

}  // namespace dynacc
