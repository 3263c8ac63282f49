// What products and convolutions have in common: attributes with an epilogue, calls of oneDNN's
// code on memory, and operands brought into another order.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "runtime/cpu/onednn/fused_matmul.h"
#include "runtime/cpu/onednn/library.h"
#include "runtime/cpu/onednn/memory_description.h"

namespace dynacc::cpu {

#ifdef DYNACC_HAS_ONEDNN

// UNAVAILABLE if what `description` describes would be done by plain loops.
absl::Status RequireFastCode(const OneDnn& library, dnnl_primitive_desc_t description);

// What is special about a steps' code, for caches of code.
void AddToKey(absl::Span<const FusedMatmulStep> epilogue, std::vector<int64_t>& key);

// Attributes of a primitive with an epilogue and scratch memory of the caller's.
class Attributes {
 public:
  explicit Attributes(const OneDnn& library) : library_(library) {}
  ~Attributes();
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  // The next step; `array` describes its array, if it has one.
  absl::Status Append(const FusedMatmulStep& step, const MemoryDescription& array);
  // To be called after all steps.
  absl::Status Finish();
  dnnl_primitive_attr_t get() const { return attributes_; }

 private:
  const OneDnn& library_;
  dnnl_post_ops_t steps_ = nullptr;
  dnnl_primitive_attr_t attributes_ = nullptr;
};

// The memory of one call.
class Arguments {
 public:
  explicit Arguments(const OneDnn& library) : library_(library) {}
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  absl::Status Add(int role, const MemoryDescription& what, const char* data);
  // The arrays of an epilogue, which `arrays` describe.
  absl::Status AddSteps(absl::Span<const FusedMatmulStep> epilogue,
                        absl::Span<const MemoryDescription> arrays);
  // On this thread, which must be under OneThread.
  absl::Status Execute(dnnl_primitive_t primitive) const;

 private:
  const OneDnn& library_;
  std::vector<dnnl_exec_arg_t> all_;
};

// The code that copies what `from` describes to where and as `to` describes it.
absl::StatusOr<dnnl_primitive_t> MakeReorder(const OneDnn& library, const MemoryDescription& from,
                                             const MemoryDescription& to);

// Runs it, on this thread, which must be under OneThread.
absl::Status Reorder(const OneDnn& library, dnnl_primitive_t code, const MemoryDescription& from,
                     const char* data, const MemoryDescription& to, char* result);

#endif  // DYNACC_HAS_ONEDNN

}  // namespace dynacc::cpu
