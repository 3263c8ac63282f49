// Program: a frozen function, loaded from its file, that any thread may run.
//
// Immutable: a run takes no lock and touches nothing but its arguments, its results and memory of
// its own. It needs neither Python nor a compiler: the kernels' code is in the file, for several
// levels of CPUs, of which the best one that this machine has is loaded. Where the file has none
// for it, the kernels run step by step on loops of ours (runtime/cpu/tiles/tile_kernel.h), which
// gives the same bits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/executor/graph_executor.h"
#include "runtime/program/program_file.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::program {

struct ProgramRun {
  absl::Span<const StridedView> inputs;   // of the caller, in order (Program::inputs)
  absl::Span<const ScalarValue> numbers;  // in order (Signature::numbers)
  executor::OutputSink* sink = nullptr;
  bool (*stop)() = nullptr;  // as RunArguments::stop
  // Gets the values of Program::scalars, where results are numbers; null: nobody asks.
  std::vector<ScalarValue>* values = nullptr;
};

// Bytes that live as long as `owner`.
struct OwnedBytes {
  absl::string_view bytes;
  std::shared_ptr<const void> owner;
};

// A whole file, mapped read-only; nobody may write to it meanwhile. NOT_FOUND and the like if it
// cannot be opened, INVALID_ARGUMENT if it is empty or no regular file.
absl::StatusOr<OwnedBytes> MapFile(const std::string& path);

struct LoadOptions {
  // A file of the format safetensors with the arrays that are outside of the program; empty: none.
  OwnedBytes weights = {};
  // To look at it only: without its weights it is loaded all the same, and cannot be run.
  bool may_lack_weights = false;
};

class Program {
 public:
  // Maps the file for as long as the program lives, and so the file of weights, if one is named.
  // MapFile's errors, else FromBytes', with the path.
  static absl::StatusOr<std::shared_ptr<const Program>> Load(const std::string& path,
                                                             const std::string& weights = "");

  // Of a file's bytes. ReadProgram's errors; INVALID_ARGUMENT, naming the array, if the weights
  // lack one, or have it with another dtype, shape or content, and if there are none and they are
  // needed.
  static absl::StatusOr<std::shared_ptr<const Program>> FromBytes(OwnedBytes file,
                                                                  const LoadOptions& options = {});

  const ProgramContents& contents() const { return contents_; }
  const Signature& signature() const { return contents_.signature; }
  // The caller's arrays: rows of signature().inputs.
  const std::vector<int>& inputs() const { return arguments_; }
  const ScalarProgram& scalars() const { return executor_->scalars(); }
  // The level whose code was loaded; empty: the kernels run on loops of ours.
  const std::string& level() const { return level_; }
  absl::string_view bytes() const { return file_.bytes; }  // of the file
  size_t size() const { return file_.bytes.size(); }

  // The size that an axis always has, by itself or by a guard; nothing if it varies.
  std::optional<int64_t> FixedSize(ScalarId size) const;
  // "f64[s0, 3]": what the program takes or gives there.
  std::string TypeText(DType dtype, absl::Span<const ScalarId> shape) const;
  // "f32[4, 3]": of an array that is outside.
  std::string WeightType(const WeightSpec& weight) const;
  // "s0 is x's axis 0", for each size that an input tells.
  std::vector<std::string> SizeTexts() const;

  // Runs it. INVALID_ARGUMENT, naming the input, if a guard refuses: another number of arrays or
  // numbers, dtype, rank, size or relation of sizes, elements that lie at odd addresses.
  // OUT_OF_RANGE, naming the function, and the input where that is known, for arrays with values
  // that the function raises for: an index beyond the array, a singular matrix. Otherwise
  // CompiledGraph::Run's errors. Floating-point errors are not reported.
  absl::Status Run(const ProgramRun& run) const;

 private:
  // Of a run that ended so.
  absl::Status Explain(const absl::Status& ended) const;

  // Where an input of the scalar program comes from: a size of an input, or (input < 0) the number
  // of the caller.
  struct Binding {
    int input = -1;
    int axis = 0;
    int number = 0;
  };

  Program() = default;
  absl::Status Start(const LoadOptions& options);
  absl::Status AddWeights(const LoadOptions& options);
  absl::string_view Aligned(absl::string_view elements, DType dtype);
  absl::Status Bind();
  absl::Status CheckSpecs() const;
  absl::Status CheckKind(const InputSpec& spec, const StridedView& given) const;
  absl::Status CheckSizes(const InputSpec& spec, const StridedView& given,
                          absl::Span<const ScalarValue> values) const;
  absl::Status Refuse(const InputSpec& spec, const StridedView& given, absl::string_view why) const;

  OwnedBytes file_;
  std::shared_ptr<const void> weights_owner_;
  std::vector<std::unique_ptr<char[]>> copies_;  // of weights whose elements lie at odd addresses
  bool lacks_weights_ = false;
  ProgramContents contents_;
  std::string level_;
  std::unique_ptr<const executor::GraphExecutor> executor_;
  std::vector<int> arguments_;
  std::vector<StridedView> fixed_;  // one for each input; those of constants are filled in
  std::vector<Binding> bindings_;   // one for each input of the scalar program
};

}  // namespace dynacc::program
