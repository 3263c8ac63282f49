#include <charconv>
#include <cmath>
#include <concepts>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "runtime/base/json_text.h"
#include "runtime/base/status_macros.h"
#include "runtime/tensor/element_types.h"
#include "serve/protocol/json_codec.h"

namespace dynacc::protocol {
namespace {

bool IsFinite(std::integral auto) { return true; }
bool IsFinite(std::floating_point auto value) { return std::isfinite(value); }

template <typename T>
absl::Status AppendNumbers(const T* elements, size_t count, std::string& to) {
  char buffer[32];
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) to.push_back(',');
    const auto value = [&] {
      if constexpr (ShortFloatType<T>) {
        return ToFloat(elements[i]);
      } else {
        return elements[i];
      }
    }();
    if (!IsFinite(value)) {
      return absl::FailedPreconditionError(absl::StrCat(
          "element ", i, " is ", std::isnan(static_cast<double>(value)) ? "NaN" : "infinite",
          ", which JSON cannot say; ask for binary_data"));
    }
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
    to.append(buffer, end.ptr);
  }
  return absl::OkStatus();
}

absl::Status AppendData(const Tensor& output, std::string& to) {
  if (output.type == DataType::kBool) {
    for (size_t i = 0; i < output.bytes.size(); ++i) {
      absl::StrAppend(&to, i > 0 ? "," : "", output.bytes[i] != 0 ? "true" : "false");
    }
    return absl::OkStatus();
  }
  switch (output.type) {
#define DYNACC_DATA_TYPE(enumerator, name, type, element, c_element)         \
  case DataType::enumerator:                                                 \
    return AppendNumbers(reinterpret_cast<const type*>(output.bytes.data()), \
                         output.bytes.size() / sizeof(type), to);
#include "serve/protocol/data_types.def"
#undef DYNACC_DATA_TYPE
  }
  return absl::OkStatus();
}

bool WantsBinary(const InferRequest& request, const std::string& name) {
  for (const RequestedOutput& output : request.outputs) {
    if (output.name == name) return output.binary;
  }
  return request.binary_outputs;
}

}  // namespace

absl::StatusOr<EncodedResponse> EncodeResponse(const InferRequest& request,
                                               const InferResponse& response) {
  EncodedResponse encoded;
  std::string& text = encoded.body;
  const auto quoted = [](const std::string& word) { return JsonText(Json(word)); };
  absl::StrAppend(&text, "{\"model_name\":", quoted(response.model),
                  ",\"model_version\":", quoted(response.version));
  if (!response.id.empty()) absl::StrAppend(&text, ",\"id\":", quoted(response.id));
  text += ",\"outputs\":[";
  std::vector<absl::string_view> tail;
  const char* separator = "";
  for (const Tensor& output : response.outputs) {
    absl::StrAppend(&text, separator, "{\"name\":", quoted(output.name), ",\"datatype\":\"",
                    DataTypeName(output.type), "\",\"shape\":[", absl::StrJoin(output.shape, ","),
                    "],");
    separator = ",";
    if (WantsBinary(request, output.name)) {
      absl::StrAppend(&text, "\"parameters\":{\"binary_data_size\":", output.bytes.size(), "}}");
      tail.push_back(output.bytes);
      encoded.json_size = 0;
      continue;
    }
    text += "\"data\":[";
    DYNACC_RETURN_IF_ERROR(
        Annotate(AppendData(output, text), absl::StrCat("output '", output.name, "'")));
    text += "]}";
  }
  text += "]}";
  if (encoded.json_size) {
    encoded.json_size = text.size();
    for (const absl::string_view bytes : tail) text.append(bytes.data(), bytes.size());
  }
  return encoded;
}

std::string ErrorBody(absl::string_view message) {
  return JsonText(Json{{"error", std::string(message)}});
}

}  // namespace dynacc::protocol
