// A kernel and a sink for tests of what runs kernels.
#pragma once

#include <cfenv>
#include <string>
#include <vector>

#include "runtime/executor/compiled_graph.h"
#include "runtime/kernel/compiled_kernel.h"

namespace dynacc::testing {

// Adds two operands, and notes how often and along how many elements it was run.
class AddKernel : public kernel::CompiledKernel {
 public:
  void Run(char* const* pointers, const int64_t* strides, int64_t n) const override {
    ++runs;
    for (int64_t i = 0; i < n; ++i) {
      const auto at = [&](int k) {
        return reinterpret_cast<double*>(pointers[k] + i * strides[k]);
      };
      *at(2) = *at(0) + *at(1);
    }
    if (divides) std::feraiseexcept(FE_DIVBYZERO);
  }
  const std::string& source() const override { return source_; }

  mutable int runs = 0;
  bool divides = false;

 private:
  std::string source_ = "add";
};

class VectorSink : public executor::OutputSink {
 public:
  absl::Status Allocate(int, StridedView& view) override {
    if (is_full) return absl::ResourceExhaustedError("full");
    elements.resize(view.size());
    view.data = reinterpret_cast<char*>(elements.data());
    return absl::OkStatus();
  }
  bool MayWriteBack(uint32_t flags) override {
    asked = true;
    raised = flags;
    return true;
  }

  std::vector<double> elements;
  bool is_full = false;
  bool asked = false;
  uint32_t raised = 0;
};

}  // namespace dynacc::testing
