// Polyfills for arrays, so that guards can be tested without an array library: bytearrays.
//
//   b'A' dtype contiguous size size ...   an array (contiguous 2: and read-only)
//   b'S' dtype class                      an array scalar
#pragma once

#include "absl/strings/str_cat.h"
#include "frontend/guards/array_checks.h"

namespace dynacc::guards {

inline const unsigned char* FakeBytes(BorrowedRef value, char tag) {
  if (!PyByteArray_CheckExact(value) || PyByteArray_GET_SIZE(value) < 3) return nullptr;
  const char* bytes = PyByteArray_AS_STRING(value);
  return bytes[0] == tag ? reinterpret_cast<const unsigned char*>(bytes) : nullptr;
}

inline constexpr ArrayChecks kFakeArrayChecks = {
    .check_array =
        [](BorrowedRef value, DType dtype, int rank) {
          const unsigned char* bytes = FakeBytes(value, 'A');
          return bytes != nullptr && bytes[1] == static_cast<int>(dtype) &&
                 PyByteArray_GET_SIZE(value) == 3 + rank;
        },
    .check_tensor =
        [](BorrowedRef value, DType dtype, int rank) {
          const unsigned char* bytes = FakeBytes(value, 'T');
          return bytes != nullptr && bytes[1] == static_cast<int>(dtype) &&
                 PyByteArray_GET_SIZE(value) == 3 + rank;
        },
    .check_scalar =
        [](BorrowedRef value, DType dtype) {
          const unsigned char* bytes = FakeBytes(value, 'S');
          return bytes != nullptr && bytes[1] == static_cast<int>(dtype);
        },
    .read_array =
        [](BorrowedRef value, ReadSet& reads) {
          ReadType(value, reads);
          if (!PyByteArray_CheckExact(value)) return true;
          auto* const bytes = reinterpret_cast<PyByteArrayObject*>(value);
          reads.Add(&bytes->ob_base.ob_size);
          reads.Add(&bytes->ob_start);
          reads.Add(PyByteArray_AS_STRING(value), PyByteArray_GET_SIZE(value));
          return true;
        },
    .dim = [](BorrowedRef value, int axis) -> int64_t {
      const unsigned char* bytes = FakeBytes(value, 'A');
      return bytes != nullptr && axis < PyByteArray_GET_SIZE(value) - 3 ? bytes[3 + axis] : -1;
    },
    .is_contiguous =
        [](BorrowedRef value) {
          const unsigned char* bytes = FakeBytes(value, 'A');
          return bytes != nullptr && bytes[2] != 0;
        },
    .is_writable =
        [](BorrowedRef value) {
          const unsigned char* bytes = FakeBytes(value, 'A');
          return bytes != nullptr && bytes[2] != 2;
        },
    .scalar_class = [](BorrowedRef value) -> int {
      const unsigned char* bytes = FakeBytes(value, 'S');
      return bytes != nullptr ? bytes[2] : -1;
    },
    .error_state = [] { return 7; },
    .device_of = [](BorrowedRef) { return 0; },
    .describe = [](BorrowedRef value) -> std::string {
      if (const unsigned char* bytes = FakeBytes(value, 'A')) {
        return absl::StrCat(kDTypeInfo[bytes[1]].text, " array of rank ",
                            PyByteArray_GET_SIZE(value) - 3);
      }
      const unsigned char* bytes = FakeBytes(value, 'S');
      return bytes == nullptr ? "" : absl::StrCat("numpy scalar ", kDTypeInfo[bytes[1]].text);
    },
};

}  // namespace dynacc::guards
