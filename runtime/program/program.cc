#include "runtime/program/program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "boost/container/small_vector.hpp"
#include "runtime/base/file_descriptor.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/call_steps.h"
#include "runtime/program/kernel_loader.h"
#include "runtime/program/plan_archive.h"
#include "runtime/program/safetensors.h"

namespace dynacc::program {
namespace {

// Where an array of the program's own lies. Nothing writes to it: no input is one that is written.
StridedView ViewOf(const ConstantSpec& constant) {
  StridedView view;
  view.data = const_cast<char*>(constant.bytes.data());
  view.dtype = constant.dtype;
  view.rank = static_cast<int>(constant.shape.size());
  std::copy(constant.shape.begin(), constant.shape.end(), view.shape);
  SetContiguousStrides(view);
  return view;
}

std::string TypeOf(DType dtype, absl::Span<const int64_t> shape) {
  return absl::StrCat(Info(dtype).text, "[", absl::StrJoin(shape, ", "), "]");
}

bool IsAligned(const StridedView& view) {
  const auto alignment = static_cast<uint64_t>(Info(view.dtype).alignment);
  uint64_t odd = reinterpret_cast<uintptr_t>(view.data) % alignment;
  for (int i = 0; i < view.rank; ++i) {
    if (view.shape[i] > 1) odd |= static_cast<uint64_t>(view.strides[i]) % alignment;
  }
  return odd == 0 || view.size() == 0;
}

}  // namespace

absl::StatusOr<OwnedBytes> MapFile(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info;
  if (!file.is_open() || fstat(file.get(), &info) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  }
  if (!S_ISREG(info.st_mode) || info.st_size == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": an empty file, or none, is no program and has no weights"));
  }
  const auto size = static_cast<size_t>(info.st_size);
  void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) return absl::ErrnoToStatus(errno, absl::StrCat("cannot map ", path));
  return OwnedBytes{{static_cast<const char*>(data), size},
                    std::shared_ptr<const void>(data, [size](void* p) { munmap(p, size); })};
}

absl::StatusOr<std::shared_ptr<const Program>> Program::Load(const std::string& path,
                                                             const std::string& weights) {
  DYNACC_ASSIGN_OR_RETURN(OwnedBytes file, MapFile(path));
  LoadOptions options;
  if (!weights.empty()) {
    DYNACC_ASSIGN_OR_RETURN(options.weights, MapFile(weights));
  }
  auto program = FromBytes(std::move(file), options);
  if (!program.ok()) return Annotate(program.status(), path);
  return program;
}

absl::StatusOr<std::shared_ptr<const Program>> Program::FromBytes(OwnedBytes file,
                                                                  const LoadOptions& options) {
  const std::shared_ptr<Program> program(new Program);
  program->file_ = std::move(file);
  DYNACC_RETURN_IF_ERROR(program->Start(options));
  return program;
}

absl::Status Program::Start(const LoadOptions& options) {
  DYNACC_ASSIGN_OR_RETURN(contents_, ReadProgram(bytes()));
  DYNACC_ASSIGN_OR_RETURN(LoadedKernels loaded, LoadKernels(contents_));
  level_ = std::move(loaded.level);
  DYNACC_ASSIGN_OR_RETURN(executor_, LoadPlan(contents_.plan, loaded.kernels,
                                              static_cast<int>(signature().inputs.size()),
                                              static_cast<int>(signature().outputs.size())));
  // What was needed to get here is in the executor now.
  contents_.plan = {};
  for (CodeSet& set : contents_.code) set.objects.clear();
  DYNACC_RETURN_IF_ERROR(CheckSpecs());
  DYNACC_RETURN_IF_ERROR(AddWeights(options));
  return Bind();
}

absl::Status Program::AddWeights(const LoadOptions& options) {
  if (contents_.weights.empty()) {
    return options.weights.owner == nullptr
               ? absl::OkStatus()
               : absl::InvalidArgumentError("it has all of its arrays: it takes no weights");
  }
  if (options.weights.owner == nullptr) {
    lacks_weights_ = true;
    if (options.may_lack_weights) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "its weights are outside of it, '", contents_.weights[0].name, "' the first of ",
        contents_.weights.size(), ": name the safetensors file that has them"));
  }
  weights_owner_ = options.weights.owner;
  DYNACC_ASSIGN_OR_RETURN(const std::vector<NamedArray> arrays,
                          ReadSafeTensors(options.weights.bytes), "weights");
  for (const WeightSpec& weight : contents_.weights) {
    ConstantSpec& constant = contents_.constants[weight.constant];
    const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const NamedArray& array) {
      return array.name == weight.name;
    });
    if (found == arrays.end()) {
      return absl::InvalidArgumentError(absl::StrCat("weights: there is no '", weight.name, "'"));
    }
    if (found->dtype != constant.dtype || found->shape != constant.shape) {
      return absl::InvalidArgumentError(
          absl::StrCat("weights: '", weight.name, "' is ", TypeOf(found->dtype, found->shape),
                       "; the program takes ", TypeOf(constant.dtype, constant.shape)));
    }
    if (weight.hash && *weight.hash != cache::HashParts({found->bytes})) {
      return absl::InvalidArgumentError(
          absl::StrCat("weights: '", weight.name,
                       "' has other elements than those that the program was made for"));
    }
    constant.bytes = Aligned(found->bytes, constant.dtype);
  }
  return absl::OkStatus();
}

// The elements where they are, or a copy of them at an address that fits.
absl::string_view Program::Aligned(absl::string_view elements, DType dtype) {
  if (reinterpret_cast<uintptr_t>(elements.data()) % Info(dtype).alignment == 0) return elements;
  char* const copy = copies_.emplace_back(std::make_unique<char[]>(elements.size())).get();
  std::memcpy(copy, elements.data(), elements.size());
  return {copy, elements.size()};
}

absl::Status Program::CheckSpecs() const {
  const auto are_ids = [this](const std::vector<ScalarId>& ids) {
    return std::all_of(ids.begin(), ids.end(),
                       [this](ScalarId id) { return id >= 0 && id < scalars().size(); });
  };
  bool fits = are_ids(signature().conditions);
  for (const InputSpec& input : signature().inputs) {
    fits = fits && are_ids(input.shape) && input.shape.size() <= kMaxRank &&
           input.constant < static_cast<int>(contents_.constants.size());
    if (!fits || input.constant < 0) continue;
    const ConstantSpec& constant = contents_.constants[input.constant];
    fits = constant.dtype == input.dtype && constant.shape.size() == input.shape.size();
  }
  for (const OutputSpec& output : signature().outputs) fits = fits && are_ids(output.shape);
  for (const executor::BufferPlan& buffer : executor_->buffers()) {
    if (!fits || buffer.kind != executor::BufferKind::kInput) continue;
    const InputSpec& input = signature().inputs[buffer.index];
    fits = input.dtype == buffer.dtype && static_cast<int>(input.shape.size()) == buffer.shape.rank;
  }
  return fits ? absl::OkStatus()
              : absl::InvalidArgumentError("the signature does not fit the plan");
}

absl::Status Program::Bind() {
  const std::vector<InputSpec>& inputs = signature().inputs;
  bindings_.resize(scalars().num_inputs());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const InputSpec& input = inputs[i];
    StridedView& fixed = fixed_.emplace_back();
    if (input.constant < 0) {
      arguments_.push_back(static_cast<int>(i));
    } else {
      fixed = ViewOf(contents_.constants[input.constant]);
    }
    for (size_t axis = 0; axis < input.shape.size(); ++axis) {
      const ScalarExpr& expr = scalars().expr(input.shape[axis]);
      if (expr.op != ScalarOp::kInput || bindings_[expr.value.i].input >= 0) continue;
      bindings_[expr.value.i].input = static_cast<int>(i);
      bindings_[expr.value.i].axis = static_cast<int>(axis);
    }
  }
  int numbers = 0;
  for (Binding& binding : bindings_) {
    if (binding.input < 0) binding.number = numbers++;
  }
  return numbers == static_cast<int>(signature().numbers.size())
             ? absl::OkStatus()
             : absl::InvalidArgumentError("the signature has other numbers than the plan");
}

// --- Guards.

std::optional<int64_t> Program::FixedSize(ScalarId size) const {
  int64_t fixed = 0;
  if (scalars().IsIntConst(size, &fixed)) return fixed;
  for (const ScalarId condition : contents_.signature.conditions) {
    const ScalarExpr& expr = scalars().expr(condition);
    if (expr.op == ScalarOp::kEq && expr.a == size && scalars().IsIntConst(expr.b, &fixed)) {
      return fixed;
    }
  }
  return std::nullopt;
}

std::string Program::TypeText(DType dtype, absl::Span<const ScalarId> shape) const {
  const auto add_size = [this](std::string* out, ScalarId id) {
    out->append(scalars().ToString(id));
  };
  return absl::StrCat(Info(dtype).text, "[", absl::StrJoin(shape, ", ", add_size), "]");
}

std::string Program::WeightType(const WeightSpec& weight) const {
  const ConstantSpec& constant = contents_.constants[weight.constant];
  return TypeOf(constant.dtype, constant.shape);
}

std::vector<std::string> Program::SizeTexts() const {
  std::vector<std::string> texts;
  for (ScalarId id = 0; id < scalars().size(); ++id) {
    const ScalarExpr& expr = scalars().expr(id);
    if (expr.op != ScalarOp::kInput) continue;
    const Binding& binding = bindings_[expr.value.i];
    texts.push_back(
        binding.input >= 0
            ? absl::StrCat(scalars().Name(id), " is ", signature().inputs[binding.input].name,
                           "'s axis ", binding.axis)
            : absl::StrCat(scalars().Name(id), " is ", signature().numbers[binding.number].name));
  }
  return texts;
}

absl::Status Program::Refuse(const InputSpec& spec, const StridedView& given,
                             absl::string_view why) const {
  return absl::InvalidArgumentError(
      absl::StrCat("input ", spec.name, " is ",
                   TypeOf(given.dtype, absl::MakeConstSpan(given.shape, given.rank)),
                   "; the program takes ", TypeText(spec.dtype, spec.shape), why));
}

absl::Status Program::CheckKind(const InputSpec& spec, const StridedView& given) const {
  if (given.dtype != spec.dtype || given.rank != static_cast<int>(spec.shape.size())) {
    return Refuse(spec, given, "");
  }
  if (!IsAligned(given)) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", spec.name, " has elements at addresses that are no multiples of ",
                     Info(spec.dtype).alignment));
  }
  return absl::OkStatus();
}

absl::Status Program::CheckSizes(const InputSpec& spec, const StridedView& given,
                                 absl::Span<const ScalarValue> values) const {
  for (int axis = 0; axis < given.rank; ++axis) {
    const int64_t wanted = values[spec.shape[axis]].i;
    if (given.shape[axis] == wanted) continue;
    return Refuse(
        spec, given,
        absl::StrCat(", with ", wanted, " along axis ", axis, SizeTexts().empty() ? "" : ", as ",
                     absl::StrJoin(SizeTexts(), ", ")));
  }
  return absl::OkStatus();
}

// A live run that is aborted is left to Python, which raises what there is to raise.
absl::Status Program::Explain(const absl::Status& ended) const {
  if (!absl::IsAborted(ended)) return ended;
  const auto number = [&](absl::string_view payload) {
    int number = -1;
    const auto said = ended.GetPayload(payload);
    return said && absl::SimpleAtoi(std::string(*said), &number) ? number : -1;
  };
  const int input = number(executor::kInputPayload), step = number(executor::kStepPayload);
  const auto place = std::ranges::find(contents_.places, step, &StepPlace::step);
  return absl::OutOfRangeError(absl::StrCat(
      input >= 0 ? absl::StrCat("input ", signature().inputs[input].name, ": ") : "",
      ended.message(), place == contents_.places.end() ? "" : absl::StrCat(", at ", place->place),
      ", in ", signature().function));
}

absl::Status Program::Run(const ProgramRun& run) const {
  if (lacks_weights_) {
    return absl::FailedPreconditionError("the program was loaded without its weights");
  }
  if (run.inputs.size() != arguments_.size() || run.numbers.size() != signature().numbers.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the program takes ", arguments_.size(), " arrays and ", signature().numbers.size(),
        " numbers, not ", run.inputs.size(), " and ", run.numbers.size()));
  }
  boost::container::small_vector<StridedView, 8> views(fixed_.begin(), fixed_.end());
  for (size_t i = 0; i < arguments_.size(); ++i) {
    DYNACC_RETURN_IF_ERROR(CheckKind(signature().inputs[arguments_[i]], run.inputs[i]));
    views[arguments_[i]] = run.inputs[i];
  }
  boost::container::small_vector<ScalarValue, 16> given(bindings_.size());
  for (size_t i = 0; i < bindings_.size(); ++i) {
    const Binding& binding = bindings_[i];
    if (binding.input >= 0) {
      given[i].i = views[binding.input].shape[binding.axis];
    } else {
      given[i] = run.numbers[binding.number];
    }
  }
  boost::container::small_vector<ScalarValue, 64> values(scalars().size());
  if (!scalars().Evaluate(given, absl::MakeSpan(values.data(), values.size()))) {
    return absl::InvalidArgumentError("an expression of these sizes and numbers has no value");
  }
  for (size_t i = 0; i < views.size(); ++i) {
    DYNACC_RETURN_IF_ERROR(CheckSizes(signature().inputs[i], views[i], values));
  }
  for (const ScalarId condition : signature().conditions) {
    if (scalars().Level(condition) != 0 || values[condition].i != 0) continue;
    return absl::InvalidArgumentError(absl::StrCat("the program requires that ",
                                                   scalars().ToString(condition), ", where ",
                                                   absl::StrJoin(SizeTexts(), ", ")));
  }
  executor::RunArguments arguments;
  arguments.inputs = views;
  arguments.scalars = values;
  arguments.late = absl::MakeSpan(values.data(), values.size());
  arguments.sink = run.sink;
  arguments.stop = run.stop;
  arguments.has_free_orders = true;
  DYNACC_RETURN_IF_ERROR(Explain(executor_->Run(arguments).status()));
  if (run.values != nullptr) run.values->assign(values.begin(), values.end());
  return absl::OkStatus();
}

}  // namespace dynacc::program
