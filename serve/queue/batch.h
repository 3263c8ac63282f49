// Several requests as one: inputs joined along the batch axis, outputs split again.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "serve/model/model.h"
#include "serve/queue/padding.h"

namespace dynacc::queue {

// Whether every input and output may have any size along `axis`.
bool CanBatch(const model::Signature& signature, int axis);

// The size of all inputs along `axis`; -1 if they differ, or one has no such axis.
int64_t RowsOf(const Tensors& inputs, int axis);

// Whether two requests for one model can share a run: same shapes but for `axis` and for what is
// padded.
bool CanShare(const Tensors& a, const Tensors& b, int axis, const Padding& padding);

// RESOURCE_EXHAUSTED if the whole does not fit.
absl::StatusOr<Tensors> Join(absl::Span<const Tensors* const> requests, int axis);

// The outputs of each request, whose sizes along `axis` are `rows`; along axis 0 they share the
// whole's memory. INTERNAL if an output has not as many rows as the inputs.
absl::StatusOr<std::vector<Tensors>> Split(const Tensors& outputs, absl::Span<const int64_t> rows,
                                           int axis);

}  // namespace dynacc::queue
