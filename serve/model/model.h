// Model: something that takes named arrays and gives named arrays.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "serve/protocol/tensor.h"

namespace dynacc::model {

using Clock = std::chrono::steady_clock;
constexpr Clock::time_point kNever = Clock::time_point::max();

struct TensorSpec {
  std::string name;
  protocol::DataType type;
  std::vector<int64_t> shape;  // -1: any size
};

struct Signature {
  std::string platform;  // "dynacc_program", "dynacc_python"
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
};

// An input in the caller's memory, perhaps a part of a larger array.
struct StridedInput {
  protocol::DataType type;
  const void* data;
  absl::Span<const int64_t> shape;
  absl::Span<const int64_t> strides;  // in bytes
};

class Model {
 public:
  explicit Model(Signature signature) : signature_(std::move(signature)) {}
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const Signature& signature() const { return signature_; }

  // Inputs and outputs are those of the signature, in its order. From any thread, several at once.
  // INVALID_ARGUMENT if the inputs are not what the model takes, DEADLINE_EXCEEDED some
  // milliseconds after `deadline`.
  virtual absl::StatusOr<std::vector<protocol::Tensor>> Run(
      absl::Span<const protocol::Tensor> inputs, Clock::time_point deadline) const = 0;

  // The same for inputs of any strides. UNIMPLEMENTED if the model takes none such.
  virtual absl::StatusOr<std::vector<protocol::Tensor>> RunStrided(
      absl::Span<const StridedInput> inputs, Clock::time_point deadline) const;

 private:
  const Signature signature_;
};

// Puts a request's inputs into the signature's order. INVALID_ARGUMENT names one that is missing,
// unknown, there twice, of another datatype, or of a shape that does not fit.
absl::Status MatchInputs(const Signature& signature, std::vector<protocol::Tensor>& inputs);

}  // namespace dynacc::model
