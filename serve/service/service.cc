#include "serve/service/service.h"

#include <chrono>
#include <exception>
#include <optional>
#include <random>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "serve/log/log.h"
#include "serve/model/python_models.h"

namespace dynacc::service {
namespace {

using model::Clock;
using protocol::InferRequest;
using protocol::InferResponse;
using protocol::Tensor;

// Leaves of a model's outputs those that were asked for, in the order in which they were.
std::vector<Tensor> Requested(const InferRequest& request, std::vector<Tensor> outputs) {
  if (request.outputs.empty()) return outputs;
  std::vector<Tensor> chosen;
  for (const protocol::RequestedOutput& wanted : request.outputs) {
    for (const Tensor& output : outputs) {
      if (output.name == wanted.name) chosen.push_back(output);
    }
  }
  return chosen;
}

absl::Status CheckOutputs(const model::Signature& signature, const InferRequest& request) {
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    const std::string& name = request.outputs[i].name;
    bool is_known = false;
    for (const model::TensorSpec& spec : signature.outputs) is_known |= spec.name == name;
    if (!is_known) {
      return absl::InvalidArgumentError(absl::StrCat("the model has no output '", name, "'"));
    }
    for (size_t k = 0; k < i; ++k) {
      if (request.outputs[k].name == name) {
        return absl::InvalidArgumentError(absl::StrCat("output '", name, "' is there twice"));
      }
    }
  }
  return absl::OkStatus();
}

Clock::time_point DeadlineOf(int64_t timeout_us) {
  constexpr int64_t kLongest = int64_t{1} << 50;  // microseconds
  if (timeout_us <= 0 || timeout_us > kLongest) return model::kNever;
  return Clock::now() + std::chrono::microseconds(timeout_us);
}

// `done`, which finishes the span of the request, with those of its wait and its run inside.
Service::InferDone Traced(trace::Tracer& tracer, trace::Span span,
                          std::shared_ptr<const queue::RunTimes> times, Service::InferDone done) {
  return [&tracer, span = std::move(span), times = std::move(times),
          done = std::move(done)](absl::StatusOr<InferResponse> response) mutable {
    std::vector<trace::Span> spans;
    const auto inside = [&](const char* name, int64_t start, int64_t end) {
      trace::Span& part = spans.emplace_back();
      part.name = name;
      part.context = {span.context.trace, trace::NewSpanId(), true};
      part.parent = span.context.span;
      part.start = start;
      part.end = end;
    };
    if (times->end > times->start) {
      const int64_t start = trace::UnixNanoseconds(times->start);
      inside("wait", span.start, start);
      inside("run", start, trace::UnixNanoseconds(times->end));
      spans.back().numbers = {{"dynacc.batch_requests", times->requests}};
    }
    if (response.ok()) span.texts.emplace_back("dynacc.version", response->version);
    if (!response.ok()) span.error = std::string(response.status().message());
    done(std::move(response));
    span.end = trace::UnixNanoseconds(Clock::now());
    spans.push_back(std::move(span));
    tracer.Finish(std::move(spans));
  };
}

}  // namespace

Service::Service(model::Folder folder, model::Settings defaults, metrics::Metrics& metrics,
                 trace::Tracer* tracer)
    : folder_(std::move(folder)),
      defaults_(std::move(defaults)),
      metrics_(metrics),
      tracer_(tracer),
      threads_(std::make_shared<queue::ThreadCount>()) {
  threads_->Start([this] { RunControl(); });
  Control([this] {
    for (const std::string& name : folder_.ModelNames()) LoadNow(name).IgnoreError();
    has_loaded_all_ = true;
    log::Write(log::Level::kInfo, "models loaded", {{"folder", folder_.path()}});
  });
}

Service::~Service() { Stop(Clock::now()); }

void Service::Version::Close() const {
  queue->Close();
  if (generator) generator->Close();
}

absl::StatusOr<Service::Version> Service::Find(const std::string& name, const std::string& version,
                                               std::string& found_version) const {
  const std::lock_guard lock(mutex_);
  const auto model = models_.find(name);
  if (model == models_.end() || model->second.versions.empty()) {
    return absl::NotFoundError(absl::StrCat("model '", name, "' is not loaded"));
  }
  const auto& versions = model->second.versions;
  auto found = std::prev(versions.end());
  if (!version.empty()) {
    int64_t number = 0;
    found = absl::SimpleAtoi(version, &number) ? versions.find(number) : versions.end();
    if (found == versions.end()) {
      return absl::NotFoundError(absl::StrCat("model '", name, "' has no version '", version, "'"));
    }
  }
  found_version = absl::StrCat(found->first);
  return found->second;
}

bool Service::IsReady() const {
  if (!has_loaded_all_ || is_draining_) return false;
  const std::lock_guard lock(mutex_);
  return absl::c_none_of(models_, [](const auto& model) {
    return model.second.versions.empty() && !model.second.error.empty();
  });
}

bool Service::IsModelReady(const std::string& name, const std::string& version) const {
  std::string found;
  return !is_draining_ && Find(name, version, found).ok();
}

absl::StatusOr<ModelDescription> Service::Describe(const std::string& name,
                                                   const std::string& version) const {
  std::string found;
  DYNACC_ASSIGN_OR_RETURN(const Version loaded, Find(name, version, found));
  ModelDescription description = {name, {}, loaded.queue->model().signature()};
  const std::lock_guard lock(mutex_);
  const auto model = models_.find(name);
  if (model != models_.end()) {
    for (const auto& entry : model->second.versions) {
      description.versions.push_back(absl::StrCat(entry.first));
    }
  }
  return description;
}

std::vector<IndexEntry> Service::Index() const {
  std::vector<IndexEntry> index;
  for (ModelStatus& status : Status()) index.push_back(std::move(status.entry));
  return index;
}

std::vector<ModelStatus> Service::Status() const {
  std::map<std::string, Loaded> models;
  {
    const std::lock_guard lock(mutex_);
    models = models_;
  }
  for (const std::string& name : folder_.ModelNames()) models.try_emplace(name);
  std::vector<ModelStatus> rows;
  for (const auto& [name, loaded] : models) {
    for (const auto& [number, each] : loaded.versions) {
      const queue::ModelQueue* const queue = each.queue.get();
      const std::string version = absl::StrCat(number);
      rows.push_back({{name, version, true, loaded.error},
                      queue->model().signature(),
                      queue->settings(),
                      queue->batches(),
                      metrics_.OfModel(name, version).totals()});
    }
    if (loaded.versions.empty()) {
      ModelStatus row;
      row.entry = {name, "", false, loaded.error.empty() ? "not loaded" : loaded.error};
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

absl::Status Service::Submit(const std::string& name, const std::string& version,
                             InferRequest& request, const std::shared_ptr<queue::RunTimes>& times,
                             InferDone& done) {
  const auto start = Clock::now();
  std::string found;
  DYNACC_ASSIGN_OR_RETURN(const Version loaded, Find(name, version, found));
  const model::Signature& signature = loaded.queue->model().signature();
  metrics::ModelMetrics& metrics = metrics_.OfModel(name, found);
  absl::Status status = model::MatchInputs(signature, request.inputs);
  if (status.ok()) status = CheckOutputs(signature, request);
  if (status.ok() && loaded.cache) {
    if (std::optional<cache::Tensors> kept = loaded.cache->Find(request.inputs)) {
      CountAnswer(metrics, start, true);
      done(InferResponse{name, found, request.id, Requested(request, *std::move(kept))});
      return status;
    }
  }
  if (status.ok()) status = Enqueue(loaded, {name, found, start, times}, request, done);
  if (!status.ok() && !absl::IsAborted(status)) CountAnswer(metrics, start, false);
  return status;
}

absl::Status Service::Enqueue(const Version& loaded, const Answering& answering,
                              InferRequest& request, InferDone& done) {
  const model::Settings& settings = loaded.queue->settings();
  metrics::ModelMetrics& metrics = metrics_.OfModel(answering.name, answering.version);
  queue::Job job;
  job.inputs = std::move(request.inputs);
  job.deadline = DeadlineOf(request.timeout_microseconds > 0 ? request.timeout_microseconds
                                                             : settings.timeout_us);
  job.times = answering.times;
  job.priority = request.priority > 0 ? request.priority : settings.priority;
  request.inputs.clear();
  const queue::Tensors inputs = loaded.cache ? job.inputs : queue::Tensors();
  // What a response needs of the request; `done` is kept back until the job is taken.
  const auto shared_done = std::make_shared<InferDone>();
  job.done = [this, shared_done, request, answering, inputs, cache = loaded.cache,
              &metrics](absl::StatusOr<queue::Tensors> outputs) {
    CountAnswer(metrics, answering.start, outputs.ok());
    if (outputs.ok()) {
      if (cache) cache->Put(inputs, *outputs);
      (*shared_done)(InferResponse{answering.name, answering.version, request.id,
                                   Requested(request, *std::move(outputs))});
    } else {
      (*shared_done)(outputs.status());
    }
    CountRunning(-1);
  };
  CountRunning(1);
  *shared_done = std::move(done);
  const absl::Status status = loaded.queue->Submit(job);
  if (status.ok()) return status;
  done = std::move(*shared_done);
  request.inputs = std::move(job.inputs);
  CountRunning(-1);
  return status;
}

void Service::CountRunning(int64_t change) {
  const std::lock_guard lock(idle_mutex_);
  running_ += change;
  if (running_ == 0) idle_.notify_all();
}

void Service::Infer(const std::string& name, const std::string& version, InferRequest& request,
                    InferDone done) {
  std::shared_ptr<queue::RunTimes> times;
  if (std::optional<trace::Span> span =
          tracer_ == nullptr ? std::nullopt
                             : tracer_->Begin(absl::StrCat("infer ", name), request.traceparent)) {
    times = std::make_shared<queue::RunTimes>();
    span->texts = {{"dynacc.model", name}, {"dynacc.request_id", request.id}};
    done = Traced(*tracer_, *std::move(span), times, std::move(done));
  }
  absl::Status status;
  do {  // once more if the model was exchanged between finding it and submitting
    status = Submit(name, version, request, times, done);
  } while (absl::IsAborted(status));
  if (!status.ok()) done(status);
}

bool Service::Generates(const std::string& name, const std::string& version) const {
  std::string found;
  const auto loaded = Find(name, version, found);
  return loaded.ok() && loaded->generator;
}

void Service::CountAnswer(metrics::ModelMetrics& metrics, Clock::time_point start, bool is_ok) {
  metrics.CountRequest(is_ok, std::chrono::duration<double>(Clock::now() - start).count());
}

absl::Status Service::SubmitSequence(const std::string& name, const std::string& version,
                                     const protocol::GenerateRequest& request,
                                     const GenerateEvents& events) {
  const auto start = Clock::now();
  std::string found;
  DYNACC_ASSIGN_OR_RETURN(const Version loaded, Find(name, version, found));
  if (!loaded.generator) {
    return absl::UnimplementedError(absl::StrCat("model '", name, "' generates no sequences"));
  }
  metrics::ModelMetrics& metrics = metrics_.OfModel(name, found);
  const auto by =
      std::make_shared<const protocol::GeneratedBy>(protocol::GeneratedBy{name, found, request.id});
  generation::SequenceJob job;
  job.prompt = request.tokens;
  job.max_tokens = request.max_tokens;
  job.stop_tokens = request.stop_tokens;
  job.sampling.temperature = request.temperature;
  job.sampling.top_k = request.top_k;
  job.sampling.seed = request.seed ? *request.seed : std::random_device()();
  job.deadline = DeadlineOf(request.timeout_microseconds > 0 ? request.timeout_microseconds
                                                             : loaded.queue->settings().timeout_us);
  job.on_token = [by, events](int64_t token) { return events.on_token(*by, token); };
  job.on_end = [this, by, events, start, &metrics](absl::StatusOr<protocol::FinishReason> reason) {
    CountAnswer(metrics, start, reason.ok());
    events.on_end(*by, std::move(reason));
    CountRunning(-1);
  };
  CountRunning(1);
  const absl::Status status = loaded.generator->Submit(job);
  if (status.ok()) return status;
  CountRunning(-1);
  if (!absl::IsAborted(status)) CountAnswer(metrics, start, false);
  return status;
}

absl::Status Service::Generate(const std::string& name, const std::string& version,
                               const protocol::GenerateRequest& request,
                               const GenerateEvents& events) {
  absl::Status status;
  do {  // once more if the model was exchanged between finding it and submitting
    status = SubmitSequence(name, version, request, events);
  } while (absl::IsAborted(status));
  return status;
}

void Service::Control(std::function<void()> task) {
  const std::lock_guard lock(control_mutex_);
  tasks_.push_back(std::move(task));
  control_.notify_one();
}

void Service::RunControl() {
  std::unique_lock lock(control_mutex_);
  while (true) {
    control_.wait(lock, [&] { return is_stopped_ || !tasks_.empty(); });
    if (is_stopped_) break;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
  CloseAll();  // also what was being loaded when Stop closed the others
}

void Service::CloseAll() {
  const std::lock_guard lock(mutex_);
  for (const auto& model : models_) {
    for (const auto& entry : model.second.versions) entry.second.Close();
  }
}

void Service::Load(const std::string& name, ControlDone done) {
  Control([this, name, done = std::move(done)] { done(LoadNow(name)); });
}

void Service::Unload(const std::string& name, ControlDone done) {
  Control([this, name, done = std::move(done)] { done(UnloadNow(name)); });
}

absl::StatusOr<Service::Version> Service::StartVersion(std::shared_ptr<const model::Model> model,
                                                       const model::Settings& settings,
                                                       const std::string& name, int64_t version) {
  metrics::ModelMetrics& metrics = metrics_.OfModel(name, absl::StrCat(version));
  DYNACC_ASSIGN_OR_RETURN(const queue::Padding padding,
                          queue::Padding::Make(model->signature(), settings));
  Version started;
  if (settings.generate) {
    DYNACC_ASSIGN_OR_RETURN(started.generator,
                            generation::Generator::Start(model, settings, metrics, threads_));
  }
  if (settings.cache_bytes > 0) {
    started.cache = std::make_shared<cache::ResponseCache>(settings.cache_bytes, metrics);
  }
  started.queue = queue::ModelQueue::Start(std::move(model), settings, padding, metrics, threads_);
  if (settings.max_batch > 1 && !started.queue->batches()) {
    log::Write(log::Level::kWarning, "model runs no batches",
               {{"model", name},
                {"version", version},
                {"reason", absl::StrCat("not every input and output may have any size along axis ",
                                        settings.batch_axis)}});
  }
  return started;
}

absl::StatusOr<std::map<int64_t, Service::Version>> Service::LoadVersions(const std::string& name) {
  DYNACC_ASSIGN_OR_RETURN(const model::ModelFiles files, folder_.Find(name, defaults_));
  std::map<int64_t, std::shared_ptr<const model::Model>> models;
  for (const auto& [version, path] : files.versions) {
    absl::StatusOr<std::unique_ptr<model::Model>> model = model::LoadModel(path, files.settings);
    if (!model.ok()) return Annotate(model.status(), absl::StrCat("version ", version));
    models[version] = *std::move(model);
  }
  std::map<int64_t, Version> started;
  for (auto& [version, model] : models) {
    absl::StatusOr<Version> one = StartVersion(std::move(model), files.settings, name, version);
    if (!one.ok()) {
      for (const auto& entry : started) entry.second.Close();
      return Annotate(one.status(), absl::StrCat("version ", version));
    }
    started[version] = *std::move(one);
  }
  return started;
}

absl::Status Service::LoadNow(const std::string& name) {
  const auto start = Clock::now();
  absl::StatusOr<std::map<int64_t, Version>> versions;
  try {
    versions = LoadVersions(name);
  } catch (const std::exception& error) {
    versions = absl::InternalError(error.what());
  }
  std::map<int64_t, Version> before;
  {
    const std::lock_guard lock(mutex_);
    if (!versions.ok()) {
      const auto known = models_.find(name);
      if (model::IsModelName(name) && !absl::IsNotFound(versions.status())) {
        models_[name].error = std::string(versions.status().message());
      } else if (known != models_.end() && known->second.versions.empty()) {
        models_.erase(known);  // it failed to load, and is gone
      }
    } else {
      Loaded& loaded = models_[name];
      before = std::exchange(loaded.versions, *std::move(versions));
      loaded.error.clear();
    }
  }
  if (!versions.ok()) {
    log::Write(log::Level::kError, "model not loaded",
               {{"model", name}, {"reason", std::string(versions.status().message())}});
    return versions.status();
  }
  for (const auto& entry : before) entry.second.Close();
  const std::chrono::duration<double, std::milli> time = Clock::now() - start;
  log::Write(log::Level::kInfo, before.empty() ? "model loaded" : "model reloaded",
             {{"model", name}, {"milliseconds", time.count()}});
  return absl::OkStatus();
}

absl::Status Service::UnloadNow(const std::string& name) {
  std::map<int64_t, Version> before;
  bool is_known = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = models_.find(name);
    is_known = found != models_.end();
    if (is_known) {
      before = std::move(found->second.versions);
      models_.erase(found);
    }
  }
  if (!is_known) return absl::NotFoundError(absl::StrCat("model '", name, "' is not loaded"));
  for (const auto& entry : before) entry.second.Close();
  log::Write(log::Level::kInfo, "model unloaded", {{"model", name}});
  return absl::OkStatus();
}

bool Service::WaitUntilIdle(Clock::time_point deadline) {
  std::unique_lock lock(idle_mutex_);
  return idle_.wait_until(lock, deadline, [&] { return running_ == 0; });
}

bool Service::Stop(Clock::time_point deadline) {
  {
    const std::lock_guard lock(control_mutex_);
    is_stopped_ = true;
    control_.notify_one();
  }
  CloseAll();
  return threads_->WaitUntil(deadline);
}

}  // namespace dynacc::service
