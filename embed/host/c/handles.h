// What the opaque handles of dynacc.h point to, and how C's calls become C++'s.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "embed/include/dynacc/dynacc.h"
#include "embed/include/dynacc/embed.h"

// Each starts with a number of its type, so that a foreign pointer is noticed.
#define DYNACC_HANDLE(name, number, Type)        \
  struct name {                                  \
    static constexpr uint64_t kNumber = number;  \
    static constexpr const char kName[] = #name; \
    uint64_t check = kNumber;                    \
    Type held;                                   \
  };
DYNACC_HANDLE(dynacc_runtime, 0xd7acc00000000001, std::unique_ptr<dynacc::Runtime>)
DYNACC_HANDLE(dynacc_module, 0xd7acc00000000002, dynacc::Module)
DYNACC_HANDLE(dynacc_function, 0xd7acc00000000003, dynacc::Function)
DYNACC_HANDLE(dynacc_value, 0xd7acc00000000004, dynacc::Value)
DYNACC_HANDLE(dynacc_cancellation, 0xd7acc00000000005, dynacc::Cancellation)
#undef DYNACC_HANDLE

struct dynacc_status {
  absl::Status held;
  std::string message;  // with a zero behind it
  std::optional<dynacc::PythonError> error;
};

namespace dynacc {

// Null for an ok status.
dynacc_status* NewStatus(const absl::Status& status);

// INVALID_ARGUMENT for a null pointer and for one to something else.
template <typename Handle>
absl::Status Check(const Handle* handle) {
  if (handle != nullptr && handle->check == Handle::kNumber) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(handle == nullptr ? "a null " : "what is no ", Handle::kName));
}

inline absl::Status CheckText(const char* text, const char* what) {
  if (text != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": a null text"));
}

// `what` is the name of a parameter behind which there must be something.
inline absl::Status CheckThere(const void* pointer, const char* what) {
  if (pointer != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": a null pointer"));
}

template <typename Handle, typename T>
Handle* NewHandle(T held) {
  auto* handle = new Handle;
  handle->held = std::move(held);
  return handle;
}

// Hands `result` over to C: a new handle in `*out`, or a status.
template <typename Handle, typename T>
dynacc_status* Give(absl::StatusOr<T> result, Handle** out) {
  if (out != nullptr) *out = nullptr;
  if (!result.ok()) return NewStatus(result.status());
  if (out != nullptr) *out = NewHandle<Handle>(*std::move(result));
  return nullptr;
}

// The view that an array describes (value.cc).
absl::StatusOr<TensorView> ViewOf(const dynacc_array* given);

absl::StatusOr<std::vector<std::string>> TextsOf(const char* const* texts, size_t count,
                                                 const char* what);

// Frees a handle; a pointer to something else is left alone.
template <typename Handle>
void Free(Handle* handle) {
  if (!Check(handle).ok()) return;
  handle->check = 0;
  delete handle;
}

// A struct's size says which version of it the caller was compiled with.
template <typename Struct>
absl::Status CheckSize(const Struct* object, const char* name) {
  if (object != nullptr && object->struct_size == sizeof(Struct)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": struct_size is not that of this version, ", sizeof(Struct), " bytes"));
}

// The struct as this version has it. A caller that was compiled with an older one, of at least
// `first_size` bytes, has not set the members that came later: they are zero.
template <typename Struct>
absl::StatusOr<Struct> OfThisVersion(const Struct* object, size_t first_size, const char* name) {
  const size_t size = object == nullptr ? 0 : object->struct_size;
  if (size < first_size || size > sizeof(Struct)) return CheckSize<Struct>(nullptr, name);
  Struct result = {};
  std::memcpy(&result, object, size);
  return result;
}

}  // namespace dynacc
