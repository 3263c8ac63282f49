// Inference requests and responses as bodies of HTTP: JSON, and JSON followed by the bytes of
// tensors (the protocol's binary tensor data extension).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "serve/protocol/inference.h"

namespace dynacc::protocol {

// `json_size` is what Inference-Header-Content-Length says: the bytes behind it are tensors'.
// Tensors share `body`. INVALID_ARGUMENT names the input; UNIMPLEMENTED what is not supported.
absl::StatusOr<InferRequest> DecodeRequest(const std::shared_ptr<const std::string>& body,
                                           std::optional<size_t> json_size);

struct EncodedResponse {
  std::string body;
  std::optional<size_t> json_size;  // if bytes of tensors follow the JSON
};

// Outputs are written as `request` asks. FAILED_PRECONDITION for numbers that JSON lacks.
absl::StatusOr<EncodedResponse> EncodeResponse(const InferRequest& request,
                                               const InferResponse& response);

// {"error": "..."}
std::string ErrorBody(absl::string_view message);

}  // namespace dynacc::protocol
