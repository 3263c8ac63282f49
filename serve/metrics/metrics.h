// Metrics: what the server counts, for Prometheus and for the status page.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace dynacc::metrics {

// Of one version of a model; the counters go on when it is loaded again.
class ModelMetrics {
 public:
  virtual ~ModelMetrics() = default;
  virtual void CountRequest(bool is_ok, double seconds) = 0;  // from arrival to answer
  virtual void CountRefusal() = 0;                            // the queue was full
  virtual void CountExpired() = 0;                            // its time was over before it ran
  virtual void CountRun(int64_t requests, double seconds) = 0;
  virtual void CountTokens(int64_t tokens) = 0;  // that were generated
  virtual void CountCacheLookup(bool is_hit) = 0;
  virtual void AddCacheBytes(int64_t bytes) = 0;  // that answers take, or took
  virtual void SetQueueLength(int64_t length) = 0;

  struct Totals {
    uint64_t requests = 0;
    uint64_t failures = 0;
    uint64_t runs = 0;
    int64_t queued = 0;
  };
  virtual Totals totals() const = 0;
};

class Metrics {
 public:
  Metrics();
  ~Metrics();

  // The same for the same name and version. Lives as long as the Metrics.
  ModelMetrics& OfModel(const std::string& name, const std::string& version);
  void SetConnections(int64_t count);
  // Prometheus's text format.
  std::string Text() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace dynacc::metrics
