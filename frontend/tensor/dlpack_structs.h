// The structs of DLPack 1.3 (https://dmlc.github.io/dlpack/latest/c_api.html), an ABI between array
// libraries. Field for field as that page has them; names are ours.
#pragma once

#include <cstdint>

namespace dynacc::tensor::dlpack {

inline constexpr uint32_t kMajor = 1;
inline constexpr uint32_t kMinor = 3;

enum DeviceType : int32_t { kCpu = 1, kCuda = 2 };
enum TypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E4M3FN = 10,
  kFloat8E5M2 = 12,
};
enum Flag : uint64_t { kReadOnly = 1, kIsCopied = 2 };

struct Version {
  uint32_t major;
  uint32_t minor;
};

struct Device {
  DeviceType type;
  int32_t id;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: C order
  uint64_t byte_offset;
};

// Before version 1.
struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor* self);
};

struct ManagedTensorVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedTensorVersioned* self);
  uint64_t flags;
  Tensor tensor;
};

struct ExchangeApiHeader {
  Version version;
  ExchangeApiHeader* previous;
};

struct ExchangeApi {
  ExchangeApiHeader header;
  int (*allocate)(Tensor* prototype, ManagedTensorVersioned** out, void* error_context,
                  void (*set_error)(void* error_context, const char* kind, const char* message));
  int (*from_object)(void* object, ManagedTensorVersioned** out);
  int (*to_object)(ManagedTensorVersioned* tensor, void** out_object);
  int (*describe_object)(void* object, Tensor* out);
  int (*current_stream)(DeviceType type, int32_t id, void** out_stream);
};

}  // namespace dynacc::tensor::dlpack
