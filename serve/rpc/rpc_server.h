// The protocol's gRPC service.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "serve/model/model.h"
#include "serve/service/service.h"

namespace dynacc::rpc {

struct RpcOptions {
  std::string host;
  uint16_t port = 8001;  // 0: any
  int64_t max_message = int64_t{64} << 20;
  bool controls = false;  // whether clients may load and unload models
};

class RpcServer {
 public:
  // `service` must outlive the server. UNAVAILABLE if the address cannot be had.
  static absl::StatusOr<std::unique_ptr<RpcServer>> Start(service::Service& service,
                                                          const RpcOptions& options);
  ~RpcServer();

  uint16_t port() const;
  // Takes no more calls, and waits for those that run, until `deadline`: then they are cancelled.
  void Stop(model::Clock::time_point deadline);

 private:
  struct Impl;
  explicit RpcServer(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace dynacc::rpc
