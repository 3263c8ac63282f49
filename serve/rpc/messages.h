// Inference requests and responses as the messages of inference.proto.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "inference.pb.h"
#include "serve/protocol/generation.h"
#include "serve/protocol/inference.h"

namespace dynacc::rpc {

// The tensors share `message`, where it has raw bytes. INVALID_ARGUMENT names the input;
// UNIMPLEMENTED what is not supported.
absl::StatusOr<protocol::InferRequest> FromMessage(
    const std::shared_ptr<const inference::ModelInferRequest>& message);

// Outputs are written as raw bytes.
void ToMessage(const protocol::InferResponse& response, inference::ModelInferResponse& message);

// Whether a model that generates sequences is asked for one: the input `tokens` is all there is.
bool IsForSequence(const inference::ModelInferRequest& message);
// Such a request: `tokens` are INT64 of one axis, or of two with one row; the rest are parameters.
absl::StatusOr<protocol::GenerateRequest> SequenceFrom(
    const std::shared_ptr<const inference::ModelInferRequest>& message);
// One token of the sequence, or its end. The parameter `triton_final_response` tells them apart.
void ToMessage(const protocol::GeneratedBy& by, int64_t token,
               inference::ModelInferResponse& message);
void ToMessage(const protocol::GeneratedBy& by, protocol::FinishReason reason,
               inference::ModelInferResponse& message);

}  // namespace dynacc::rpc
