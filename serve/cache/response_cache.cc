#include "serve/cache/response_cache.h"

#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

#include "absl/hash/hash.h"

namespace dynacc::cache {
namespace {

using protocol::Tensor;

// Salted by the process: clients cannot make inputs that meet.
size_t HashOf(const Tensors& tensors) {
  size_t hash = tensors.size();
  for (const Tensor& tensor : tensors) {
    hash = absl::HashOf(hash, tensor.type, tensor.shape, tensor.bytes);
  }
  return hash;
}

bool AreSame(const Tensors& a, const Tensors& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].type != b[i].type || a[i].shape != b[i].shape || a[i].bytes != b[i].bytes) {
      return false;
    }
  }
  return a.size() == b.size();
}

// About what a tensor, its name, its shape and its place in lists take besides its elements.
constexpr int64_t kOverhead = 256;

int64_t BytesOf(const Tensors& tensors) {
  int64_t bytes = 0;
  for (const Tensor& tensor : tensors) {
    bytes += static_cast<int64_t>(tensor.bytes.size()) + kOverhead;
  }
  return bytes;
}

Tensors CopiesOf(const Tensors& tensors) {
  Tensors copies = tensors;
  for (Tensor& copy : copies) {
    const std::shared_ptr<char[]> bytes(new char[copy.bytes.size()]);
    std::memcpy(bytes.get(), copy.bytes.data(), copy.bytes.size());
    copy.bytes = {bytes.get(), copy.bytes.size()};
    copy.owner = bytes;
  }
  return copies;
}

}  // namespace

ResponseCache::~ResponseCache() { metrics_.AddCacheBytes(-bytes_); }

ResponseCache::Entries::iterator ResponseCache::Lookup(size_t hash, const Tensors& inputs) {
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto found = first; found != last; ++found) {
    if (AreSame(found->second->inputs, inputs)) return found->second;
  }
  return entries_.end();
}

std::optional<Tensors> ResponseCache::Find(const Tensors& inputs) {
  const size_t hash = HashOf(inputs);
  const std::lock_guard lock(mutex_);
  const auto entry = Lookup(hash, inputs);
  metrics_.CountCacheLookup(entry != entries_.end());
  if (entry == entries_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, entry);
  return entry->outputs;
}

void ResponseCache::Put(const Tensors& inputs, const Tensors& outputs) {
  Entry entry = {HashOf(inputs), BytesOf(inputs) + BytesOf(outputs), {}, {}};
  if (entry.bytes > max_bytes_) return;
  try {
    entry.inputs = CopiesOf(inputs);
    entry.outputs = CopiesOf(outputs);
  } catch (const std::bad_alloc&) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (Lookup(entry.hash, inputs) != entries_.end()) return;  // of a request at the same time
  while (bytes_ + entry.bytes > max_bytes_) Drop(std::prev(entries_.end()));
  bytes_ += entry.bytes;
  metrics_.AddCacheBytes(entry.bytes);
  const size_t hash = entry.hash;
  entries_.push_front(std::move(entry));
  by_hash_.emplace(hash, entries_.begin());
}

void ResponseCache::Drop(Entries::iterator entry) {
  const auto [first, last] = by_hash_.equal_range(entry->hash);
  for (auto found = first; found != last; ++found) {
    if (found->second != entry) continue;
    by_hash_.erase(found);
    break;
  }
  bytes_ -= entry->bytes;
  metrics_.AddCacheBytes(-entry->bytes);
  entries_.erase(entry);
}

}  // namespace dynacc::cache
