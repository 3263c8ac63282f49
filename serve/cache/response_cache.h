// ResponseCache: what a model answered to inputs that were there before.
//
// Entries are found by a hash of the inputs and compared with all of their bytes, so nobody gets
// what another one's inputs gave. The entries that were not used for the longest go first.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "serve/metrics/metrics.h"
#include "serve/protocol/tensor.h"

namespace dynacc::cache {

using Tensors = std::vector<protocol::Tensor>;

// Every function may be called from any thread.
class ResponseCache {
 public:
  // `max_bytes` bounds the bytes of all inputs and outputs, and what keeping them costs. `metrics`
  // must outlive it.
  ResponseCache(int64_t max_bytes, metrics::ModelMetrics& metrics)
      : max_bytes_(max_bytes), metrics_(metrics) {}
  ~ResponseCache();

  // The outputs for these inputs, which stand in the model's order.
  std::optional<Tensors> Find(const Tensors& inputs);
  // Keeps copies: requests and batches do not live for the sake of an entry.
  void Put(const Tensors& inputs, const Tensors& outputs);

 private:
  struct Entry {
    size_t hash;
    int64_t bytes;
    Tensors inputs;
    Tensors outputs;
  };
  using Entries = std::list<Entry>;

  // Under the mutex.
  Entries::iterator Lookup(size_t hash, const Tensors& inputs);
  void Drop(Entries::iterator entry);

  const int64_t max_bytes_;
  metrics::ModelMetrics& metrics_;
  std::mutex mutex_;
  Entries entries_;  // the one that was used last is first
  std::unordered_multimap<size_t, Entries::iterator> by_hash_;
  int64_t bytes_ = 0;
};

}  // namespace dynacc::cache
