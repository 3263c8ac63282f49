#include "serve/service/service.h"

#include <chrono>
#include <exception>
#include <utility>

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

}  // namespace

Service::Service(model::Folder folder, model::Settings defaults, metrics::Metrics& metrics)
    : folder_(std::move(folder)),
      defaults_(std::move(defaults)),
      metrics_(metrics),
      threads_(std::make_shared<queue::ThreadCount>()) {
  threads_->Start([this] { RunControl(); });
  Control([this] {
    for (const std::string& name : folder_.ModelNames()) LoadNow(name).IgnoreError();
    has_loaded_all_ = true;
    log::Write(log::Level::kInfo, "models loaded", {{"folder", folder_.path()}});
  });
}

Service::~Service() { Stop(Clock::now()); }

absl::StatusOr<Service::Queue> Service::Find(const std::string& name, const std::string& version,
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

bool Service::IsModelReady(const std::string& name, const std::string& version) const {
  std::string found;
  return !is_draining_ && Find(name, version, found).ok();
}

absl::StatusOr<ModelDescription> Service::Describe(const std::string& name,
                                                   const std::string& version) const {
  std::string found;
  DYNACC_ASSIGN_OR_RETURN(const Queue queue, Find(name, version, found));
  ModelDescription description = {name, {}, queue->model().signature()};
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
    for (const auto& [number, queue] : loaded.versions) {
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
                             InferRequest& request, InferDone& done) {
  const auto start = Clock::now();
  std::string found;
  DYNACC_ASSIGN_OR_RETURN(Queue queue, Find(name, version, found));
  const model::Settings& settings = queue->settings();
  metrics::ModelMetrics& metrics = metrics_.OfModel(name, found);
  absl::Status status = model::MatchInputs(queue->model().signature(), request.inputs);
  if (status.ok()) status = CheckOutputs(queue->model().signature(), request);
  if (status.ok()) {
    queue::Job job;
    job.inputs = std::move(request.inputs);
    job.deadline = DeadlineOf(request.timeout_microseconds > 0 ? request.timeout_microseconds
                                                               : settings.timeout_us);
    job.priority = request.priority > 0 ? request.priority : settings.priority;
    request.inputs.clear();
    // What a response needs of the request; `done` is kept back until the job is taken.
    const auto shared_done = std::make_shared<InferDone>();
    job.done = [this, shared_done, request, name, found, start,
                &metrics](absl::StatusOr<queue::Tensors> outputs) {
      const std::chrono::duration<double> time = Clock::now() - start;
      metrics.CountRequest(outputs.ok(), time.count());
      if (outputs.ok()) {
        (*shared_done)(
            InferResponse{name, found, request.id, Requested(request, *std::move(outputs))});
      } else {
        (*shared_done)(outputs.status());
      }
      const std::lock_guard lock(idle_mutex_);
      if (--running_ == 0) idle_.notify_all();
    };
    {
      const std::lock_guard lock(idle_mutex_);
      ++running_;
    }
    *shared_done = std::move(done);
    status = queue->Submit(job);
    if (status.ok()) return status;
    done = std::move(*shared_done);
    request.inputs = std::move(job.inputs);
    const std::lock_guard lock(idle_mutex_);
    if (--running_ == 0) idle_.notify_all();
  }
  if (!absl::IsAborted(status)) {
    metrics.CountRequest(false, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return status;
}

void Service::Infer(const std::string& name, const std::string& version, InferRequest& request,
                    InferDone done) {
  absl::Status status;
  do {  // once more if the model was exchanged between finding it and submitting
    status = Submit(name, version, request, done);
  } while (absl::IsAborted(status));
  if (!status.ok()) done(status);
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
    if (is_stopped_) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

void Service::Load(const std::string& name, ControlDone done) {
  Control([this, name, done = std::move(done)] { done(LoadNow(name)); });
}

void Service::Unload(const std::string& name, ControlDone done) {
  Control([this, name, done = std::move(done)] { done(UnloadNow(name)); });
}

absl::StatusOr<std::map<int64_t, Service::Queue>> Service::LoadVersions(const std::string& name) {
  DYNACC_ASSIGN_OR_RETURN(const model::ModelFiles files, folder_.Find(name, defaults_));
  std::map<int64_t, std::unique_ptr<model::Model>> models;
  for (const auto& [version, path] : files.versions) {
    absl::StatusOr<std::unique_ptr<model::Model>> model = model::LoadModel(path, files.settings);
    if (!model.ok()) return Annotate(model.status(), absl::StrCat("version ", version));
    models[version] = *std::move(model);
  }
  std::map<int64_t, Queue> queues;
  for (auto& [version, model] : models) {
    queues[version] = queue::ModelQueue::Start(
        std::move(model), files.settings, metrics_.OfModel(name, absl::StrCat(version)), threads_);
    if (files.settings.max_batch > 1 && !queues[version]->batches()) {
      log::Write(
          log::Level::kWarning, "model runs no batches",
          {{"model", name},
           {"version", version},
           {"reason", absl::StrCat("not every input and output may have any size along axis ",
                                   files.settings.batch_axis)}});
    }
  }
  return queues;
}

absl::Status Service::LoadNow(const std::string& name) {
  const auto start = Clock::now();
  absl::StatusOr<std::map<int64_t, Queue>> queues;
  try {
    queues = LoadVersions(name);
  } catch (const std::exception& error) {
    queues = absl::InternalError(error.what());
  }
  std::map<int64_t, Queue> before;
  {
    const std::lock_guard lock(mutex_);
    if (!queues.ok()) {
      if (model::IsModelName(name) && !absl::IsNotFound(queues.status())) {
        models_[name].error = std::string(queues.status().message());
      }
    } else {
      Loaded& loaded = models_[name];
      before = std::exchange(loaded.versions, *std::move(queues));
      loaded.error.clear();
    }
  }
  if (!queues.ok()) {
    log::Write(log::Level::kError, "model not loaded",
               {{"model", name}, {"reason", std::string(queues.status().message())}});
    return queues.status();
  }
  for (const auto& entry : before) entry.second->Close();
  const std::chrono::duration<double, std::milli> time = Clock::now() - start;
  log::Write(log::Level::kInfo, before.empty() ? "model loaded" : "model reloaded",
             {{"model", name}, {"milliseconds", time.count()}});
  return absl::OkStatus();
}

absl::Status Service::UnloadNow(const std::string& name) {
  std::map<int64_t, Queue> before;
  {
    const std::lock_guard lock(mutex_);
    const auto found = models_.find(name);
    if (found != models_.end()) {
      before = std::move(found->second.versions);
      models_.erase(found);
    }
  }
  if (before.empty()) return absl::NotFoundError(absl::StrCat("model '", name, "' is not loaded"));
  for (const auto& entry : before) entry.second->Close();
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
  {
    const std::lock_guard lock(mutex_);
    for (const auto& model : models_) {
      for (const auto& entry : model.second.versions) entry.second->Close();
    }
  }
  return threads_->WaitUntil(deadline);
}

}  // namespace dynacc::service
