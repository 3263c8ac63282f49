// Files of the format safetensors: named arrays, which other libraries read and write, too.
//
// A file is the size of its header (8 bytes), the header in JSON, and the elements of all arrays:
//   {"__metadata__": {...}, "w": {"dtype": "F32", "shape": [4, 3], "data_offsets": [0, 48]}}
// https://github.com/huggingface/safetensors has the format's rules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::program {

struct NamedArray {
  std::string name;
  DType dtype = DType::kFloat64;
  std::vector<int64_t> shape;
  absl::string_view bytes;  // in C order
};

// The format's name for the dtype, "F32"; null if it has none, as for complex numbers.
const char* SafeName(DType dtype);

// The file of these arrays, whose dtypes have names and whose names differ: elements begin at
// multiples of 64 bytes.
std::string WriteSafeTensors(const std::vector<NamedArray>& arrays);

// The arrays of a file, views of `bytes`; those of dtypes that are none of ours are left out.
// INVALID_ARGUMENT with the reason: cut off, no JSON, an array outside of the file or of another
// size than its shape says.
absl::StatusOr<std::vector<NamedArray>> ReadSafeTensors(absl::string_view bytes);

}  // namespace dynacc::program
