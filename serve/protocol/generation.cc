#include "serve/protocol/generation.h"

#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "runtime/base/json_text.h"
#include "runtime/base/status_macros.h"
#include "serve/protocol/json_members.h"

namespace dynacc::protocol {
namespace {

namespace ondemand = simdjson::ondemand;

absl::Status Wrong(absl::string_view name, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("'", name, "' ", what));
}

absl::Status ReadTokens(absl::string_view name, ondemand::value value, std::vector<int64_t>& to) {
  DYNACC_ASSIGN_OR_RETURN(const ondemand::array tokens, ReadArray(name, value));
  return ReadItems(tokens, [&](size_t index, ondemand::value item) {
    if (!item.get_int64().get(to.emplace_back())) return absl::OkStatus();
    return Wrong(name, absl::StrCat("has something at ", index, " that is no token"));
  });
}

absl::Status ReadParameter(absl::string_view name, ondemand::value value, GenerateRequest& to) {
  const auto count = [&](int64_t least, int64_t& number) {
    const bool is_good = !value.get_int64().get(number) && number >= least;
    return is_good ? absl::OkStatus()
                   : Wrong(name, absl::StrCat("is no whole number from ", least, " on"));
  };
  if (name == "max_tokens") return count(1, to.max_tokens);
  if (name == "top_k") return count(0, to.top_k);
  if (name == "timeout") return count(0, to.timeout_microseconds);
  if (name == "stop_tokens") return ReadTokens(name, value, to.stop_tokens);
  if (name == "seed") {
    const bool is_good = !value.get_uint64().get(to.seed.emplace());
    return is_good ? absl::OkStatus() : Wrong(name, "is no whole number from 0 on");
  }
  if (name == "temperature") {
    const bool is_good = !value.get_double().get(to.temperature) && to.temperature >= 0;
    return is_good ? absl::OkStatus() : Wrong(name, "is no number from 0 on");
  }
  // Silence would give other tokens than the client wants.
  return absl::UnimplementedError(absl::StrCat("parameter '", name, "' is not supported"));
}

absl::Status ReadMember(absl::string_view name, ondemand::value value, GenerateRequest& to) {
  if (name == "tokens") return ReadTokens(name, value, to.tokens);
  if (name == "id") {
    std::optional<std::string> id;
    DYNACC_RETURN_IF_ERROR(ReadText(name, value, id));
    to.id = *std::move(id);
    return absl::OkStatus();
  }
  if (name != "parameters") {
    return Wrong(name, "is not what a request has: tokens, id and parameters");
  }
  ondemand::object object;
  if (value.get_object().get(object)) return Wrong(name, "are no object");
  return ReadMembers(object, [&](absl::string_view parameter, ondemand::value inner) {
    return ReadParameter(parameter, inner, to);
  });
}

}  // namespace

absl::string_view FinishReasonName(FinishReason reason) {
  return reason == FinishReason::kStop ? "stop" : "length";
}

absl::StatusOr<GenerateRequest> DecodeGenerateRequest(const std::string& body) {
  GenerateRequest request;
  DYNACC_RETURN_IF_ERROR(ParseObject(body, body.size(), [&](ondemand::object root) {
    return ReadMembers(root, [&](absl::string_view name, ondemand::value value) {
      return ReadMember(name, value, request);
    });
  }));
  return request;
}

std::string EncodeGenerated(const GeneratedBy& by, absl::Span<const int64_t> tokens,
                            std::optional<FinishReason> reason) {
  Json json = {{"model_name", by.model}, {"model_version", by.version}};
  if (!by.id.empty()) json["id"] = by.id;
  json["tokens"] = std::vector<int64_t>(tokens.begin(), tokens.end());
  if (reason) json["details"] = {{"finish_reason", std::string(FinishReasonName(*reason))}};
  return JsonText(json);
}

}  // namespace dynacc::protocol
