// A request for a sequence of tokens and what answers it, and their JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace dynacc::protocol {

struct GenerateRequest {
  std::string id;
  std::vector<int64_t> tokens;   // the prompt
  int64_t max_tokens = 16;       // new ones
  double temperature = 0;        // 0: the likeliest token each time
  int64_t top_k = 0;             // of how many likeliest ones one is drawn; 0: of all
  std::optional<uint64_t> seed;  // of the draws; none: by chance
  std::vector<int64_t> stop_tokens;
  int64_t timeout_microseconds = 0;  // 0: none
};

enum class FinishReason {
  kStop,    // a token that ends sequences was chosen, which is not part of the answer
  kLength,  // max_tokens, or the longest that the model has room for
};

absl::string_view FinishReasonName(FinishReason reason);

// {"tokens": [1, 2], "id": "a", "parameters": {"max_tokens": 8}}. INVALID_ARGUMENT names what is
// wrong.
absl::StatusOr<GenerateRequest> DecodeGenerateRequest(const std::string& body);

// The model that answers.
struct GeneratedBy {
  std::string model;
  std::string version;
  std::string id;
};

// {"model_name": ..., "model_version": ..., "tokens": [...]}, and why there are no more if that is
// known.
std::string EncodeGenerated(const GeneratedBy& by, absl::Span<const int64_t> tokens,
                            std::optional<FinishReason> reason);

}  // namespace dynacc::protocol
