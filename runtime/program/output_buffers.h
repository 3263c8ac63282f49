// The results of a program's run: in buffers of the caller's, or in memory that the run makes.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "boost/container/small_vector.hpp"
#include "runtime/executor/compiled_graph.h"
#include "runtime/executor/run_frame.h"
#include "runtime/program/program.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::program {

// An output: `view` is the caller's buffer, or what the run has made.
struct OutputSlot {
  StridedView view;
  bool is_given = false;
  bool may_replace = false;  // a given one of another type is not used, instead of being an error
  void* memory = nullptr;    // that the run has made, for FreeOutput
};

void FreeOutput(void* memory);

class OutputBuffers : public executor::OutputSink {
 public:
  // `slots`: one for each output; `inputs`: of the run, whose memory a buffer may share. All
  // outlive this. What the run has made is freed unless Finish was called.
  OutputBuffers(const Program& program, absl::Span<const StridedView> inputs,
                absl::Span<OutputSlot> slots)
      : program_(program), inputs_(inputs), slots_(slots), aside_(slots.size()) {}
  ~OutputBuffers() override;

  // INVALID_ARGUMENT if a buffer has another dtype or shape than the output.
  absl::Status Allocate(int index, StridedView& view) override;

  // After a run: brings results that could not be computed in their buffers there.
  void Finish();

 private:
  // A result beside the buffer that it belongs in.
  struct Aside {
    std::unique_ptr<executor::ScratchBlock> block;
    StridedView view;
  };

  absl::Status MakeMemory(OutputSlot& slot, StridedView& view) const;
  absl::Status CheckBuffer(int index, const StridedView& view) const;
  bool MayComputeIn(const StridedView& buffer, const StridedView& view) const;

  const Program& program_;
  absl::Span<const StridedView> inputs_;
  absl::Span<OutputSlot> slots_;
  boost::container::small_vector<Aside, 2> aside_;
  bool finished_ = false;
};

}  // namespace dynacc::program
