// The functions of dynacc/program_c.h over runtime/program.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "boost/container/small_vector.hpp"
#include "embed/include/dynacc/program_c.h"
#include "runtime/program/output_buffers.h"
#include "runtime/program/program.h"

struct dynacc_program {
  std::shared_ptr<const dynacc::program::Program> program;
};

struct dynacc_program_error {
  dynacc_code code;
  std::string message;
};

namespace {

using dynacc::DType;
using dynacc::StridedView;
using dynacc::program::OutputSlot;
using dynacc::program::Program;

static_assert(sizeof(dynacc_program_array) == 160);
static_assert(offsetof(dynacc_program_array, shape) == 24);
static_assert(offsetof(dynacc_program_array, strides) == 88);
static_assert(offsetof(dynacc_program_array, memory) == 152);
static_assert(sizeof(dynacc_program_options) == 32);
static_assert(DYNACC_PROGRAM_MAX_RANK == dynacc::kMaxRank);
static_assert(sizeof(dynacc_program_number) == sizeof(dynacc::ScalarValue));

// By the number of a dynacc_element.
constexpr DType kTypes[] = {DType::kBool,         DType::kInt8,       DType::kUInt8,
                            DType::kInt16,        DType::kUInt16,     DType::kInt32,
                            DType::kUInt32,       DType::kInt64,      DType::kUInt64,
                            DType::kFloat16,      DType::kFloat32,    DType::kFloat64,
                            DType::kComplex64,    DType::kComplex128, DType::kBFloat16,
                            DType::kFloat8E4M3FN, DType::kFloat8E5M2};
static_assert(std::size(kTypes) == DYNACC_ELEMENT_FLOAT8E5M2 + 1);

int32_t ElementOf(DType dtype) {
  return static_cast<int32_t>(std::find(std::begin(kTypes), std::end(kTypes), dtype) - kTypes);
}

dynacc_program_error* Error(const absl::Status& status) {
  if (status.ok()) return nullptr;
  return new dynacc_program_error{static_cast<dynacc_code>(status.code()),
                                  std::string(status.message())};
}

dynacc_program_error* Invalid(std::string message) {
  return new dynacc_program_error{DYNACC_INVALID_ARGUMENT, std::move(message)};
}

dynacc_program_error* Take(absl::StatusOr<std::shared_ptr<const Program>> loaded,
                           dynacc_program** program) {
  if (!loaded.ok()) return Error(loaded.status());
  *program = new dynacc_program{*std::move(loaded)};
  return nullptr;
}

// False if it is no array, or one of more bytes than can be counted.
bool ReadArray(const dynacc_program_array& array, StridedView& view) {
  if (array.struct_size < sizeof array || array.element < 0 ||
      array.element >= static_cast<int32_t>(std::size(kTypes)) || array.rank < 0 ||
      array.rank > dynacc::kMaxRank) {
    return false;
  }
  view.data = static_cast<char*>(array.data);
  view.dtype = kTypes[array.element];
  view.rank = array.rank;
  int64_t bytes = dynacc::ItemSize(view.dtype);  // of sizes but 0, as strides are
  for (int i = 0; i < array.rank; ++i) {
    const int64_t size = array.shape[i];
    if (size < 0 || (size != 0 && __builtin_mul_overflow(bytes, size, &bytes))) return false;
    view.shape[i] = size;
    view.strides[i] = array.strides[i];
  }
  return array.data != nullptr || view.size() == 0;
}

void WriteArray(const StridedView& view, dynacc_program_array& array) {
  array.data = view.data;
  array.element = ElementOf(view.dtype);
  array.rank = view.rank;
  std::copy_n(view.shape, view.rank, array.shape);
  std::copy_n(view.strides, view.rank, array.strides);
}

// What a run asks about its end. Executors ask functions without context, on the run's own thread.
class RunLimit {
 public:
  explicit RunLimit(const dynacc_program_options* options) : before_(current) {
    if (options == nullptr || options->struct_size < sizeof(dynacc_program_options)) return;
    stop_ = options->stop;
    context_ = options->context;
    if (options->timeout_nanoseconds > 0) {
      deadline_ = Clock::now() + std::chrono::nanoseconds(options->timeout_nanoseconds);
    }
    if (stop_ != nullptr || deadline_) current = this;
  }
  ~RunLimit() { current = before_; }
  RunLimit(const RunLimit&) = delete;
  RunLimit& operator=(const RunLimit&) = delete;

  // For ProgramRun::stop; null if nobody asks.
  bool (*stop() const)() { return current == this ? &ShallStop : nullptr; }
  bool is_late() const { return is_late_; }

 private:
  using Clock = std::chrono::steady_clock;

  static bool ShallStop() {
    RunLimit& limit = *current;
    limit.is_late_ = limit.deadline_ && Clock::now() >= *limit.deadline_;
    return limit.is_late_ || (limit.stop_ != nullptr && limit.stop_(limit.context_) != 0);
  }

  static thread_local RunLimit* current;
  RunLimit* const before_;
  int (*stop_)(void*) = nullptr;
  void* context_ = nullptr;
  std::optional<Clock::time_point> deadline_;
  bool is_late_ = false;
};
thread_local RunLimit* RunLimit::current = nullptr;

dynacc_program_error* Describe(const Program& program, DType dtype,
                               const std::vector<dynacc::ScalarId>& shape,
                               dynacc_program_array* array) {
  if (array == nullptr || array->struct_size < sizeof *array) return Invalid("no array to fill in");
  array->data = nullptr;
  array->memory = nullptr;
  array->element = ElementOf(dtype);
  array->rank = static_cast<int32_t>(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    array->shape[i] = program.FixedSize(shape[i]).value_or(-1);
  }
  return nullptr;
}

// `body`, which gives an error or null; no exception crosses into C.
template <typename Body>
dynacc_program_error* Guarded(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Error(absl::ResourceExhaustedError("no memory"));
  }
}

using Views = boost::container::small_vector<StridedView, 8>;
using Slots = boost::container::small_vector<OutputSlot, 4>;

dynacc_program_error* ReadInputs(const Program& program, const dynacc_program_array* inputs,
                                 size_t count, Views& views) {
  if (count != program.inputs().size() || (count > 0 && inputs == nullptr)) {
    return Invalid("the program takes " + std::to_string(program.inputs().size()) +
                   " arrays, not " + std::to_string(count));
  }
  views.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (ReadArray(inputs[i], views[i])) continue;
    return Invalid("input " + program.signature().inputs[program.inputs()[i]].name +
                   " is no array: its struct_size, element, rank, shape or data");
  }
  return nullptr;
}

dynacc_program_error* ReadOutputs(const Program& program, const dynacc_program_array* outputs,
                                  size_t count, Slots& slots) {
  const auto& specs = program.signature().outputs;
  if (count != specs.size() || (count > 0 && outputs == nullptr)) {
    return Invalid("the program gives " + std::to_string(specs.size()) + " arrays, not " +
                   std::to_string(count));
  }
  slots.resize(count);
  for (size_t i = 0; i < count; ++i) {
    OutputSlot& slot = slots[i];
    slot.is_given = outputs[i].data != nullptr;
    slot.may_replace = outputs[i].memory != nullptr;
    const bool is_struct = outputs[i].struct_size >= sizeof outputs[i];
    if (is_struct && (!slot.is_given || ReadArray(outputs[i], slot.view))) continue;
    return Invalid("the buffer for output " + specs[i].name +
                   " is no array: its struct_size, element, rank, shape or data");
  }
  return nullptr;
}

dynacc_program_error* Run(const Program& loaded, absl::Span<const dynacc_program_array> inputs,
                          absl::Span<const dynacc_program_number> numbers,
                          absl::Span<dynacc_program_array> outputs,
                          const dynacc_program_options* options) {
  Views views;
  Slots slots;
  if (auto* const error = ReadInputs(loaded, inputs.data(), inputs.size(), views)) return error;
  if (auto* const error = ReadOutputs(loaded, outputs.data(), outputs.size(), slots)) return error;
  const RunLimit limit(options);
  dynacc::program::OutputBuffers sink(loaded, views, absl::MakeSpan(slots.data(), slots.size()));
  const absl::Status status = loaded.Run(
      {.inputs = views,
       .numbers = {reinterpret_cast<const dynacc::ScalarValue*>(numbers.data()), numbers.size()},
       .sink = &sink,
       .stop = limit.stop()});
  if (limit.is_late()) return Error(absl::DeadlineExceededError("the run took too long"));
  if (!status.ok()) return Error(status);
  sink.Finish();
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].memory == nullptr) continue;
    dynacc::program::FreeOutput(outputs[i].memory);
    WriteArray(slots[i].view, outputs[i]);
    outputs[i].memory = slots[i].memory;
  }
  return nullptr;
}

}  // namespace

extern "C" {

const char* dynacc_program_version(void) { return DYNACC_VERSION; }

dynacc_code dynacc_program_error_code(const dynacc_program_error* error) {
  return error == nullptr ? DYNACC_OK : error->code;
}

const char* dynacc_program_error_message(const dynacc_program_error* error) {
  return error == nullptr ? "" : error->message.c_str();
}

void dynacc_program_error_free(dynacc_program_error* error) { delete error; }

dynacc_program_error* dynacc_program_load(const char* path, dynacc_program** program) {
  if (program == nullptr) return Invalid("no place for the program");
  *program = nullptr;
  if (path == nullptr) return Invalid("no path");
  return Guarded([&] { return Take(Program::Load(path), program); });
}

dynacc_program_error* dynacc_program_load_with_weights(const char* path, const char* weights,
                                                       dynacc_program** program) {
  if (program == nullptr) return Invalid("no place for the program");
  *program = nullptr;
  if (path == nullptr || weights == nullptr) return Invalid("no path");
  return Guarded([&] { return Take(Program::Load(path, weights), program); });
}

dynacc_program_error* dynacc_program_load_bytes(const void* bytes, size_t size,
                                                dynacc_program** program) {
  if (program == nullptr) return Invalid("no place for the program");
  *program = nullptr;
  if (bytes == nullptr) return Invalid("no bytes");
  // Constants lie at multiples of 64 bytes of the file.
  constexpr size_t kAlignment = 64;
  void* const copy = std::aligned_alloc(kAlignment, (size + kAlignment) / kAlignment * kAlignment);
  if (copy == nullptr) return Error(absl::ResourceExhaustedError("no memory for the program"));
  std::memcpy(copy, bytes, size);
  return Guarded([&] {
    const std::shared_ptr<const void> owner(copy, &std::free);
    return Take(Program::FromBytes({{static_cast<const char*>(copy), size}, owner}), program);
  });
}

void dynacc_program_free(dynacc_program* program) { delete program; }

const char* dynacc_program_function(const dynacc_program* program) {
  return program == nullptr ? "" : program->program->signature().function.c_str();
}

const char* dynacc_program_level(const dynacc_program* program) {
  return program == nullptr ? "" : program->program->level().c_str();
}

size_t dynacc_program_input_count(const dynacc_program* program) {
  return program == nullptr ? 0 : program->program->inputs().size();
}

size_t dynacc_program_number_count(const dynacc_program* program) {
  return program == nullptr ? 0 : program->program->signature().numbers.size();
}

size_t dynacc_program_output_count(const dynacc_program* program) {
  return program == nullptr ? 0 : program->program->signature().outputs.size();
}

const char* dynacc_program_input_name(const dynacc_program* program, size_t index) {
  if (index >= dynacc_program_input_count(program)) return "";
  const Program& loaded = *program->program;
  return loaded.signature().inputs[loaded.inputs()[index]].name.c_str();
}

const char* dynacc_program_number_name(const dynacc_program* program, size_t index) {
  if (index >= dynacc_program_number_count(program)) return "";
  return program->program->signature().numbers[index].name.c_str();
}

const char* dynacc_program_output_name(const dynacc_program* program, size_t index) {
  if (index >= dynacc_program_output_count(program)) return "";
  return program->program->signature().outputs[index].name.c_str();
}

dynacc_program_error* dynacc_program_input(const dynacc_program* program, size_t index,
                                           dynacc_program_array* array) {
  if (index >= dynacc_program_input_count(program)) return Invalid("no such input");
  const Program& loaded = *program->program;
  const auto& spec = loaded.signature().inputs[loaded.inputs()[index]];
  return Describe(loaded, spec.dtype, spec.shape, array);
}

dynacc_program_error* dynacc_program_output(const dynacc_program* program, size_t index,
                                            dynacc_program_array* array) {
  if (index >= dynacc_program_output_count(program)) return Invalid("no such output");
  const auto& spec = program->program->signature().outputs[index];
  return Describe(*program->program, spec.dtype, spec.shape, array);
}

dynacc_program_error* dynacc_program_run(const dynacc_program* program,
                                         const dynacc_program_array* inputs, size_t input_count,
                                         const dynacc_program_number* numbers, size_t number_count,
                                         dynacc_program_array* outputs, size_t output_count,
                                         const dynacc_program_options* options) {
  if (program == nullptr) return Invalid("no program");
  if (number_count > 0 && numbers == nullptr) return Invalid("no numbers");
  return Guarded([&] {
    return Run(*program->program, {inputs, input_count}, {numbers, number_count},
               {outputs, output_count}, options);
  });
}

void dynacc_program_array_free(dynacc_program_array* array) {
  if (array == nullptr || array->memory == nullptr) return;
  dynacc::program::FreeOutput(array->memory);
  array->memory = nullptr;
  array->data = nullptr;
}

}  // extern "C"
