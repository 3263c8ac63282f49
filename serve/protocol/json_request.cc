#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "serve/protocol/json_codec.h"
#include "serve/protocol/json_data.h"
#include "serve/protocol/json_members.h"
#include "simdjson.h"

namespace dynacc::protocol {
namespace {

namespace ondemand = simdjson::ondemand;

absl::Status Invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

// What `parameters` of a request, of an input or of an output may say.
struct Parameters {
  std::optional<int64_t> timeout;
  std::optional<int64_t> priority;
  std::optional<int64_t> binary_data_size;
  std::optional<bool> binary_data;
  std::optional<bool> binary_data_output;
};

absl::Status ReadParameter(absl::string_view name, ondemand::value value, Parameters& to) {
  for (const absl::string_view unsupported :
       {"shared_memory_region", "classification", "sequence_id"}) {
    if (name == unsupported) {
      return absl::UnimplementedError(absl::StrCat("parameter '", name, "' is not supported"));
    }
  }
  const auto count = [&](std::optional<int64_t>& number) {
    const bool is_good = !value.get_int64().get(number.emplace()) && *number >= 0;
    return is_good ? absl::OkStatus()
                   : Invalid(absl::StrCat("parameter '", name, "' is no whole number"));
  };
  const auto flag = [&](std::optional<bool>& is_set) {
    const bool is_good = !value.get_bool().get(is_set.emplace());
    return is_good ? absl::OkStatus()
                   : Invalid(absl::StrCat("parameter '", name, "' is neither true nor false"));
  };
  if (name == "timeout") return count(to.timeout);
  if (name == "priority") return count(to.priority);
  if (name == "binary_data_size") return count(to.binary_data_size);
  if (name == "binary_data") return flag(to.binary_data);
  if (name == "binary_data_output") return flag(to.binary_data_output);
  return ReadUnknown(value);
}

absl::Status ReadParameters(ondemand::value value, Parameters& to) {
  ondemand::object object;
  if (value.get_object().get(object)) return Invalid("parameters are no object");
  return ReadMembers(object, [&](absl::string_view name, ondemand::value member) {
    return ReadParameter(name, member, to);
  });
}

absl::Status ReadShape(ondemand::value value, std::vector<int64_t>& shape) {
  DYNACC_ASSIGN_OR_RETURN(const ondemand::array sizes, ReadArray("shape", value));
  return ReadItems(sizes, [&](size_t, ondemand::value item) {
    int64_t size = 0;
    if (item.get_int64().get(size) || size < 0) {
      return Invalid("its shape has something that is no size");
    }
    shape.push_back(size);
    return absl::OkStatus();
  });
}

// A request while it is read.
struct Reading {
  size_t text_size;                   // of the JSON
  absl::string_view tail;             // what is left of the bytes behind it
  std::shared_ptr<const void> owner;  // of the tail
  Parameters parameters;
  std::vector<std::optional<bool>> binary;  // by output
  InferRequest request;
};

// An input as it stands in the request. Its data comes last, as it needs the type and the shape.
struct InputMembers {
  std::optional<std::string> name;
  std::optional<std::string> type;
  std::optional<std::vector<int64_t>> shape;
  Parameters parameters;
  int data = -1;  // which member it is
};

absl::StatusOr<InputMembers> ReadInputMembers(ondemand::object object) {
  InputMembers found;
  int index = 0;
  const absl::Status status =
      ReadMembers(object, [&](absl::string_view name, ondemand::value value) -> absl::Status {
        const int place = index++;
        if (name == "name") return ReadText(name, value, found.name);
        if (name == "datatype") return ReadText(name, value, found.type);
        if (name == "shape") return ReadShape(value, found.shape.emplace());
        if (name == "parameters") return ReadParameters(value, found.parameters);
        if (name != "data") return ReadUnknown(value);
        found.data = place;
        return ReadArray(name, value).status();
      });
  if (status.ok()) return found;
  return Annotate(status, found.name ? absl::StrCat("input '", *found.name, "'") : "an input");
}

absl::Status ReadInputData(ondemand::object object, int place, size_t text_size, Tensor& input) {
  if (const auto error = object.reset().error()) return MalformedJson(error);
  for (simdjson::simdjson_result<ondemand::field> item : object) {
    ondemand::field field;
    if (const auto error = std::move(item).get(field)) return MalformedJson(error);
    if (place-- > 0) continue;
    DYNACC_ASSIGN_OR_RETURN(const ondemand::array data, ReadArray("data", field.value()));
    return ReadData(data, text_size, input);
  }
  return Invalid("no array 'data'");
}

absl::Status TakeBytes(int64_t given, Reading& reading, Tensor& input) {
  DYNACC_ASSIGN_OR_RETURN(const size_t size, ByteSize(input.type, input.shape), "its shape");
  if (static_cast<size_t>(given) != size) {
    return Invalid(absl::StrCat("binary_data_size is ", given, ", and its shape needs ", size));
  }
  if (size > reading.tail.size()) {
    return Invalid(absl::StrCat("binary_data_size is ", given, ", and ", reading.tail.size(),
                                " bytes are left"));
  }
  SetBytes(reading.tail.substr(0, size), reading.owner, input);
  reading.tail.remove_prefix(size);
  return absl::OkStatus();
}

absl::Status ReadInput(ondemand::object object, InputMembers& members, Reading& reading) {
  if (!members.type) return Invalid("no text 'datatype'");
  if (*members.type == "BYTES") {
    return absl::UnimplementedError("BYTES: models here take numbers only");
  }
  const std::optional<DataType> type = DataTypeOf(*members.type);
  if (!type) return Invalid(absl::StrCat("there is no datatype '", *members.type, "'"));
  if (!members.shape) return Invalid("no array 'shape'");
  Tensor input;
  input.name = *members.name;
  input.type = *type;
  input.shape = *std::move(members.shape);
  const std::optional<int64_t> binary_size = members.parameters.binary_data_size;
  if (binary_size && members.data >= 0) {
    return Invalid("it has both 'data' and 'binary_data_size'");
  }
  DYNACC_RETURN_IF_ERROR(binary_size
                             ? TakeBytes(*binary_size, reading, input)
                             : ReadInputData(object, members.data, reading.text_size, input));
  reading.request.inputs.push_back(std::move(input));
  return absl::OkStatus();
}

absl::Status ReadInputs(ondemand::value value, Reading& reading) {
  DYNACC_ASSIGN_OR_RETURN(const ondemand::array inputs, ReadArray("inputs", value));
  return ReadItems(inputs, [&](size_t index, ondemand::value item) -> absl::Status {
    ondemand::object object;
    if (item.get_object().get(object)) {
      return Invalid(absl::StrCat("inputs[", index, "] is no object"));
    }
    DYNACC_ASSIGN_OR_RETURN(InputMembers members, ReadInputMembers(object));
    if (!members.name) return Invalid("an input: no text 'name'");
    return Annotate(ReadInput(object, members, reading),
                    absl::StrCat("input '", *members.name, "'"));
  });
}

absl::Status ReadOutputs(ondemand::value value, Reading& reading) {
  DYNACC_ASSIGN_OR_RETURN(const ondemand::array outputs, ReadArray("outputs", value));
  return ReadItems(outputs, [&](size_t, ondemand::value item) -> absl::Status {
    ondemand::object object;
    if (item.get_object().get(object)) return Invalid("an output is no object");
    std::optional<std::string> name;
    Parameters parameters;
    const absl::Status status =
        ReadMembers(object, [&](absl::string_view member, ondemand::value inner) {
          if (member == "name") return ReadText(member, inner, name);
          if (member == "parameters") return ReadParameters(inner, parameters);
          return ReadUnknown(inner);
        });
    if (!status.ok()) {
      return Annotate(status, name ? absl::StrCat("output '", *name, "'") : "an output");
    }
    if (!name) return Invalid("an output: no text 'name'");
    reading.request.outputs.push_back({*std::move(name), false});
    reading.binary.push_back(parameters.binary_data);
    return absl::OkStatus();
  });
}

absl::Status ReadRequest(ondemand::object root, Reading& reading) {
  std::optional<std::string> id;
  bool has_inputs = false;
  DYNACC_RETURN_IF_ERROR(ReadMembers(root, [&](absl::string_view name, ondemand::value value) {
    has_inputs |= name == "inputs";
    if (name == "inputs") return ReadInputs(value, reading);
    if (name == "outputs") return ReadOutputs(value, reading);
    if (name == "parameters") return ReadParameters(value, reading.parameters);
    if (name == "id") return ReadText(name, value, id);
    return ReadUnknown(value);
  }));
  if (!has_inputs) return Invalid("the request has no array 'inputs'");
  if (!reading.tail.empty()) {
    return Invalid(absl::StrCat(reading.tail.size(), " bytes behind the JSON belong to no input"));
  }
  const Parameters& parameters = reading.parameters;
  const int64_t priority = parameters.priority.value_or(0);
  if (priority > std::numeric_limits<uint32_t>::max()) return Invalid("that is no priority");
  InferRequest& request = reading.request;
  request.id = std::move(id).value_or("");
  request.timeout_microseconds = parameters.timeout.value_or(0);
  request.priority = static_cast<uint32_t>(priority);
  request.binary_outputs = parameters.binary_data_output.value_or(false);
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    request.outputs[i].binary = reading.binary[i].value_or(request.binary_outputs);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<InferRequest> DecodeRequest(const std::shared_ptr<const std::string>& body,
                                           std::optional<size_t> json_size) {
  const size_t size = json_size.value_or(body->size());
  if (size > body->size()) {
    return Invalid(absl::StrCat("Inference-Header-Content-Length is ", size, ", and the body has ",
                                body->size(), " bytes"));
  }
  Reading reading;
  reading.text_size = size;
  reading.tail = absl::string_view(*body).substr(size);
  reading.owner = body;
  DYNACC_RETURN_IF_ERROR(
      ParseObject(*body, size, [&](ondemand::object root) { return ReadRequest(root, reading); }));
  return std::move(reading.request);
}

}  // namespace dynacc::protocol
