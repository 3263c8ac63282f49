#include "serve/protocol/json_members.h"

namespace dynacc::protocol {

namespace ondemand = simdjson::ondemand;

namespace {

constexpr int kMaxDepth = 64;

absl::Status Invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

absl::Status Parse(ondemand::parser& parser, simdjson::padded_string_view text,
                   absl::FunctionRef<absl::Status(ondemand::object)> read) {
  ondemand::document document;
  if (const auto error = parser.iterate(text).get(document)) return MalformedJson(error);
  ondemand::object root;
  if (document.get_object().get(root)) return Invalid("the request is no JSON object");
  DYNACC_RETURN_IF_ERROR(read(root));
  const bool is_at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return is_at_end ? absl::OkStatus() : Invalid("something follows the JSON object");
}

}  // namespace

absl::Status MalformedJson(simdjson::error_code error) {
  return Invalid(
      absl::StrCat("the request is no JSON that can be read: ", simdjson::error_message(error)));
}

absl::Status ParseObject(const std::string& body, size_t size,
                         absl::FunctionRef<absl::Status(ondemand::object)> read) {
  // The parser may read some bytes behind the text.
  std::optional<simdjson::padded_string> copy;
  simdjson::padded_string_view text(body.data(), size, body.capacity());
  if (body.capacity() < size + simdjson::SIMDJSON_PADDING) text = copy.emplace(body.data(), size);
  // A parser's memory, some times the text's, is kept for the thread's next request.
  constexpr size_t kLargeText = 1 << 20;
  if (size > kLargeText) {
    ondemand::parser once;
    return Parse(once, text, read);
  }
  static thread_local ondemand::parser parser;
  return Parse(parser, text, read);
}

absl::Status ReadUnknown(ondemand::value value, int depth) {
  if (depth >= kMaxDepth) return Invalid("values in values, too deep");
  ondemand::json_type type;
  if (const auto error = value.type().get(type)) return MalformedJson(error);
  simdjson::error_code error = simdjson::SUCCESS;
  switch (type) {
    case ondemand::json_type::object: {
      ondemand::object object;
      if ((error = value.get_object().get(object))) break;
      return ReadMembers(object, [&](absl::string_view, ondemand::value member) {
        return ReadUnknown(member, depth + 1);
      });
    }
    case ondemand::json_type::array: {
      ondemand::array array;
      if ((error = value.get_array().get(array))) break;
      return ReadItems(array,
                       [&](size_t, ondemand::value item) { return ReadUnknown(item, depth + 1); });
    }
    case ondemand::json_type::string:
      error = value.get_string().error();
      break;
    case ondemand::json_type::number:
      error = value.get_double().error();
      break;
    case ondemand::json_type::boolean:
      error = value.get_bool().error();
      break;
    case ondemand::json_type::null: {
      bool is_null = false;
      error = value.is_null().get(is_null);
      if (!error && !is_null) error = simdjson::N_ATOM_ERROR;
      break;
    }
  }
  return error ? MalformedJson(error) : absl::OkStatus();
}

absl::Status ReadText(absl::string_view name, ondemand::value value,
                      std::optional<std::string>& to) {
  std::string_view text;
  if (value.get_string().get(text)) return Invalid(absl::StrCat("'", name, "' is no text"));
  to.emplace(text);
  return absl::OkStatus();
}

absl::StatusOr<ondemand::array> ReadArray(absl::string_view name, ondemand::value value) {
  ondemand::array array;
  if (value.get_array().get(array)) return Invalid(absl::StrCat("'", name, "' is no array"));
  return array;
}

}  // namespace dynacc::protocol
