// CompiledKernel: a kernel ready to run on n elements of strided memory.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace dynacc {

class CompiledKernel {
 public:
  virtual ~CompiledKernel() = default;

  // pointers[k], strides[k] (bytes): operand k's first element, inputs then outputs. Outputs do not
  // overlap inputs, except exactly (same pointer and stride). Raises hardware floating-point flags
  // like the operations that it does. Thread-safe; needs no GIL; never fails.
  virtual void Run(char* const* pointers, const int64_t* strides, int64_t n) const = 0;

  // The same, where the results are too large to be found in the cache by who reads them next: they
  // go past it where the kernel can do that. Ends with stores that other threads see only after a
  // fence (RowsStep has one).
  virtual void Stream(char* const* pointers, const int64_t* strides, int64_t n) const {
    Run(pointers, strides, n);
  }

  // The emitted source, or the steps as text if nothing was emitted.
  virtual const std::string& source() const = 0;

  // Its machine code where it lies in this process; empty if it has none of its own.
  virtual absl::Span<const char> code() const { return {}; }

  // The object file that the code was loaded from, kept only if DYNACC_DEBUG_DIR is set.
  virtual absl::string_view object() const { return {}; }
};

}  // namespace dynacc
