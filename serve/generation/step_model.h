// StepModel: a Program that takes one step of some sequences, and what is kept of their tokens.
//
// The Program's inputs and outputs are, b sequences and t new tokens of each:
//
//   tokens   INT64 [b, t]     the new tokens
//   lengths  INT64 [b]        how many tokens of each sequence came before
//   NAME     [b, c, ...]      what is kept of those, of any type, for any number of names; of a
//                             sequence's c rows only the first `lengths` mean something
//   logits   FP32 [b, n]      an output: of the token behind each sequence's last one
//   NAME     [b, t, ...]      an output: what is to be kept of the new tokens
//
// So keys and values of a transformer stay here between steps, and no step copies them: sequences
// have slots of one array for each name, and a run gets a view of the slots that it is for.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "serve/model/model.h"
#include "serve/model/settings.h"

namespace dynacc::generation {

class StepModel {
 public:
  // INVALID_ARGUMENT if the model is none of these; RESOURCE_EXHAUSTED if there is no memory. Runs
  // it for all slots and for a whole prompt, to see that it takes both.
  static absl::StatusOr<std::unique_ptr<StepModel>> Make(std::shared_ptr<const model::Model> model,
                                                         const model::GenerationSettings& settings);

  int64_t vocabulary() const { return vocabulary_; }

  // Runs the sequences in the slots from `first` on, as many as there are `lengths`. `tokens` are
  // as many of each sequence. What is to be kept of them is put behind what is there. The result is
  // the output `logits`. Other slots stay as they are, and so do these if it fails.
  absl::StatusOr<protocol::Tensor> Run(int64_t first, absl::Span<const int64_t> lengths,
                                       absl::Span<const int64_t> tokens,
                                       model::Clock::time_point deadline);

  // What was kept in slot `from`, instead of what was in slot `to`.
  void Move(int64_t from, int64_t to);
  // Forgets a sequence: zeros are kept, so that nothing of it gets into another one.
  void Clear(int64_t slot);

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  // One NAME.
  struct Kept {
    int input = 0;  // its place among the model's
    int output = 0;
    protocol::DataType type;
    std::vector<int64_t> rest;           // the shape of a row
    size_t row = 0;                      // bytes
    std::unique_ptr<char, Free> memory;  // [slots, max_length, ...]
  };

  StepModel(std::shared_ptr<const model::Model> model, const model::GenerationSettings& settings)
      : model_(std::move(model)), settings_(settings), used_(settings.slots, 0) {}

  absl::Status FindArrays();
  absl::Status AddKept(int input);
  absl::Status Allocate();
  absl::Status Try();
  char* RowOf(const Kept& kept, int64_t slot, int64_t place) const;
  absl::Status Keep(const std::vector<protocol::Tensor>& outputs, int64_t first,
                    absl::Span<const int64_t> lengths, int64_t count);

  const std::shared_ptr<const model::Model> model_;
  const model::GenerationSettings settings_;
  int tokens_ = -1;  // places among the inputs
  int lengths_ = -1;
  int logits_ = -1;  // among the outputs
  int64_t vocabulary_ = 0;
  std::vector<Kept> kept_;
  std::vector<int64_t> used_;  // rows of each slot that may be other than zeros
};

}  // namespace dynacc::generation
