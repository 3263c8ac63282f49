// JSON objects of requests, read by simdjson in one pass. What has no meaning is read, too, so that
// a body that is no JSON is refused; and so is a name that is there twice, as readers differ in
// which one counts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "runtime/base/status_macros.h"
#include "simdjson.h"

namespace dynacc::protocol {

// The first `size` bytes of `body` as an object, which `read` takes; nothing but spaces may follow.
absl::Status ParseObject(const std::string& body, size_t size,
                         absl::FunctionRef<absl::Status(simdjson::ondemand::object)> read);

// INVALID_ARGUMENT: what the parser met.
absl::Status MalformedJson(simdjson::error_code error);

// Calls `read(name, value)` for each member of an object.
template <typename Read>
absl::Status ReadMembers(simdjson::ondemand::object object, Read read) {
  absl::flat_hash_set<absl::string_view> names;
  for (simdjson::simdjson_result<simdjson::ondemand::field> item : object) {
    simdjson::ondemand::field field;
    std::string_view key;
    if (const auto error = std::move(item).get(field)) return MalformedJson(error);
    if (const auto error = field.unescaped_key().get(key)) return MalformedJson(error);
    const absl::string_view name(key.data(), key.size());
    if (!names.insert(name).second) {
      return absl::InvalidArgumentError(absl::StrCat("'", name, "' twice in an object"));
    }
    DYNACC_RETURN_IF_ERROR(read(name, field.value()));
  }
  return absl::OkStatus();
}

// Calls `read(index, value)` for each item of an array.
template <typename Read>
absl::Status ReadItems(simdjson::ondemand::array array, Read read) {
  size_t index = 0;
  for (simdjson::simdjson_result<simdjson::ondemand::value> item : array) {
    simdjson::ondemand::value value;
    if (const auto error = std::move(item).get(value)) return MalformedJson(error);
    DYNACC_RETURN_IF_ERROR(read(index++, value));
  }
  return absl::OkStatus();
}

// Reads what has no meaning, to some depth.
absl::Status ReadUnknown(simdjson::ondemand::value value, int depth = 0);

// The value of the member `name`, of that type.
absl::Status ReadText(absl::string_view name, simdjson::ondemand::value value,
                      std::optional<std::string>& to);
absl::StatusOr<simdjson::ondemand::array> ReadArray(absl::string_view name,
                                                    simdjson::ondemand::value value);

}  // namespace dynacc::protocol
