// Inference requests and responses as the messages of inference.proto.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "inference.pb.h"
#include "serve/protocol/inference.h"

namespace dynacc::rpc {

// The tensors share `message`, where it has raw bytes. INVALID_ARGUMENT names the input;
// UNIMPLEMENTED what is not supported.
absl::StatusOr<protocol::InferRequest> FromMessage(
    const std::shared_ptr<const inference::ModelInferRequest>& message);

// Outputs are written as raw bytes.
void ToMessage(const protocol::InferResponse& response, inference::ModelInferResponse& message);

}  // namespace dynacc::rpc
