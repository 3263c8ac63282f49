#include "runtime/tensor/constant_memory.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

namespace dynacc {
namespace {

struct Block {
  const char* end;
  std::shared_ptr<ConstantForms> forms;
};

// Blocks by their addresses; they do not overlap. The mutex is for their forms, too.
struct Registry {
  std::mutex mutex;
  std::map<const char*, Block> blocks;
  std::atomic<int64_t> count = 0;
};

Registry& TheRegistry() {
  static Registry& registry = *[] {
    auto* made = new Registry;
    // Held over a fork so that the child finds it whole.
    pthread_atfork([] { TheRegistry().mutex.lock(); }, [] { TheRegistry().mutex.unlock(); },
                   [] { TheRegistry().mutex.unlock(); });
    return made;
  }();
  return registry;
}

}  // namespace

std::optional<ConstantForms::Form> ConstantForms::FindLocked(const Key& key) const {
  const auto it = std::find_if(forms_.begin(), forms_.end(),
                               [&](const auto& known) { return known.first == key; });
  if (it != forms_.end()) return it->second;
  return forms_.size() < kMostForms ? std::nullopt : std::optional<Form>(nullptr);
}

std::optional<ConstantForms::Form> ConstantForms::Find(const Key& key) const {
  const std::lock_guard lock(TheRegistry().mutex);
  return FindLocked(key);
}

ConstantForms::Form ConstantForms::Keep(const Key& key, const Form& form) {
  const std::lock_guard lock(TheRegistry().mutex);
  if (std::optional<Form> known = FindLocked(key)) return *std::move(known);
  const bool is_kept = form != nullptr && form->bytes() <= room_;
  if (is_kept) room_ -= form->bytes();
  return forms_.emplace_back(key, is_kept ? form : nullptr).second;
}

int64_t ConstantForms::room() const {
  const std::lock_guard lock(TheRegistry().mutex);
  return room_;
}

ConstantMemory::ConstantMemory(const char* data, int64_t bytes) : data_(data), bytes_(bytes) {
  if (bytes == 0) return;
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  registry.blocks[data] = {data + bytes, std::make_shared<ConstantForms>(bytes)};
  registry.count = static_cast<int64_t>(registry.blocks.size());
}

ConstantMemory::~ConstantMemory() {
  if (bytes_ == 0) return;
  Registry& registry = TheRegistry();
  Block block;  // its forms are freed without the lock
  const std::lock_guard lock(registry.mutex);
  const auto it = registry.blocks.find(data_);
  block = std::move(it->second);
  registry.blocks.erase(it);
  registry.count = static_cast<int64_t>(registry.blocks.size());
}

std::shared_ptr<ConstantForms> ConstantMemory::FormsOf(const MemoryBounds& bounds) {
  Registry& registry = TheRegistry();
  if (registry.count == 0) return nullptr;
  const std::lock_guard lock(registry.mutex);
  auto it = registry.blocks.upper_bound(bounds.begin);
  if (it == registry.blocks.begin()) return nullptr;
  --it;
  return bounds.end <= it->second.end ? it->second.forms : nullptr;
}

}  // namespace dynacc
