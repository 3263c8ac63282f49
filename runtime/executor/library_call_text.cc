#include "runtime/executor/library_call_text.h"

#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace dynacc::executor {
namespace {

struct Descriptions {
  absl::Mutex mutex;
  absl::flat_hash_map<int64_t, std::string> texts ABSL_GUARDED_BY(mutex);
  absl::flat_hash_map<int64_t, cpu::OwnCall> own ABSL_GUARDED_BY(mutex);
};

Descriptions& TheDescriptions() {
  static auto& descriptions = *new Descriptions;
  return descriptions;
}

template <typename Value>
std::optional<Value> Find(const absl::flat_hash_map<int64_t, Value>& values, int64_t id) {
  const auto it = values.find(id);
  return it == values.end() ? std::nullopt : std::optional(it->second);
}

}  // namespace

void SayCallReads(int64_t library_call_id, const std::string& text) {
  Descriptions& descriptions = TheDescriptions();
  absl::MutexLock lock(&descriptions.mutex);
  descriptions.texts[library_call_id] = text;
}

std::optional<std::string> FindCallText(int64_t library_call_id) {
  Descriptions& descriptions = TheDescriptions();
  absl::MutexLock lock(&descriptions.mutex);
  return Find(descriptions.texts, library_call_id);
}

void SayCallIsOwn(int64_t library_call_id, cpu::OwnCall call) {
  Descriptions& descriptions = TheDescriptions();
  absl::MutexLock lock(&descriptions.mutex);
  descriptions.own[library_call_id] = std::move(call);
}

std::optional<cpu::OwnCall> FindOwnCall(int64_t library_call_id) {
  Descriptions& descriptions = TheDescriptions();
  absl::MutexLock lock(&descriptions.mutex);
  return Find(descriptions.own, library_call_id);
}

}  // namespace dynacc::executor
