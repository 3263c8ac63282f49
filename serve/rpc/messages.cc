#include "serve/rpc/messages.h"

#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace dynacc::rpc {
namespace {

using inference::InferTensorContents;
using inference::ModelInferRequest;
using inference::ModelInferResponse;
using protocol::DataType;
using protocol::InferRequest;
using protocol::Tensor;
using ParameterMap = google::protobuf::Map<std::string, inference::InferParameter>;

absl::Status CheckParameters(const ParameterMap& parameters) {
  for (const char* name : {"shared_memory_region", "classification", "sequence_id"}) {
    if (parameters.contains(name)) {
      return absl::UnimplementedError(absl::StrCat("parameter '", name, "' is not supported"));
    }
  }
  return absl::OkStatus();
}

// A parameter that is a whole number from 0 on; 0 if it is not there.
absl::StatusOr<int64_t> Count(const ParameterMap& parameters, const char* name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return 0;
  const inference::InferParameter& value = found->second;
  const bool is_unsigned = value.parameter_choice_case() == inference::InferParameter::kUint64Param;
  const int64_t number =
      is_unsigned ? static_cast<int64_t>(value.uint64_param()) : value.int64_param();
  if ((!is_unsigned && value.parameter_choice_case() != inference::InferParameter::kInt64Param) ||
      number < 0) {
    return absl::InvalidArgumentError(absl::StrCat("parameter '", name, "' is no whole number"));
  }
  return number;
}

template <typename T, typename List>
absl::Status Convert(const List& list, Tensor& tensor) {
  DYNACC_ASSIGN_OR_RETURN(const int64_t count, protocol::ElementCount(tensor.shape), "its shape");
  if (list.size() != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("contents have ", list.size(), " elements, and its shape has ", count));
  }
  const std::shared_ptr<char[]> bytes(new char[count * sizeof(T)]);
  T* const to = reinterpret_cast<T*>(bytes.get());
  for (int64_t i = 0; i < count; ++i) {
    const auto value = list[static_cast<int>(i)];
    if constexpr (std::is_integral_v<T> && !std::is_same_v<decltype(value), const bool>) {
      if (!std::in_range<T>(value)) {
        return absl::InvalidArgumentError(absl::StrCat("element ", i, " does not fit"));
      }
    }
    to[i] = static_cast<T>(value);
  }
  tensor.bytes = {bytes.get(), static_cast<size_t>(count) * sizeof(T)};
  tensor.owner = bytes;
  return absl::OkStatus();
}

absl::Status ReadContents(const InferTensorContents& contents, Tensor& tensor) {
  switch (tensor.type) {
    case DataType::kBool:
      return Convert<uint8_t>(contents.bool_contents(), tensor);
    case DataType::kInt8:
      return Convert<int8_t>(contents.int_contents(), tensor);
    case DataType::kInt16:
      return Convert<int16_t>(contents.int_contents(), tensor);
    case DataType::kInt32:
      return Convert<int32_t>(contents.int_contents(), tensor);
    case DataType::kInt64:
      return Convert<int64_t>(contents.int64_contents(), tensor);
    case DataType::kUint8:
      return Convert<uint8_t>(contents.uint_contents(), tensor);
    case DataType::kUint16:
      return Convert<uint16_t>(contents.uint_contents(), tensor);
    case DataType::kUint32:
      return Convert<uint32_t>(contents.uint_contents(), tensor);
    case DataType::kUint64:
      return Convert<uint64_t>(contents.uint64_contents(), tensor);
    case DataType::kFp32:
      return Convert<float>(contents.fp32_contents(), tensor);
    case DataType::kFp64:
      return Convert<double>(contents.fp64_contents(), tensor);
    case DataType::kFp16:
    case DataType::kBf16:
      return absl::InvalidArgumentError("elements of FP16 and BF16 come in raw_input_contents");
  }
  return absl::InternalError("a datatype without contents");
}

absl::Status ReadInput(const std::shared_ptr<const ModelInferRequest>& message, int index,
                       Tensor& tensor) {
  const ModelInferRequest::InferInputTensor& input = message->inputs(index);
  DYNACC_RETURN_IF_ERROR(CheckParameters(input.parameters()));
  if (input.datatype() == "BYTES") {
    return absl::UnimplementedError("BYTES: models here take numbers only");
  }
  const auto type = protocol::DataTypeOf(input.datatype());
  if (!type) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no datatype '", input.datatype(), "'"));
  }
  tensor.type = *type;
  tensor.shape = {input.shape().begin(), input.shape().end()};
  if (message->raw_input_contents().empty()) return ReadContents(input.contents(), tensor);
  if (input.has_contents()) {
    return absl::InvalidArgumentError("it has contents, and the request raw_input_contents");
  }
  DYNACC_ASSIGN_OR_RETURN(const size_t size, ByteSize(tensor.type, tensor.shape), "its shape");
  const std::string& bytes = message->raw_input_contents(index);
  if (bytes.size() != size) {
    return absl::InvalidArgumentError(absl::StrCat("its raw_input_contents have ", bytes.size(),
                                                   " bytes, and its shape needs ", size));
  }
  SetBytes(bytes, message, tensor);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<InferRequest> FromMessage(const std::shared_ptr<const ModelInferRequest>& message) {
  InferRequest request;
  request.id = message->id();
  DYNACC_RETURN_IF_ERROR(CheckParameters(message->parameters()));
  DYNACC_ASSIGN_OR_RETURN(request.timeout_microseconds, Count(message->parameters(), "timeout"));
  DYNACC_ASSIGN_OR_RETURN(const int64_t priority, Count(message->parameters(), "priority"));
  if (priority > std::numeric_limits<uint32_t>::max()) {
    return absl::InvalidArgumentError("that is no priority");
  }
  request.priority = static_cast<uint32_t>(priority);
  if (!message->raw_input_contents().empty() &&
      message->raw_input_contents_size() != message->inputs_size()) {
    return absl::InvalidArgumentError(absl::StrCat("there are ", message->inputs_size(),
                                                   " inputs, and raw_input_contents of ",
                                                   message->raw_input_contents_size()));
  }
  for (int i = 0; i < message->inputs_size(); ++i) {
    Tensor tensor;
    tensor.name = message->inputs(i).name();
    DYNACC_RETURN_IF_ERROR(
        Annotate(ReadInput(message, i, tensor), absl::StrCat("input '", tensor.name, "'")));
    request.inputs.push_back(std::move(tensor));
  }
  for (const auto& output : message->outputs()) {
    DYNACC_RETURN_IF_ERROR(Annotate(CheckParameters(output.parameters()),
                                    absl::StrCat("output '", output.name(), "'")));
    request.outputs.push_back({output.name(), true});
  }
  return request;
}

void ToMessage(const protocol::InferResponse& response, inference::ModelInferResponse& message) {
  message.set_model_name(response.model);
  message.set_model_version(response.version);
  message.set_id(response.id);
  for (const Tensor& tensor : response.outputs) {
    auto& output = *message.add_outputs();
    output.set_name(tensor.name);
    output.set_datatype(std::string(DataTypeName(tensor.type)));
    for (const int64_t size : tensor.shape) output.add_shape(size);
    message.add_raw_output_contents()->assign(tensor.bytes.data(), tensor.bytes.size());
  }
}

bool IsForSequence(const ModelInferRequest& message) {
  return message.inputs_size() == 1 && message.inputs(0).name() == "tokens";
}

absl::StatusOr<protocol::GenerateRequest> SequenceFrom(
    const std::shared_ptr<const ModelInferRequest>& message) {
  DYNACC_ASSIGN_OR_RETURN(const InferRequest read, FromMessage(message));
  const Tensor& tokens = read.inputs[0];
  const bool is_row =
      tokens.shape.size() == 1 || (tokens.shape.size() == 2 && tokens.shape[0] == 1);
  if (tokens.type != DataType::kInt64 || !is_row) {
    return absl::InvalidArgumentError("input 'tokens' is not INT64 of one axis");
  }
  protocol::GenerateRequest request;
  request.id = read.id;
  const auto* const first = reinterpret_cast<const int64_t*>(tokens.bytes.data());
  request.tokens.assign(first, first + tokens.bytes.size() / sizeof(int64_t));
  request.timeout_microseconds = read.timeout_microseconds;
  const ParameterMap& parameters = message->parameters();
  if (parameters.contains("max_tokens")) {
    DYNACC_ASSIGN_OR_RETURN(request.max_tokens, Count(parameters, "max_tokens"));
    if (request.max_tokens < 1) return absl::InvalidArgumentError("'max_tokens' is 0");
  }
  DYNACC_ASSIGN_OR_RETURN(request.top_k, Count(parameters, "top_k"));
  if (parameters.contains("seed")) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t seed, Count(parameters, "seed"));
    request.seed = static_cast<uint64_t>(seed);
  }
  const auto temperature = parameters.find("temperature");
  if (temperature != parameters.end()) {
    request.temperature = temperature->second.double_param();
    if (!(request.temperature >= 0) ||
        temperature->second.parameter_choice_case() != inference::InferParameter::kDoubleParam) {
      return absl::InvalidArgumentError("parameter 'temperature' is no number from 0 on");
    }
  }
  return request;
}

namespace {

void SetHead(const protocol::GeneratedBy& by, bool is_final, ModelInferResponse& message) {
  message.set_model_name(by.model);
  message.set_model_version(by.version);
  message.set_id(by.id);
  (*message.mutable_parameters())["triton_final_response"].set_bool_param(is_final);
}

}  // namespace

void ToMessage(const protocol::GeneratedBy& by, int64_t token, ModelInferResponse& message) {
  SetHead(by, /*is_final=*/false, message);
  auto& output = *message.add_outputs();
  output.set_name("tokens");
  output.set_datatype("INT64");
  output.add_shape(1);
  message.add_raw_output_contents()->assign(reinterpret_cast<const char*>(&token), sizeof token);
}

void ToMessage(const protocol::GeneratedBy& by, protocol::FinishReason reason,
               ModelInferResponse& message) {
  SetHead(by, /*is_final=*/true, message);
  (*message.mutable_parameters())["finish_reason"].set_string_param(
      std::string(FinishReasonName(reason)));
}

}  // namespace dynacc::rpc
