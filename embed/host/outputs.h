// Outputs: memory of the host's that takes the results of a call (Function::CallInto).
#pragma once

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "boost/container/small_vector.hpp"
#include "embed/include/dynacc/tensor.h"
#include "embed/include/dynacc/value.h"
#include "frontend/cache/host_result.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc {

class Outputs {
 public:
  // INVALID_ARGUMENT for one that cannot take a result, named by its position, from 1.
  absl::Status Set(absl::Span<const TensorView> given);
  absl::Span<const StridedView> views() const { return {views_.data(), views_.size()}; }

  // INVALID_ARGUMENT if there is not an output for each of `count` results.
  absl::Status CheckCount(size_t count) const;
  // Copies result `index` there, unless it is there already. INVALID_ARGUMENT if it does not fit.
  absl::Status Put(size_t index, const cache::HostResult& result) const;
  // All of what a function returned.
  absl::Status Put(const Value& returned) const;

 private:
  absl::Status PutArray(size_t index, const StridedView& from) const;
  template <typename Number>
  absl::Status PutNumber(size_t index, Number number) const;
  absl::Status PutValue(size_t index, const Value& value) const;
  absl::Status Misfit(size_t index, absl::string_view given) const;

  boost::container::small_vector<StridedView, 2> views_;
};

}  // namespace dynacc
