#include "serve/model/model.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dynacc::model {
namespace {

using protocol::Tensor;

std::string ShapeText(absl::Span<const int64_t> shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

absl::Status MatchOne(const TensorSpec& spec, const Tensor& input) {
  const auto wrong = [&](auto... text) {
    return absl::InvalidArgumentError(absl::StrCat("input '", spec.name, "' ", text...));
  };
  if (input.type != spec.type) {
    return wrong("has datatype ", protocol::DataTypeName(input.type), "; the model takes ",
                 protocol::DataTypeName(spec.type));
  }
  bool fits = input.shape.size() == spec.shape.size();
  for (size_t i = 0; fits && i < spec.shape.size(); ++i) {
    fits = spec.shape[i] < 0 || spec.shape[i] == input.shape[i];
  }
  if (fits) return absl::OkStatus();
  return wrong("has shape ", ShapeText(input.shape), "; the model takes ", ShapeText(spec.shape),
               " (-1: any size)");
}

}  // namespace

absl::StatusOr<std::vector<Tensor>> Model::RunStrided(absl::Span<const StridedInput>,
                                                      Clock::time_point) const {
  return absl::UnimplementedError("only Programs take arrays of other memory orders");
}

absl::Status MatchInputs(const Signature& signature, std::vector<Tensor>& inputs) {
  std::vector<std::optional<Tensor>> found(signature.inputs.size());
  for (Tensor& input : inputs) {
    size_t place = 0;
    while (place < found.size() && signature.inputs[place].name != input.name) ++place;
    if (place == found.size()) {
      return absl::InvalidArgumentError(absl::StrCat("the model has no input '", input.name, "'"));
    }
    if (found[place]) {
      return absl::InvalidArgumentError(absl::StrCat("input '", input.name, "' is there twice"));
    }
    if (absl::Status fits = MatchOne(signature.inputs[place], input); !fits.ok()) return fits;
    found[place] = std::move(input);
  }
  inputs.clear();
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) {
      return absl::InvalidArgumentError(
          absl::StrCat("input '", signature.inputs[i].name, "' is missing"));
    }
    inputs.push_back(*std::move(found[i]));
  }
  return absl::OkStatus();
}

}  // namespace dynacc::model
