// Service: what the server does, whichever protocol asks for it. It loads the models of a folder,
// takes requests to their queues, and exchanges models while they are used.
//
// Every function may be called from any thread and returns at once. Models are loaded and unloaded
// on one thread of the service's, one after another.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "serve/cache/response_cache.h"
#include "serve/generation/generator.h"
#include "serve/metrics/metrics.h"
#include "serve/model/folder.h"
#include "serve/protocol/generation.h"
#include "serve/protocol/inference.h"
#include "serve/queue/model_queue.h"
#include "serve/queue/thread_count.h"
#include "serve/trace/tracer.h"

namespace dynacc::service {

inline constexpr char kServerName[] = "dynacc-serve";
// What it has of the protocol's extensions.
inline constexpr const char* kExtensions[] = {"binary_tensor_data", "model_repository",
                                              "schedule_policy", "generate"};

struct ModelDescription {
  std::string name;
  std::vector<std::string> versions;  // that are loaded
  model::Signature signature;         // of the version that was asked for
};

// Who hears of a sequence, on a thread of the model's. `by` says which model generates it.
struct GenerateEvents {
  // Of each token. False: nobody listens any more, and the sequence ends.
  std::function<bool(const protocol::GeneratedBy& by, int64_t token)> on_token;
  std::function<void(const protocol::GeneratedBy& by, absl::StatusOr<protocol::FinishReason>)>
      on_end;  // once
};

// One version of a model, or a model of which nothing is loaded.
struct IndexEntry {
  std::string name;
  std::string version;
  bool is_ready = false;
  std::string reason;  // why it is not
};

// A row of the status page.
struct ModelStatus {
  IndexEntry entry;
  model::Signature signature;
  model::Settings settings;
  bool batches = false;
  metrics::ModelMetrics::Totals totals;
};

class Service {
 public:
  using InferDone = std::function<void(absl::StatusOr<protocol::InferResponse>)>;
  using ControlDone = std::function<void(absl::Status)>;

  // Starts to load all models of the folder. `metrics` must outlive the service and all threads.
  // `tracer` traces inferences, and outlives the service; null: nobody does.
  Service(model::Folder folder, model::Settings defaults, metrics::Metrics& metrics,
          trace::Tracer* tracer);
  ~Service();

  // Every model that was asked for is there: those of the folder have been loaded, the last load of
  // none has failed and left it without a version, and the server is not about to end.
  bool IsReady() const;
  bool IsModelReady(const std::string& name, const std::string& version) const;
  // NOT_FOUND without such a model.
  absl::StatusOr<ModelDescription> Describe(const std::string& name,
                                            const std::string& version) const;
  std::vector<IndexEntry> Index() const;
  std::vector<ModelStatus> Status() const;
  metrics::Metrics& metrics() const { return metrics_; }

  // Runs a model; an empty version is the highest. `request`'s inputs are used up. `done` is called
  // once, here if the request is refused, or else on a thread of the model's.
  void Infer(const std::string& name, const std::string& version, protocol::InferRequest& request,
             InferDone done);

  // Whether the model generates sequences.
  bool Generates(const std::string& name, const std::string& version) const;
  // Generates a sequence. If the result is an error nothing is heard of it.
  absl::Status Generate(const std::string& name, const std::string& version,
                        const protocol::GenerateRequest& request, const GenerateEvents& events);

  // Loads or reloads all versions of a model. If that fails those that are loaded stay. Requests
  // that were taken are answered by what was loaded when they came.
  void Load(const std::string& name, ControlDone done);
  // Also of a model that failed to load, which then counts for nothing. NOT_FOUND of others.
  void Unload(const std::string& name, ControlDone done);

  // IsReady() is false from now on.
  void BeginDrain() { is_draining_ = true; }
  // Whether all inferences that were taken were answered by then.
  bool WaitUntilIdle(model::Clock::time_point deadline);
  // Unloads everything; whether all threads ended by then.
  bool Stop(model::Clock::time_point deadline);

 private:
  struct Version {
    std::shared_ptr<queue::ModelQueue> queue;
    std::shared_ptr<generation::Generator> generator;  // null: the model generates no sequences
    std::shared_ptr<cache::ResponseCache> cache;       // null: answers are not kept

    void Close() const;
  };
  struct Loaded {
    std::map<int64_t, Version> versions;
    std::string error;  // of the last load
  };

  absl::StatusOr<Version> Find(const std::string& name, const std::string& version,
                               std::string& found_version) const;
  // Which model answers a request, and when that came.
  struct Answering {
    std::string name;
    std::string version;
    model::Clock::time_point start;
    std::shared_ptr<queue::RunTimes> times;  // null: nobody asks
  };
  absl::Status Enqueue(const Version& loaded, const Answering& answering,
                       protocol::InferRequest& request, InferDone& done);
  absl::Status SubmitSequence(const std::string& name, const std::string& version,
                              const protocol::GenerateRequest& request,
                              const GenerateEvents& events);
  void CountRunning(int64_t change);
  static void CountAnswer(metrics::ModelMetrics& metrics, model::Clock::time_point start,
                          bool is_ok);
  absl::Status Submit(const std::string& name, const std::string& version,
                      protocol::InferRequest& request,
                      const std::shared_ptr<queue::RunTimes>& times, InferDone& done);
  void Control(std::function<void()> task);
  void RunControl();
  void CloseAll();
  absl::Status LoadNow(const std::string& name);
  absl::StatusOr<Version> StartVersion(std::shared_ptr<const model::Model> model,
                                       const model::Settings& settings, const std::string& name,
                                       int64_t version);
  absl::StatusOr<std::map<int64_t, Version>> LoadVersions(const std::string& name);
  absl::Status UnloadNow(const std::string& name);

  const model::Folder folder_;
  const model::Settings defaults_;
  metrics::Metrics& metrics_;
  trace::Tracer* const tracer_;
  const std::shared_ptr<queue::ThreadCount> threads_;

  mutable std::mutex mutex_;
  std::map<std::string, Loaded> models_;
  std::atomic<bool> has_loaded_all_ = false;
  std::atomic<bool> is_draining_ = false;

  std::mutex idle_mutex_;
  std::condition_variable idle_;
  int64_t running_ = 0;

  std::mutex control_mutex_;
  std::condition_variable control_;
  std::deque<std::function<void()>> tasks_;
  bool is_stopped_ = false;
};

}  // namespace dynacc::service
