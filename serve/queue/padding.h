// Requests of different sizes in one run: along declared axes inputs are padded to the longest of
// the run, and outputs are cut to each request's own size (docs/serving.md, "Padding").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "serve/model/model.h"
#include "serve/model/settings.h"

namespace dynacc::queue {

using Tensors = std::vector<protocol::Tensor>;

class Padding {
 public:
  // INVALID_ARGUMENT, naming it, for an input or output that the model has not, or that has no size
  // that varies along the axis.
  static absl::StatusOr<Padding> Make(const model::Signature& signature,
                                      const model::Settings& settings);
  Padding() = default;  // none

  // Whether the inputs that are padded together have one size in this request.
  bool Allows(const Tensors& inputs) const;

  // Whether input `i` may have another size along `axis` in another request, `a` here and `b`
  // there.
  bool MayDiffer(size_t i, int axis, int64_t a, int64_t b) const;

  // The requests' inputs, all as long as the longest. RESOURCE_EXHAUSTED if one does not fit.
  absl::StatusOr<std::vector<Tensors>> Pad(absl::Span<const Tensors* const> requests) const;

  // The outputs of a run that were padded, with the sizes of a request's own inputs. INTERNAL if
  // one is not as long as the inputs were.
  absl::Status Cut(const Tensors& inputs, const Tensors& padded, Tensors& outputs) const;

 private:
  // Inputs and outputs by their places in the signature.
  struct Axis {
    int axis = 0;
    std::vector<size_t> inputs, outputs;
    double value = 0;
    int64_t bucket = 0;
  };

  std::vector<Axis> axes_;
};

}  // namespace dynacc::queue
