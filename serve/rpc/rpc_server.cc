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

// The rest of a call's time as the request's timeout in microseconds, if that is shorter.
void ApplyDeadline(std::chrono::system_clock::time_point deadline, int64_t& timeout) {
  if (deadline == std::chrono::system_clock::time_point::max()) return;
  const auto left = std::chrono::duration_cast<std::chrono::microseconds>(
      deadline - std::chrono::system_clock::now());
  const int64_t most = std::max<int64_t>(left.count(), 1);
  timeout = timeout > 0 ? std::min(timeout, most) : most;
}

// What a call brings besides its messages.
struct CallContext {
  explicit CallContext(const ::grpc::CallbackServerContext& context)
      : deadline(context.deadline()) {
    const auto found = context.client_metadata().find("traceparent");
    if (found == context.client_metadata().end()) return;
    traceparent = {found->second.data(), found->second.size()};
  }

  std::chrono::system_clock::time_point deadline;
  std::string traceparent;
};

// Reads a message, has it answered, and calls `done`, perhaps at once.
void Infer(Service& service, const std::shared_ptr<const inference::ModelInferRequest>& message,
           const CallContext& context, const Service::InferDone& done) {
  absl::StatusOr<protocol::InferRequest> request = FromMessage(message);
  if (!request.ok()) return done(request.status());
  ApplyDeadline(context.deadline, request->timeout_microseconds);
  request->traceparent = context.traceparent;
  service.Infer(message->model_name(), message->model_version(), *request, done);
}

// A stream: requests are taken one after another and run side by side. Answers wait in a list,
// because gRPC writes one at a time. It ends when the client sends no more and all is answered.
class StreamReactor : public ::grpc::ServerBidiReactor<inference::ModelInferRequest,
                                                       inference::ModelStreamInferResponse> {
 public:
  StreamReactor(Service& service, CallContext context)
      : service_(service), context_(std::move(context)) {
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
    if (IsForSequence(*request) &&
        service_.Generates(request->model_name(), request->model_version())) {
      Generate(request);
    } else {
      Infer(service_, request, context_,
            [this, id = request->id()](const absl::StatusOr<protocol::InferResponse>& response) {
              response.ok() ? Answer(*response) : Answer(id, response.status());
            });
    }
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
    open_ -= answers_.front().is_last ? 1 : 0;
    answers_.pop_front();
    is_broken_ |= !is_written;
    if (is_broken_) {
      for (const Message& answer : answers_) open_ -= answer.is_last ? 1 : 0;
      answers_.clear();
    }
    if (!answers_.empty()) StartWrite(&answers_.front().message);
    if (waits_to_read_ && open_ < kMostOpen) {
      waits_to_read_ = false;
      ReadNext();
    }
    FinishIfDone(std::move(lock));
  }

  void OnDone() override { delete this; }

 private:
  static constexpr int kMostOpen = 64;  // requests of a stream that run or wait to be written
  static constexpr size_t kMostWaiting = 10'000;  // answers, then sequences end

  void ReadNext() {
    request_ = std::make_shared<inference::ModelInferRequest>();
    StartRead(request_.get());
  }

  // One of the answers to a request.
  struct Message {
    inference::ModelStreamInferResponse message;
    bool is_last = true;
  };

  void Answer(const protocol::InferResponse& response) {
    Message answer;
    ToMessage(response, *answer.message.mutable_infer_response());
    Send(std::move(answer));
  }
  void Answer(const std::string& id, const absl::Status& error) {
    Message answer;
    answer.message.set_error_message(std::string(error.message()));
    answer.message.mutable_infer_response()->set_id(id);
    Send(std::move(answer));
  }

  // Each token is an answer, and so is the end.
  void Generate(const std::shared_ptr<const inference::ModelInferRequest>& message) {
    absl::StatusOr<protocol::GenerateRequest> request = SequenceFrom(message);
    if (!request.ok()) return Answer(message->id(), request.status());
    ApplyDeadline(context_.deadline, request->timeout_microseconds);
    service::GenerateEvents events;
    events.on_token = [this](const protocol::GeneratedBy& by, int64_t token) {
      Message answer;
      ToMessage(by, token, *answer.message.mutable_infer_response());
      answer.is_last = false;
      return Send(std::move(answer));
    };
    events.on_end = [this](const protocol::GeneratedBy& by,
                           const absl::StatusOr<protocol::FinishReason>& reason) {
      if (!reason.ok()) return Answer(by.id, reason.status());
      Message answer;
      ToMessage(by, *reason, *answer.message.mutable_infer_response());
      Send(std::move(answer));
    };
    const absl::Status status =
        service_.Generate(message->model_name(), message->model_version(), *request, events);
    if (!status.ok()) Answer(message->id(), status);
  }

  // False if the client is gone, or does not take its tokens.
  bool Send(Message answer) {
    std::unique_lock lock(mutex_);
    if (is_broken_) {
      open_ -= answer.is_last ? 1 : 0;
      FinishIfDone(std::move(lock));
      return false;
    }
    if (!answer.is_last && answers_.size() >= kMostWaiting) return false;
    answers_.push_back(std::move(answer));
    if (answers_.size() == 1) StartWrite(&answers_.front().message);
    return true;
  }

  // `lock` is of mutex_, and released first: OnDone, on another thread perhaps, deletes the object.
  void FinishIfDone(std::unique_lock<std::mutex> lock) {
    if (!has_ended_ || open_ > 0 || is_finished_) return;
    is_finished_ = true;
    lock.unlock();
    Finish(::grpc::Status::OK);
  }

  Service& service_;
  const CallContext context_;
  std::shared_ptr<inference::ModelInferRequest> request_;  // that is being read
  std::mutex mutex_;
  std::deque<Message> answers_;  // the first one is being written
  int open_ = 0;                 // requests that were read and whose answers are not written
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
    Infer(service_, message, CallContext(*context),
          [reactor, response](const absl::StatusOr<protocol::InferResponse>& result) {
            if (result.ok()) ToMessage(*result, *response);
            reactor->Finish(ToGrpc(result.status()));
          });
    return reactor;
  }
  ::grpc::ServerBidiReactor<inference::ModelInferRequest, inference::ModelStreamInferResponse>*
  ModelStreamInfer(Context* context) override {
    return new StreamReactor(service_, CallContext(*context));
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
