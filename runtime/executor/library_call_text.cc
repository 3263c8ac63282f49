#include "runtime/executor/library_call_text.h"

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace dynacc::executor {
namespace {

struct Texts {
  absl::Mutex mutex;
  absl::flat_hash_map<int64_t, std::string> by_id ABSL_GUARDED_BY(mutex);
};

Texts& TheTexts() {
  static auto& texts = *new Texts;
  return texts;
}

}  // namespace

void SayCallReads(int64_t library_call_id, const std::string& text) {
  Texts& texts = TheTexts();
  absl::MutexLock lock(&texts.mutex);
  texts.by_id[library_call_id] = text;
}

std::optional<std::string> FindCallText(int64_t library_call_id) {
  Texts& texts = TheTexts();
  absl::MutexLock lock(&texts.mutex);
  const auto it = texts.by_id.find(library_call_id);
  return it == texts.by_id.end() ? std::nullopt : std::optional(it->second);
}

}  // namespace dynacc::executor
