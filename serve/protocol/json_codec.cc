#include "serve/protocol/json_codec.h"

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "runtime/base/json_text.h"
#include "runtime/base/status_macros.h"
#include "runtime/tensor/element_types.h"
#include "serve/protocol/json_values.h"

namespace dynacc::protocol {
namespace {

using nlohmann::json;

absl::Status Invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

// The member of that name; null if there is none.
const json* Find(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

// A text that must be there.
absl::StatusOr<std::string> Text(const json& object, const char* name) {
  const json* const value = Find(object, name);
  if (value == nullptr || !value->is_string()) return Invalid(absl::StrCat("no text '", name, "'"));
  return value->get<std::string>();
}

// A parameter that is a whole number from 0 on; 0 if it is not there.
absl::StatusOr<int64_t> Count(const json* parameters, const char* name) {
  const json* const value = parameters == nullptr ? nullptr : Find(*parameters, name);
  if (value == nullptr) return 0;
  if (!value->is_number_unsigned() ||
      value->get<uint64_t>() > std::numeric_limits<int64_t>::max()) {
    return Invalid(absl::StrCat("parameter '", name, "' is no whole number"));
  }
  return value->get<int64_t>();
}

absl::StatusOr<bool> Flag(const json* parameters, const char* name) {
  const json* const value = parameters == nullptr ? nullptr : Find(*parameters, name);
  if (value == nullptr) return false;
  if (!value->is_boolean()) {
    return Invalid(absl::StrCat("parameter '", name, "' is neither true nor false"));
  }
  return value->get<bool>();
}

absl::StatusOr<const json*> Parameters(const json& object) {
  const json* const parameters = Find(object, "parameters");
  if (parameters != nullptr && !parameters->is_object()) return Invalid("parameters are no object");
  for (const char* name : {"shared_memory_region", "classification", "sequence_id"}) {
    if (parameters != nullptr && parameters->contains(name)) {
      return absl::UnimplementedError(absl::StrCat("parameter '", name, "' is not supported"));
    }
  }
  return parameters;
}

absl::StatusOr<std::vector<int64_t>> Shape(const json& input) {
  const json* const sizes = Find(input, "shape");
  if (sizes == nullptr || !sizes->is_array()) return Invalid("no array 'shape'");
  std::vector<int64_t> shape;
  for (const json& size : *sizes) {
    if (!size.is_number_unsigned() || size.get<uint64_t>() > std::numeric_limits<int64_t>::max()) {
      return Invalid("its shape has something that is no size");
    }
    shape.push_back(size.get<int64_t>());
  }
  return shape;
}

// What is left of the bytes behind the JSON.
struct BinaryTail {
  absl::string_view bytes;
  std::shared_ptr<const std::string> owner;
};

absl::Status ReadInput(const json& object, const NumberList* numbers, BinaryTail& tail,
                       Tensor& input) {
  DYNACC_ASSIGN_OR_RETURN(const std::string type, Text(object, "datatype"));
  if (type == "BYTES") return absl::UnimplementedError("BYTES: models here take numbers only");
  const std::optional<DataType> known = DataTypeOf(type);
  if (!known) return Invalid(absl::StrCat("there is no datatype '", type, "'"));
  input.type = *known;
  DYNACC_ASSIGN_OR_RETURN(input.shape, Shape(object));
  DYNACC_ASSIGN_OR_RETURN(const json* const parameters, Parameters(object));
  const bool is_binary = parameters != nullptr && parameters->contains("binary_data_size");
  if (is_binary == (numbers != nullptr)) {
    if (is_binary) return Invalid("it has both 'data' and 'binary_data_size'");
    return Invalid(object.contains("data") ? "data is no array" : "no array 'data'");
  }
  if (!is_binary) return numbers->Fill(input);
  DYNACC_ASSIGN_OR_RETURN(const int64_t given, Count(parameters, "binary_data_size"));
  DYNACC_ASSIGN_OR_RETURN(const size_t size, ByteSize(input.type, input.shape), "its shape");
  if (static_cast<size_t>(given) != size) {
    return Invalid(absl::StrCat("binary_data_size is ", given, ", and its shape needs ", size));
  }
  if (size > tail.bytes.size()) {
    return Invalid(absl::StrCat("binary_data_size is ", given, ", and ", tail.bytes.size(),
                                " bytes are left"));
  }
  SetBytes(tail.bytes.substr(0, size), tail.owner, input);
  tail.bytes.remove_prefix(size);
  return absl::OkStatus();
}

absl::Status ReadInputs(const RequestJson& parsed, BinaryTail& tail, InferRequest& request) {
  const json* const inputs = Find(parsed.root, "inputs");
  if (inputs == nullptr || !inputs->is_array()) return Invalid("the request has no array 'inputs'");
  for (size_t i = 0; i < inputs->size(); ++i) {
    const json& object = (*inputs)[i];
    if (!object.is_object()) return Invalid(absl::StrCat("inputs[", i, "] is no object"));
    Tensor input;
    DYNACC_ASSIGN_OR_RETURN(input.name, Text(object, "name"), "an input");
    const int place = i < parsed.data_of_input.size() ? parsed.data_of_input[i] : -1;
    DYNACC_RETURN_IF_ERROR(
        Annotate(ReadInput(object, place < 0 ? nullptr : &parsed.data[place], tail, input),
                 absl::StrCat("input '", input.name, "'")));
    request.inputs.push_back(std::move(input));
  }
  if (!tail.bytes.empty()) {
    return Invalid(absl::StrCat(tail.bytes.size(), " bytes behind the JSON belong to no input"));
  }
  return absl::OkStatus();
}

absl::Status ReadOutputs(const json& root, InferRequest& request) {
  const json* const outputs = Find(root, "outputs");
  if (outputs == nullptr) return absl::OkStatus();
  if (!outputs->is_array()) return Invalid("'outputs' is no array");
  for (const json& object : *outputs) {
    if (!object.is_object()) return Invalid("an output is no object");
    RequestedOutput output;
    DYNACC_ASSIGN_OR_RETURN(output.name, Text(object, "name"), "an output");
    const std::string place = absl::StrCat("output '", output.name, "'");
    const auto parameters = Parameters(object);
    if (!parameters.ok()) return Annotate(parameters.status(), place);
    output.binary = request.binary_outputs;
    if (*parameters != nullptr && (*parameters)->contains("binary_data")) {
      const auto binary = Flag(*parameters, "binary_data");
      if (!binary.ok()) return Annotate(binary.status(), place);
      output.binary = *binary;
    }
    request.outputs.push_back(std::move(output));
  }
  return absl::OkStatus();
}

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

absl::StatusOr<InferRequest> DecodeRequest(const std::shared_ptr<const std::string>& body,
                                           std::optional<size_t> json_size) {
  if (json_size && *json_size > body->size()) {
    return Invalid(absl::StrCat("Inference-Header-Content-Length is ", *json_size,
                                ", and the body has ", body->size(), " bytes"));
  }
  const absl::string_view all = *body;
  BinaryTail tail = {json_size ? all.substr(*json_size) : absl::string_view(), body};
  DYNACC_ASSIGN_OR_RETURN(const RequestJson parsed,
                          ReadRequestJson(json_size ? all.substr(0, *json_size) : all));
  InferRequest request;
  if (const json* const id = Find(parsed.root, "id"); id != nullptr) {
    if (!id->is_string()) return Invalid("'id' is no text");
    request.id = id->get<std::string>();
  }
  DYNACC_ASSIGN_OR_RETURN(const json* const parameters, Parameters(parsed.root));
  DYNACC_ASSIGN_OR_RETURN(request.timeout_microseconds, Count(parameters, "timeout"));
  DYNACC_ASSIGN_OR_RETURN(const int64_t priority, Count(parameters, "priority"));
  if (priority > std::numeric_limits<uint32_t>::max()) return Invalid("that is no priority");
  request.priority = static_cast<uint32_t>(priority);
  DYNACC_ASSIGN_OR_RETURN(request.binary_outputs, Flag(parameters, "binary_data_output"));
  DYNACC_RETURN_IF_ERROR(ReadInputs(parsed, tail, request));
  DYNACC_RETURN_IF_ERROR(ReadOutputs(parsed.root, request));
  return request;
}

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
