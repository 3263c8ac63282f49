#include "serve/rpc/rpc_server.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "inference.grpc.pb.h"
#include "serve/rpc/messages.h"

namespace dynacc::rpc {
namespace {

using service::Service;

// gRPC's codes are Abseil's.
::grpc::Status ToGrpc(const absl::Status& status) {
  return {static_cast<::grpc::StatusCode>(status.code()), std::string(status.message())};
}

// The rest of a call's time as the request's timeout, if that is shorter.
void ApplyDeadline(std::chrono::system_clock::time_point deadline,
                   protocol::InferRequest& request) {
  if (deadline == std::chrono::system_clock::time_point::max()) return;
  const auto left = std::chrono::duration_cast<std::chrono::microseconds>(
      deadline - std::chrono::system_clock::now());
  const int64_t most = std::max<int64_t>(left.count(), 1);
  int64_t& timeout = request.timeout_microseconds;
  timeout = timeout > 0 ? std::min(timeout, most) : most;
}

// Reads a message, has it answered, and calls `done`, perhaps at once.
void Infer(Service& service, const std::shared_ptr<const inference::ModelInferRequest>& message,
           std::chrono::system_clock::time_point deadline, const Service::InferDone& done) {
  absl::StatusOr<protocol::InferRequest> request = FromMessage(message);
  if (!request.ok()) return done(request.status());
  ApplyDeadline(deadline, *request);
  service.Infer(message->model_name(), message->model_version(), *request, done);
}

// A stream: requests are taken one after another and run side by side. Answers wait in a list,
// because gRPC writes one at a time. It ends when the client sends no more and all is answered.
class StreamReactor : public ::grpc::ServerBidiReactor<inference::ModelInferRequest,
                                                       inference::ModelStreamInferResponse> {
 public:
  StreamReactor(Service& service, std::chrono::system_clock::time_point deadline)
      : service_(service), deadline_(deadline) {
    ReadNext();
  }

  void OnReadDone(bool is_there) override {
    if (!is_there) {
      std::unique_lock lock(mutex_);
      has_ended_ = true;
      FinishIfDone(std::move(lock));
      return;
    }
    const std::shared_ptr<const inference::ModelInferRequest> request = std::move(request_);
    {
      const std::lock_guard lock(mutex_);
      ++open_;
    }
    Infer(service_, request, deadline_,
          [this, id = request->id()](const absl::StatusOr<protocol::InferResponse>& response) {
            Answer(id, response);
          });
    const std::lock_guard lock(mutex_);
    // A client that does not read its answers is not read from either.
    if (open_ < kMostOpen) {
      ReadNext();
    } else {
      waits_to_read_ = true;
    }
  }

  void OnWriteDone(bool is_written) override {
    std::unique_lock lock(mutex_);
    answers_.pop_front();
    --open_;
    is_broken_ |= !is_written;
    if (is_broken_) {
      open_ -= static_cast<int>(answers_.size());
      answers_.clear();
    }
    if (!answers_.empty()) StartWrite(&answers_.front());
    if (waits_to_read_ && open_ < kMostOpen) {
      waits_to_read_ = false;
      ReadNext();
    }
    FinishIfDone(std::move(lock));
  }

  void OnDone() override { delete this; }

 private:
  static constexpr int kMostOpen = 64;  // requests of a stream that run or wait to be written

  void ReadNext() {
    request_ = std::make_shared<inference::ModelInferRequest>();
    StartRead(request_.get());
  }

  void Answer(const std::string& id, const absl::StatusOr<protocol::InferResponse>& response) {
    inference::ModelStreamInferResponse answer;
    if (response.ok()) {
      ToMessage(*response, *answer.mutable_infer_response());
    } else {
      answer.set_error_message(std::string(response.status().message()));
      answer.mutable_infer_response()->set_id(id);
    }
    std::unique_lock lock(mutex_);
    if (is_broken_) {
      --open_;
      FinishIfDone(std::move(lock));
      return;
    }
    answers_.push_back(std::move(answer));
    if (answers_.size() == 1) StartWrite(&answers_.front());
  }

  // `lock` is of mutex_, and released first: OnDone, on another thread perhaps, deletes the object.
  void FinishIfDone(std::unique_lock<std::mutex> lock) {
    if (!has_ended_ || open_ > 0 || is_finished_) return;
    is_finished_ = true;
    lock.unlock();
    Finish(::grpc::Status::OK);
  }

  Service& service_;
  const std::chrono::system_clock::time_point deadline_;
  std::shared_ptr<inference::ModelInferRequest> request_;  // that is being read
  std::mutex mutex_;
  std::deque<inference::ModelStreamInferResponse> answers_;  // the first one is being written
  int open_ = 0;  // requests that were read and whose answers are not written
  bool waits_to_read_ = false;
  bool has_ended_ = false;
  bool is_broken_ = false;  // the client is gone
  bool is_finished_ = false;
};

// The base class has a `Service` of its own.
class Calls : public inference::GRPCInferenceService::CallbackService {
 public:
  Calls(service::Service& service, bool controls) : service_(service), controls_(controls) {}

  using Context = ::grpc::CallbackServerContext;
  using Reactor = ::grpc::ServerUnaryReactor;

  Reactor* ServerLive(Context* context, const inference::ServerLiveRequest*,
                      inference::ServerLiveResponse* response) override {
    response->set_live(true);
    return Finished(context, ::grpc::Status::OK);
  }
  Reactor* ServerReady(Context* context, const inference::ServerReadyRequest*,
                       inference::ServerReadyResponse* response) override {
    response->set_ready(service_.IsReady());
    return Finished(context, ::grpc::Status::OK);
  }
  Reactor* ModelReady(Context* context, const inference::ModelReadyRequest* request,
                      inference::ModelReadyResponse* response) override {
    response->set_ready(service_.IsModelReady(request->name(), request->version()));
    return Finished(context, ::grpc::Status::OK);
  }
  Reactor* ServerMetadata(Context* context, const inference::ServerMetadataRequest*,
                          inference::ServerMetadataResponse* response) override {
    response->set_name(service::kServerName);
    response->set_version(DYNACC_VERSION);
    for (const char* name : service::kExtensions) response->add_extensions(name);
    return Finished(context, ::grpc::Status::OK);
  }
  Reactor* ModelMetadata(Context* context, const inference::ModelMetadataRequest* request,
                         inference::ModelMetadataResponse* response) override {
    const auto model = service_.Describe(request->name(), request->version());
    if (!model.ok()) return Finished(context, ToGrpc(model.status()));
    response->set_name(model->name);
    response->set_platform(model->signature.platform);
    for (const std::string& version : model->versions) response->add_versions(version);
    for (const auto& spec : model->signature.inputs) Describe(spec, *response->add_inputs());
    for (const auto& spec : model->signature.outputs) Describe(spec, *response->add_outputs());
    return Finished(context, ::grpc::Status::OK);
  }

  Reactor* ModelInfer(Context* context, const inference::ModelInferRequest* request,
                      inference::ModelInferResponse* response) override {
    Reactor* const reactor = context->DefaultReactor();
    // A copy, as a model may keep its inputs for longer than gRPC keeps the message.
    const auto message = std::make_shared<const inference::ModelInferRequest>(*request);
    Infer(service_, message, context->deadline(),
          [reactor, response](const absl::StatusOr<protocol::InferResponse>& result) {
            if (result.ok()) ToMessage(*result, *response);
            reactor->Finish(ToGrpc(result.status()));
          });
    return reactor;
  }
  ::grpc::ServerBidiReactor<inference::ModelInferRequest, inference::ModelStreamInferResponse>*
  ModelStreamInfer(Context* context) override {
    return new StreamReactor(service_, context->deadline());
  }

  Reactor* RepositoryIndex(Context* context, const inference::RepositoryIndexRequest* request,
                           inference::RepositoryIndexResponse* response) override {
    for (const service::IndexEntry& entry : service_.Index()) {
      if (request->ready() && !entry.is_ready) continue;
      auto& model = *response->add_models();
      model.set_name(entry.name);
      model.set_version(entry.version);
      model.set_state(entry.is_ready ? "READY" : "UNAVAILABLE");
      model.set_reason(entry.reason);
    }
    return Finished(context, ::grpc::Status::OK);
  }
  Reactor* RepositoryModelLoad(Context* context,
                               const inference::RepositoryModelLoadRequest* request,
                               inference::RepositoryModelLoadResponse*) override {
    if (!controls_) return Finished(context, NotControlled());
    if (!request->parameters().empty()) {
      return Finished(context, {::grpc::StatusCode::UNIMPLEMENTED,
                                "models and their settings are not taken from requests"});
    }
    Reactor* const reactor = context->DefaultReactor();
    service_.Load(request->model_name(),
                  [reactor](const absl::Status& status) { reactor->Finish(ToGrpc(status)); });
    return reactor;
  }
  Reactor* RepositoryModelUnload(Context* context,
                                 const inference::RepositoryModelUnloadRequest* request,
                                 inference::RepositoryModelUnloadResponse*) override {
    if (!controls_) return Finished(context, NotControlled());
    Reactor* const reactor = context->DefaultReactor();
    service_.Unload(request->model_name(),
                    [reactor](const absl::Status& status) { reactor->Finish(ToGrpc(status)); });
    return reactor;
  }

 private:
  static Reactor* Finished(Context* context, const ::grpc::Status& status) {
    Reactor* const reactor = context->DefaultReactor();
    reactor->Finish(status);
    return reactor;
  }
  static ::grpc::Status NotControlled() {
    return {::grpc::StatusCode::PERMISSION_DENIED,
            "this server's models are not to be changed by clients"};
  }
  static void Describe(const model::TensorSpec& spec,
                       inference::ModelMetadataResponse::TensorMetadata& to) {
    to.set_name(spec.name);
    to.set_datatype(std::string(protocol::DataTypeName(spec.type)));
    for (const int64_t size : spec.shape) to.add_shape(size);
  }

  service::Service& service_;
  const bool controls_;
};

}  // namespace

struct RpcServer::Impl {
  Impl(Service& service, bool controls) : calls(service, controls) {}
  Calls calls;
  std::unique_ptr<::grpc::Server> server;
  int port = 0;
};

RpcServer::RpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RpcServer::~RpcServer() { Stop(model::Clock::now()); }

absl::StatusOr<std::unique_ptr<RpcServer>> RpcServer::Start(Service& service,
                                                            const RpcOptions& options) {
  auto impl = std::make_unique<Impl>(service, options.controls);
  const bool is_v6 = absl::StrContains(options.host, ':');
  const std::string address =
      absl::StrCat(is_v6 ? "[" : "", options.host, is_v6 ? "]:" : ":", options.port);
  ::grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddListeningPort(address, ::grpc::InsecureServerCredentials(), &impl->port);
  builder.SetMaxReceiveMessageSize(
      static_cast<int>(std::min<int64_t>(options.max_message, std::numeric_limits<int>::max())));
  builder.SetMaxSendMessageSize(-1);
  builder.RegisterService(&impl->calls);
  impl->server = builder.BuildAndStart();
  if (!impl->server || impl->port == 0) {
    return absl::UnavailableError(absl::StrCat(address, " cannot be had"));
  }
  return std::unique_ptr<RpcServer>(new RpcServer(std::move(impl)));
}

uint16_t RpcServer::port() const { return static_cast<uint16_t>(impl_->port); }

void RpcServer::Stop(model::Clock::time_point deadline) {
  impl_->server->Shutdown(std::chrono::system_clock::now() +
                          std::chrono::duration_cast<std::chrono::system_clock::duration>(
                              deadline - model::Clock::now()));
}

}  // namespace dynacc::rpc
