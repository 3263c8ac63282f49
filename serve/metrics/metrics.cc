#include "serve/metrics/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <mutex>
#include <utility>

namespace dynacc::metrics {
namespace {

template <typename T>
using Family = prometheus::Family<T>;
using Labels = std::map<std::string, std::string>;

// Upper ends in seconds: from what a small Program takes to what a client waits for.
const prometheus::Histogram::BucketBoundaries kSeconds = {
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
    0.05,   0.1,     0.25,   0.5,   1,      2.5,   5,    10};
const prometheus::Histogram::BucketBoundaries kBatchSizes = {1, 2, 4, 8, 16, 32, 64, 128, 256};

struct Families {
  explicit Families(prometheus::Registry& registry)
      : requests(prometheus::BuildCounter()
                     .Name("dynacc_requests_total")
                     .Help("Inference requests that were answered, well or not")
                     .Register(registry)),
        failures(prometheus::BuildCounter()
                     .Name("dynacc_request_failures_total")
                     .Help("Inference requests that were answered with an error")
                     .Register(registry)),
        refusals(prometheus::BuildCounter()
                     .Name("dynacc_queue_full_total")
                     .Help("Inference requests refused because the queue was full")
                     .Register(registry)),
        expired(prometheus::BuildCounter()
                    .Name("dynacc_requests_expired_total")
                    .Help("Inference requests whose time was over before they ran")
                    .Register(registry)),
        latency(prometheus::BuildHistogram()
                    .Name("dynacc_request_seconds")
                    .Help("From the arrival of an inference request to its answer")
                    .Register(registry)),
        run(prometheus::BuildHistogram()
                .Name("dynacc_run_seconds")
                .Help("One run of a model, for one request or a batch")
                .Register(registry)),
        batch(prometheus::BuildHistogram()
                  .Name("dynacc_batch_requests")
                  .Help("Requests that shared a run")
                  .Register(registry)),
        tokens(prometheus::BuildCounter()
                   .Name("dynacc_generated_tokens_total")
                   .Help("Tokens of sequences that were generated")
                   .Register(registry)),
        cache_hits(prometheus::BuildCounter()
                       .Name("dynacc_cache_hits_total")
                       .Help("Inference requests that were answered from the cache")
                       .Register(registry)),
        cache_misses(prometheus::BuildCounter()
                         .Name("dynacc_cache_misses_total")
                         .Help("Inference requests that the cache had no answer for")
                         .Register(registry)),
        cache_bytes(prometheus::BuildGauge()
                        .Name("dynacc_cache_bytes")
                        .Help("Bytes that kept answers and their inputs take")
                        .Register(registry)),
        queued(prometheus::BuildGauge()
                   .Name("dynacc_queue_length")
                   .Help("Inference requests that wait")
                   .Register(registry)),
        connections(prometheus::BuildGauge()
                        .Name("dynacc_http_connections")
                        .Help("HTTP connections that are open")
                        .Register(registry)) {}

  Family<prometheus::Counter>& requests;
  Family<prometheus::Counter>& failures;
  Family<prometheus::Counter>& refusals;
  Family<prometheus::Counter>& expired;
  Family<prometheus::Histogram>& latency;
  Family<prometheus::Histogram>& run;
  Family<prometheus::Histogram>& batch;
  Family<prometheus::Counter>& tokens;
  Family<prometheus::Counter>& cache_hits;
  Family<prometheus::Counter>& cache_misses;
  Family<prometheus::Gauge>& cache_bytes;
  Family<prometheus::Gauge>& queued;
  Family<prometheus::Gauge>& connections;
};

class Model : public ModelMetrics {
 public:
  Model(Families& families, const Labels& labels)
      : requests_(families.requests.Add(labels)),
        failures_(families.failures.Add(labels)),
        refusals_(families.refusals.Add(labels)),
        expired_(families.expired.Add(labels)),
        latency_(families.latency.Add(labels, kSeconds)),
        run_(families.run.Add(labels, kSeconds)),
        batch_(families.batch.Add(labels, kBatchSizes)),
        tokens_(families.tokens.Add(labels)),
        cache_hits_(families.cache_hits.Add(labels)),
        cache_misses_(families.cache_misses.Add(labels)),
        cache_bytes_(families.cache_bytes.Add(labels)),
        queued_(families.queued.Add(labels)) {}

  void CountRequest(bool is_ok, double seconds) override {
    requests_.Increment();
    if (!is_ok) failures_.Increment();
    latency_.Observe(seconds);
  }
  void CountRefusal() override { refusals_.Increment(); }
  void CountExpired() override { expired_.Increment(); }
  void CountRun(int64_t requests, double seconds) override {
    runs_.fetch_add(1, std::memory_order_relaxed);
    run_.Observe(seconds);
    batch_.Observe(static_cast<double>(requests));
  }
  void CountTokens(int64_t tokens) override { tokens_.Increment(static_cast<double>(tokens)); }
  void CountCacheLookup(bool is_hit) override {
    (is_hit ? cache_hits_ : cache_misses_).Increment();
  }
  void AddCacheBytes(int64_t bytes) override { cache_bytes_.Increment(static_cast<double>(bytes)); }
  void SetQueueLength(int64_t length) override { queued_.Set(static_cast<double>(length)); }

  Totals totals() const override {
    return {static_cast<uint64_t>(requests_.Value()), static_cast<uint64_t>(failures_.Value()),
            runs_.load(), static_cast<int64_t>(queued_.Value())};
  }

 private:
  prometheus::Counter& requests_;
  prometheus::Counter& failures_;
  prometheus::Counter& refusals_;
  prometheus::Counter& expired_;
  prometheus::Histogram& latency_;
  prometheus::Histogram& run_;
  prometheus::Histogram& batch_;
  prometheus::Counter& tokens_;
  prometheus::Counter& cache_hits_;
  prometheus::Counter& cache_misses_;
  prometheus::Gauge& cache_bytes_;
  prometheus::Gauge& queued_;
  std::atomic<uint64_t> runs_ = 0;
};

}  // namespace

struct Metrics::Impl {
  prometheus::Registry registry;
  Families families{registry};
  prometheus::Gauge& connections = families.connections.Add({});
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Model>> models;
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

ModelMetrics& Metrics::OfModel(const std::string& name, const std::string& version) {
  const std::lock_guard lock(impl_->mutex);
  std::unique_ptr<Model>& model = impl_->models[{name, version}];
  if (!model) {
    model = std::make_unique<Model>(impl_->families, Labels{{"model", name}, {"version", version}});
  }
  return *model;
}

void Metrics::SetConnections(int64_t count) { impl_->connections.Set(static_cast<double>(count)); }

std::string Metrics::Text() const {
  return prometheus::TextSerializer().Serialize(impl_->registry.Collect());
}

}  // namespace dynacc::metrics
