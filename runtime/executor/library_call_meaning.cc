#include "runtime/executor/library_call_meaning.h"

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace dynacc::executor {
namespace {

template <typename Meaning>
class Meanings {
 public:
  void Say(int64_t library_call_id, const Meaning& meaning) {
    absl::MutexLock lock(&mutex_);
    by_id_[library_call_id] = meaning;
  }

  std::optional<Meaning> Find(int64_t library_call_id) {
    absl::MutexLock lock(&mutex_);
    const auto it = by_id_.find(library_call_id);
    if (it == by_id_.end()) return std::nullopt;
    return it->second;
  }

 private:
  absl::Mutex mutex_;
  absl::flat_hash_map<int64_t, Meaning> by_id_ ABSL_GUARDED_BY(mutex_);
};

Meanings<ScanCall>& Scans() {
  static auto& scans = *new Meanings<ScanCall>;
  return scans;
}

Meanings<ArgExtremeCall>& ArgExtremes() {
  static auto& extremes = *new Meanings<ArgExtremeCall>;
  return extremes;
}

Meanings<MeanCall>& Means() {
  static auto& means = *new Meanings<MeanCall>;
  return means;
}

Meanings<TakeCall>& Takes() {
  static auto& takes = *new Meanings<TakeCall>;
  return takes;
}

Meanings<GatherCall>& Gathers() {
  static auto& gathers = *new Meanings<GatherCall>;
  return gathers;
}

Meanings<ScatterCall>& Scatters() {
  static auto& scatters = *new Meanings<ScatterCall>;
  return scatters;
}

Meanings<IntOperationCall>& IntOperations() {
  static auto& operations = *new Meanings<IntOperationCall>;
  return operations;
}

Meanings<std::string>& Texts() {
  static auto& texts = *new Meanings<std::string>;
  return texts;
}

}  // namespace

void SayCallReads(int64_t library_call_id, const std::string& text) {
  Texts().Say(library_call_id, text);
}
std::optional<std::string> FindCallText(int64_t library_call_id) {
  return Texts().Find(library_call_id);
}

void SayCallIsScan(int64_t library_call_id, const ScanCall& scan) {
  Scans().Say(library_call_id, scan);
}

std::optional<ScanCall> FindScanCall(int64_t library_call_id) {
  return Scans().Find(library_call_id);
}

void SayCallIsArgExtreme(int64_t library_call_id, const ArgExtremeCall& extreme) {
  ArgExtremes().Say(library_call_id, extreme);
}

std::optional<ArgExtremeCall> FindArgExtremeCall(int64_t library_call_id) {
  return ArgExtremes().Find(library_call_id);
}

void SayCallIsMean(int64_t library_call_id, const MeanCall& mean) {
  Means().Say(library_call_id, mean);
}

std::optional<MeanCall> FindMeanCall(int64_t library_call_id) {
  return Means().Find(library_call_id);
}

void SayCallIsTake(int64_t library_call_id, const TakeCall& take) {
  Takes().Say(library_call_id, take);
}

std::optional<TakeCall> FindTakeCall(int64_t library_call_id) {
  return Takes().Find(library_call_id);
}

void SayCallIsGather(int64_t library_call_id, const GatherCall& gather) {
  Gathers().Say(library_call_id, gather);
}

std::optional<GatherCall> FindGatherCall(int64_t library_call_id) {
  return Gathers().Find(library_call_id);
}

void SayCallIsScatter(int64_t library_call_id, const ScatterCall& scatter) {
  Scatters().Say(library_call_id, scatter);
}

std::optional<ScatterCall> FindScatterCall(int64_t library_call_id) {
  return Scatters().Find(library_call_id);
}

void SayCallIsIntOperation(int64_t library_call_id, const IntOperationCall& operation) {
  IntOperations().Say(library_call_id, operation);
}

std::optional<IntOperationCall> FindIntOperationCall(int64_t library_call_id) {
  return IntOperations().Find(library_call_id);
}

}  // namespace dynacc::executor
