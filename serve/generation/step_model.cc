#include "serve/generation/step_model.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace dynacc::generation {
namespace {

using model::TensorSpec;
using protocol::DataType;
using protocol::Tensor;

int Find(const std::vector<TensorSpec>& specs, absl::string_view name) {
  const auto found = std::find_if(specs.begin(), specs.end(),
                                  [&](const TensorSpec& spec) { return spec.name == name; });
  return found == specs.end() ? -1 : static_cast<int>(found - specs.begin());
}

// An array whose first `any` axes have any size, of `rank` axes in all if that is said.
absl::Status Check(const std::vector<TensorSpec>& specs, absl::string_view name, int place,
                   DataType type, size_t any, size_t rank) {
  if (place < 0) return absl::InvalidArgumentError(absl::StrCat("it has no '", name, "'"));
  const TensorSpec& spec = specs[place];
  bool fits = spec.type == type && spec.shape.size() == rank;
  for (size_t axis = 0; fits && axis < rank; ++axis) {
    fits = (spec.shape[axis] < 0) == (axis < any);
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'", name, "' is not ", protocol::DataTypeName(type), " of ", rank,
                   " axes, the first ", any, " of any size and no others"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<StepModel>> StepModel::Make(
    std::shared_ptr<const model::Model> model, const model::GenerationSettings& settings) {
  std::unique_ptr<StepModel> made(new StepModel(std::move(model), settings));
  DYNACC_RETURN_IF_ERROR(made->FindArrays());
  DYNACC_RETURN_IF_ERROR(made->Allocate());
  DYNACC_RETURN_IF_ERROR(made->Try());
  return made;
}

absl::Status StepModel::FindArrays() {
  const model::Signature& signature = model_->signature();
  tokens_ = Find(signature.inputs, "tokens");
  lengths_ = Find(signature.inputs, "lengths");
  logits_ = Find(signature.outputs, "logits");
  DYNACC_RETURN_IF_ERROR(
      Check(signature.inputs, "tokens", tokens_, DataType::kInt64, /*any=*/2, /*rank=*/2));
  DYNACC_RETURN_IF_ERROR(
      Check(signature.inputs, "lengths", lengths_, DataType::kInt64, /*any=*/1, /*rank=*/1));
  DYNACC_RETURN_IF_ERROR(
      Check(signature.outputs, "logits", logits_, DataType::kFp32, /*any=*/1, /*rank=*/2));
  vocabulary_ = signature.outputs[logits_].shape[1];
  for (int input = 0; input < static_cast<int>(signature.inputs.size()); ++input) {
    if (input != tokens_ && input != lengths_) DYNACC_RETURN_IF_ERROR(AddKept(input));
  }
  return absl::OkStatus();
}

absl::Status StepModel::AddKept(int input) {
  const model::Signature& signature = model_->signature();
  const TensorSpec& spec = signature.inputs[input];
  Kept kept;
  kept.input = input;
  kept.output = Find(signature.outputs, spec.name);
  kept.type = spec.type;
  if (spec.shape.size() < 2) {
    return absl::InvalidArgumentError(absl::StrCat("input '", spec.name, "' has under two axes"));
  }
  for (const auto& [specs, place] :
       {std::pair(&signature.inputs, input), std::pair(&signature.outputs, kept.output)}) {
    DYNACC_RETURN_IF_ERROR(
        Check(*specs, spec.name, place, spec.type, /*any=*/2, spec.shape.size()));
  }
  kept.rest.assign(spec.shape.begin() + 2, spec.shape.end());
  const std::vector<int64_t>& outputs_shape = signature.outputs[kept.output].shape;
  if (!std::equal(kept.rest.begin(), kept.rest.end(), outputs_shape.begin() + 2)) {
    return absl::InvalidArgumentError(
        absl::StrCat("input and output '", spec.name, "' have rows of different shapes"));
  }
  DYNACC_ASSIGN_OR_RETURN(kept.row, protocol::ByteSize(kept.type, kept.rest));
  kept_.push_back(std::move(kept));
  return absl::OkStatus();
}

absl::Status StepModel::Allocate() {
  for (Kept& kept : kept_) {
    std::vector<int64_t> shape = {settings_.slots, settings_.max_length};
    shape.insert(shape.end(), kept.rest.begin(), kept.rest.end());
    DYNACC_ASSIGN_OR_RETURN(const size_t size, protocol::ByteSize(kept.type, shape));
    kept.memory.reset(static_cast<char*>(std::calloc(std::max<size_t>(size, 1), 1)));
    if (!kept.memory) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "no memory for ", size, " bytes of '", model_->signature().inputs[kept.input].name, "'"));
    }
  }
  return absl::OkStatus();
}

absl::Status StepModel::Try() {
  const int64_t prompt = std::min(settings_.prefill, settings_.max_length - 1);
  const std::vector<int64_t> none = {0};
  const std::vector<int64_t> full(settings_.slots, settings_.max_length - 1);
  const std::vector<int64_t> tokens(std::max(prompt, settings_.slots), 0);
  const auto run = [&](const std::vector<int64_t>& lengths, int64_t count) {
    return Run(0, lengths, absl::MakeConstSpan(tokens).first(count), model::kNever).status();
  };
  DYNACC_RETURN_IF_ERROR(run(none, prompt), "a prompt of as many tokens as 'prefill' says");
  DYNACC_RETURN_IF_ERROR(run(none, 1), "one token of one sequence");
  DYNACC_RETURN_IF_ERROR(run(full, settings_.slots), "a token of each slot's longest sequence");
  for (int64_t slot = 0; slot < settings_.slots; ++slot) Clear(slot);
  return absl::OkStatus();
}

char* StepModel::RowOf(const Kept& kept, int64_t slot, int64_t place) const {
  return kept.memory.get() + (slot * settings_.max_length + place) * kept.row;
}

absl::StatusOr<Tensor> StepModel::Run(int64_t first, absl::Span<const int64_t> lengths,
                                      absl::Span<const int64_t> tokens,
                                      model::Clock::time_point deadline) {
  constexpr int64_t kWord = sizeof(int64_t);
  const auto rows = static_cast<int64_t>(lengths.size());
  const auto count = static_cast<int64_t>(tokens.size()) / rows;
  // At least one row, so that Programs need not do with none; it has no meaning then.
  const int64_t context = std::max<int64_t>(1, *std::max_element(lengths.begin(), lengths.end()));
  const int64_t tokens_shape[] = {rows, count}, tokens_strides[] = {count * kWord, kWord};
  const int64_t lengths_shape[] = {rows}, lengths_strides[] = {kWord};
  std::vector<model::StridedInput> inputs(kept_.size() + 2);
  inputs[tokens_] = {DataType::kInt64, tokens.data(), tokens_shape, tokens_strides};
  inputs[lengths_] = {DataType::kInt64, lengths.data(), lengths_shape, lengths_strides};
  std::vector<std::vector<int64_t>> sizes;  // shapes and strides by turns
  for (const Kept& kept : kept_) {
    std::vector<int64_t> shape = {rows, context};
    shape.insert(shape.end(), kept.rest.begin(), kept.rest.end());
    std::vector<int64_t> strides(shape.size());
    auto stride = static_cast<int64_t>(protocol::ElementSize(kept.type));
    for (size_t axis = shape.size(); axis-- > 1;) {
      strides[axis] = stride;
      stride *= std::max<int64_t>(axis > 1 ? shape[axis] : 1, 1);
    }
    strides[0] = static_cast<int64_t>(kept.row) * settings_.max_length;
    sizes.push_back(std::move(shape));
    sizes.push_back(std::move(strides));
  }
  for (size_t i = 0; i < kept_.size(); ++i) {
    inputs[kept_[i].input] = {kept_[i].type, RowOf(kept_[i], first, 0), sizes[2 * i],
                              sizes[2 * i + 1]};
  }
  DYNACC_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, model_->RunStrided(inputs, deadline));
  const int64_t logits_shape[] = {rows, vocabulary_};
  if (absl::MakeConstSpan(outputs[logits_].shape) != absl::MakeConstSpan(logits_shape)) {
    return absl::InternalError("the model gave logits of another shape");
  }
  DYNACC_RETURN_IF_ERROR(Keep(outputs, first, lengths, count));
  return std::move(outputs[logits_]);
}

absl::Status StepModel::Keep(const std::vector<Tensor>& outputs, int64_t first,
                             absl::Span<const int64_t> lengths, int64_t count) {
  const auto rows = static_cast<int64_t>(lengths.size());
  for (const Kept& kept : kept_) {  // all are looked at before any is kept
    std::vector<int64_t> shape = {rows, count};
    shape.insert(shape.end(), kept.rest.begin(), kept.rest.end());
    if (outputs[kept.output].shape != shape) {
      return absl::InternalError(
          absl::StrCat("the model gave '", outputs[kept.output].name, "' of another shape"));
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (const Kept& kept : kept_) {
      const size_t size = kept.row * count;
      if (size == 0) continue;
      std::memcpy(RowOf(kept, first + i, lengths[i]), outputs[kept.output].bytes.data() + i * size,
                  size);
    }
    used_[first + i] = std::max(used_[first + i], lengths[i] + count);
  }
  return absl::OkStatus();
}

void StepModel::Move(int64_t from, int64_t to) {
  for (const Kept& kept : kept_) {
    std::memcpy(RowOf(kept, to, 0), RowOf(kept, from, 0), kept.row * used_[from]);
    if (used_[to] > used_[from]) {
      std::memset(RowOf(kept, to, used_[from]), 0, kept.row * (used_[to] - used_[from]));
    }
  }
  used_[to] = used_[from];
}

void StepModel::Clear(int64_t slot) {
  for (const Kept& kept : kept_) std::memset(RowOf(kept, slot, 0), 0, kept.row * used_[slot]);
  used_[slot] = 0;
}

}  // namespace dynacc::generation
