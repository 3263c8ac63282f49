// Programs for C++: functions that dynacc.export has frozen to a file, run on any thread without
// Python. All of it is inline over program_c.h: link libdynacc_program, and nothing else.
//
//   auto program = dynacc::Program::Load("softmax.dynacc");
//   if (!program.ok()) return Report(program.status().message);
//   std::vector<dynacc::ProgramArray> results(program->output_count());
//   const auto x = dynacc::ProgramArray::Of(data, {rows, 10});
//   dynacc::ProgramStatus status = program->Run({&x, 1}, results);
//   results[0].as<float>()[0];
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "dynacc/program_c.h"

namespace dynacc {
inline namespace v0 {

// How a call ended. The codes are absl::StatusCode's; 0 is success.
struct ProgramStatus {
  dynacc_code code = DYNACC_OK;
  std::string message;
  bool ok() const { return code == DYNACC_OK; }

  // Takes the error over.
  static ProgramStatus From(dynacc_program_error* error) {
    if (error == nullptr) return {};
    ProgramStatus status = {dynacc_program_error_code(error), dynacc_program_error_message(error)};
    dynacc_program_error_free(error);
    return status;
  }
};

// The element type of a C++ type.
template <typename T>
struct ProgramElement;
#define DYNACC_PROGRAM_ELEMENT(type, number)   \
  template <>                                  \
  struct ProgramElement<type> {                \
    static constexpr int32_t kNumber = number; \
  }
DYNACC_PROGRAM_ELEMENT(bool, DYNACC_ELEMENT_BOOL);
DYNACC_PROGRAM_ELEMENT(int8_t, DYNACC_ELEMENT_INT8);
DYNACC_PROGRAM_ELEMENT(uint8_t, DYNACC_ELEMENT_UINT8);
DYNACC_PROGRAM_ELEMENT(int16_t, DYNACC_ELEMENT_INT16);
DYNACC_PROGRAM_ELEMENT(uint16_t, DYNACC_ELEMENT_UINT16);
DYNACC_PROGRAM_ELEMENT(int32_t, DYNACC_ELEMENT_INT32);
DYNACC_PROGRAM_ELEMENT(uint32_t, DYNACC_ELEMENT_UINT32);
DYNACC_PROGRAM_ELEMENT(int64_t, DYNACC_ELEMENT_INT64);
DYNACC_PROGRAM_ELEMENT(uint64_t, DYNACC_ELEMENT_UINT64);
DYNACC_PROGRAM_ELEMENT(float, DYNACC_ELEMENT_FLOAT32);
DYNACC_PROGRAM_ELEMENT(double, DYNACC_ELEMENT_FLOAT64);
#undef DYNACC_PROGRAM_ELEMENT

// An array of the host's, which nothing keeps, or one that a run made, which this frees.
class ProgramArray : private dynacc_program_array {
 public:
  // None: as an output, the run makes it.
  ProgramArray() : dynacc_program_array{} { struct_size = sizeof(dynacc_program_array); }
  ~ProgramArray() { dynacc_program_array_free(this); }
  ProgramArray(ProgramArray&& other) noexcept : dynacc_program_array(other) { other.Forget(); }
  ProgramArray& operator=(ProgramArray&& other) noexcept {
    if (this == &other) return *this;
    dynacc_program_array_free(this);
    static_cast<dynacc_program_array&>(*this) = other;
    other.Forget();
    return *this;
  }

  // The host's memory of that shape, in C order.
  template <typename T>
  static ProgramArray Of(T* data, std::initializer_list<int64_t> shape) {
    return Of(data, std::span<const int64_t>(shape.begin(), shape.size()));
  }
  // At most DYNACC_PROGRAM_MAX_RANK axes; of more the run says that they do not fit.
  template <typename T>
  static ProgramArray Of(T* data, std::span<const int64_t> shape) {
    ProgramArray array;
    array.dynacc_program_array::data = const_cast<std::remove_const_t<T>*>(data);
    array.element = ProgramElement<std::remove_const_t<T>>::kNumber;
    array.dynacc_program_array::rank = static_cast<int32_t>(shape.size());
    int64_t stride = sizeof(T);
    for (size_t i = shape.size() < DYNACC_PROGRAM_MAX_RANK ? shape.size() : 0; i-- > 0;) {
      array.dynacc_program_array::shape[i] = shape[i];
      array.dynacc_program_array::strides[i] = stride;
      stride *= shape[i];
    }
    return array;
  }
  // Any dynacc_program_array: other element types, other strides.
  static ProgramArray Over(const dynacc_program_array& array) {
    ProgramArray over;
    static_cast<dynacc_program_array&>(over) = array;
    over.memory = nullptr;
    return over;
  }

  void* data() const { return dynacc_program_array::data; }
  template <typename T>
  T* as() const {
    return element == ProgramElement<T>::kNumber ? static_cast<T*>(data()) : nullptr;
  }
  int32_t element_type() const { return element; }
  std::span<const int64_t> shape() const {
    return {dynacc_program_array::shape, static_cast<size_t>(rank)};
  }
  std::span<const int64_t> strides() const {
    return {dynacc_program_array::strides, static_cast<size_t>(rank)};
  }

 private:
  friend class Program;
  void Forget() {
    dynacc_program_array::data = nullptr;
    memory = nullptr;
  }
};
static_assert(sizeof(ProgramArray) == sizeof(dynacc_program_array), "runs see arrays of both");

class Program;
template <typename T>
class ProgramResult;  // a value, or why there is none

// What a run is given besides arrays.
struct ProgramRunOptions {
  std::span<const dynacc_program_number> numbers;  // those that the program takes, in their order
  int64_t timeout_nanoseconds = 0;                 // 0: none
  int (*stop)(void* context) = nullptr;            // asked now and then: other than 0 ends the run
  void* context = nullptr;                         // for `stop`
};

// A program; copies share it. Any number of threads may run it at once.
class Program {
 public:
  // `weights`: the safetensors file with the arrays that are outside of the program; "": none are.
  static ProgramResult<Program> Load(const std::string& path, const std::string& weights = "");
  static ProgramResult<Program> LoadBytes(std::span<const char> bytes);

  size_t input_count() const { return dynacc_program_input_count(handle_.get()); }
  size_t output_count() const { return dynacc_program_output_count(handle_.get()); }
  std::string input_name(size_t i) const { return dynacc_program_input_name(handle_.get(), i); }
  std::string output_name(size_t i) const { return dynacc_program_output_name(handle_.get(), i); }
  std::string function() const { return dynacc_program_function(handle_.get()); }
  std::string level() const { return dynacc_program_level(handle_.get()); }

  // As dynacc_program_run. An output that a run has made before is the buffer of the next one, if
  // its shape is the same.
  ProgramStatus Run(std::span<const ProgramArray> inputs, std::span<ProgramArray> outputs,
                    const ProgramRunOptions& options = {}) const {
    const dynacc_program_options all = {sizeof all, options.timeout_nanoseconds, options.stop,
                                        options.context};
    return ProgramStatus::From(dynacc_program_run(handle_.get(), inputs.data(), inputs.size(),
                                                  options.numbers.data(), options.numbers.size(),
                                                  outputs.data(), outputs.size(), &all));
  }

  dynacc_program* handle() const { return handle_.get(); }

 private:
  template <typename T>
  friend class ProgramResult;
  explicit Program(dynacc_program* handle) : handle_(handle, &dynacc_program_free) {}
  std::shared_ptr<dynacc_program> handle_;
};

// A value, or why there is none.
template <typename T>
class ProgramResult {
 public:
  bool ok() const { return status_.ok(); }
  const ProgramStatus& status() const { return status_; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

 private:
  friend class Program;
  ProgramResult(dynacc_program_error* error, dynacc_program* handle)
      : status_(ProgramStatus::From(error)) {
    if (ok()) value_.reset(new T(handle));
  }
  ProgramStatus status_;
  std::shared_ptr<const T> value_;
};

inline ProgramResult<Program> Program::Load(const std::string& path, const std::string& weights) {
  dynacc_program* handle = nullptr;
  dynacc_program_error* const error =
      dynacc_program_load_with_weights(path.c_str(), weights.c_str(), &handle);
  return {error, handle};
}

inline ProgramResult<Program> Program::LoadBytes(std::span<const char> bytes) {
  dynacc_program* handle = nullptr;
  dynacc_program_error* const error =
      dynacc_program_load_bytes(bytes.data(), bytes.size(), &handle);
  return {error, handle};
}

}  // namespace v0
}  // namespace dynacc
