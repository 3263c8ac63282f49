// DynaCC inside a C++ program: start CPython with array capture, call Python functions on host
// buffers.
//
//   auto runtime = dynacc::Runtime::Start({});
//   auto module = (*runtime)->LoadFile("model.py");
//   auto forward = (*module).Get("forward");
//   std::vector<float> x(64);
//   auto y = forward->Call({dynacc::TensorView::Of(x.data(), {8, 8})});
//   const float* result = static_cast<const float*>(y->tensor().data());
//
// No header of CPython is needed. Every function may be called from any thread of the host: it
// takes the GIL itself and gives it back. Errors carry the text that Python's traceback would have
// printed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define DYNACC_EXPORT __attribute__((visibility("default")))

namespace dynacc {

// Element types, with NumPy's names for them.
enum class ElementType {
  kBool,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat16,
  kFloat32,
  kFloat64,
  kComplex64,
  kComplex128
};

// A buffer of the host, seen by Python as a NumPy array without a copy. The memory must stay valid
// until the call that takes the view returns, and longer if Python code keeps the array.
struct DYNACC_EXPORT TensorView {
  void* data = nullptr;
  ElementType type = ElementType::kFloat64;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // in bytes; empty: contiguous, last axis fastest
  bool writable = true;          // false: Python code that writes to it gets a ValueError

  static TensorView Of(float* data, std::vector<int64_t> shape) {
    return {data, ElementType::kFloat32, std::move(shape), {}, true};
  }
  static TensorView Of(double* data, std::vector<int64_t> shape) {
    return {data, ElementType::kFloat64, std::move(shape), {}, true};
  }
};

// An array that a call returned. Shares ownership of the memory with Python: no copy is made. The
// last copy of a Tensor to go releases it, from any thread. Must not outlive the Runtime.
class DYNACC_EXPORT Tensor {
 public:
  const void* data() const { return view_.data; }
  ElementType type() const { return view_.type; }
  const std::vector<int64_t>& shape() const { return view_.shape; }
  const std::vector<int64_t>& strides() const { return view_.strides; }  // in bytes
  const TensorView& view() const { return view_; }

 private:
  friend class TensorAccess;
  TensorView view_;
  std::shared_ptr<void> owner_;
};

// What functions take and return: None, a truth value, a number, text, an array, or a tuple or
// list.
class DYNACC_EXPORT Value {
 public:
  Value() = default;
  Value(bool value) : value_(value) {}
  Value(int value) : value_(static_cast<int64_t>(value)) {}
  Value(int64_t value) : value_(value) {}
  Value(double value) : value_(value) {}
  Value(const char* value) : value_(std::string(value)) {}
  Value(std::string value) : value_(std::move(value)) {}
  Value(TensorView value) : value_(std::move(value)) {}
  Value(Tensor value) : value_(std::move(value)) {}
  Value(std::vector<Value> value) : value_(std::move(value)) {}

  // Whether the value is a T: bool, int64_t, double, std::string, TensorView, Tensor,
  // std::vector<Value>.
  template <typename T>
  bool Is() const {
    return std::holds_alternative<T>(value_);
  }
  // The T that it is; std::bad_variant_access if it is none.
  template <typename T>
  const T& As() const {
    return std::get<T>(value_);
  }
  const Tensor& tensor() const { return As<Tensor>(); }
  bool IsNone() const { return Is<std::monostate>(); }

 private:
  friend class ValueAccess;
  std::variant<std::monostate, bool, int64_t, double, std::string, TensorView, Tensor,
               std::vector<Value>>
      value_;
};

// A Python callable. Copies refer to the same one. Must not outlive the Runtime.
class DYNACC_EXPORT Function {
 public:
  absl::StatusOr<Value> Call(const std::vector<Value>& arguments) const;

 private:
  friend class Module;
  std::shared_ptr<void> object_;
};

// A Python module, or a file that was run as one. Must not outlive the Runtime.
class DYNACC_EXPORT Module {
 public:
  // The callable of that name. NOT_FOUND without one.
  absl::StatusOr<Function> Get(const std::string& name) const;

 private:
  friend class Runtime;
  std::shared_ptr<void> object_;
};

struct RuntimeOptions {
  std::string policy = "hot";   // which frames are captured, unless DYNACC_POLICY says otherwise
  bool handle_signals = false;  // true: Python installs its handler for SIGINT
  std::vector<std::string> search_paths;  // put before sys.path
};

// The interpreter of this process. There can be one at a time.
class DYNACC_EXPORT Runtime {
 public:
  // FAILED_PRECONDITION if a Runtime is there already or the host started CPython itself.
  static absl::StatusOr<std::unique_ptr<Runtime>> Start(const RuntimeOptions& options);
  // Stops capture and finalises the interpreter. Call on the thread that called Start. NumPy cannot
  // be loaded twice in a process, so no second Runtime can be started afterwards.
  ~Runtime();

  absl::StatusOr<Module> ImportModule(const std::string& name);
  // Runs a file as a module of its own, named after the file.
  absl::StatusOr<Module> LoadFile(const std::string& path);

 private:
  struct State;
  explicit Runtime(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dynacc
