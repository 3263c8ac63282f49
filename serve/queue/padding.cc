#include "serve/queue/padding.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/tensor/element_types.h"

namespace dynacc::queue {
namespace {

using protocol::DataType;
using protocol::Tensor;

template <typename T>
T ElementFrom(double value) {
  if constexpr (std::is_same_v<T, Half>) {
    return ToHalf(value);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return ToBFloat16(value);
  } else {
    return static_cast<T>(value);
  }
}

// `count` elements of that value.
void Fill(DataType type, double value, char* to, size_t count) {
  switch (type) {
#define DYNACC_DATA_TYPE(enumerator, name, element, e, c)          \
  case DataType::enumerator: {                                     \
    const auto filler = ElementFrom<element>(value);               \
    for (size_t i = 0; i < count; ++i)                             \
      std::memcpy(to + i * sizeof filler, &filler, sizeof filler); \
    return;                                                        \
  }
#include "serve/protocol/data_types.def"
#undef DYNACC_DATA_TYPE
  }
}

// Whether the element type has the number itself, or a rounded one.
template <typename T>
bool HoldsIn(double value) {
  if constexpr (std::is_integral_v<T>) {
    return value >= static_cast<double>(std::numeric_limits<T>::min()) &&
           value < static_cast<double>(std::numeric_limits<T>::max()) + 1 &&
           value == std::floor(value);
  }
  return true;
}

bool Holds(DataType type, double value) {
  switch (type) {
#define DYNACC_DATA_TYPE(enumerator, name, element, e, c) \
  case DataType::enumerator:                              \
    return HoldsIn<element>(value);
#include "serve/protocol/data_types.def"
#undef DYNACC_DATA_TYPE
  }
  return false;
}

absl::StatusOr<Tensor> Longer(const Tensor& given, int axis, int64_t size, double value) {
  Tensor longer = {given.name, given.type, given.shape, {}, nullptr};
  longer.shape[axis] = size;
  const auto bytes = protocol::ByteSize(longer.type, longer.shape);
  if (!bytes.ok()) return absl::ResourceExhaustedError(bytes.status().message());
  size_t outer = 1, inner = 1;  // elements
  for (int i = 0; i < static_cast<int>(given.shape.size()); ++i) {
    if (i < axis) outer *= given.shape[i];
    if (i > axis) inner *= given.shape[i];
  }
  const size_t item = protocol::ElementSize(given.type);
  const size_t own = inner * given.shape[axis], more = inner * (size - given.shape[axis]);
  const std::shared_ptr<char[]> made(new char[*bytes]);
  char* to = made.get();
  for (size_t block = 0; block < outer; ++block) {
    std::memcpy(to, given.bytes.data() + block * own * item, own * item);
    Fill(given.type, value, to + own * item, more);
    to += (own + more) * item;
  }
  longer.bytes = {made.get(), *bytes};
  longer.owner = made;
  return longer;
}

// The first `size` elements along the axis.
absl::StatusOr<Tensor> Shorter(const Tensor& given, int axis, int64_t size) {
  std::vector<int64_t> shape = given.shape, strides(given.shape.size());
  auto stride = static_cast<int64_t>(protocol::ElementSize(given.type));
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(shape[i], 1);
  }
  shape[axis] = size;
  return protocol::CopyOf(given.name, given.type, given.bytes.data(), shape, strides);
}

absl::StatusOr<size_t> PlaceOf(const std::string& name, int axis,
                               const std::vector<model::TensorSpec>& specs) {
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name != name) continue;
    if (axis < static_cast<int>(specs[i].shape.size()) && specs[i].shape[axis] < 0) return i;
    return absl::InvalidArgumentError(
        absl::StrCat("padding: '", name, "' has no size that varies along axis ", axis));
  }
  return absl::InvalidArgumentError(absl::StrCat("padding: the model has no '", name, "'"));
}

}  // namespace

absl::StatusOr<Padding> Padding::Make(const model::Signature& signature,
                                      const model::Settings& settings) {
  Padding padding;
  for (const model::PaddedAxis& declared : settings.padding) {
    Axis& axis = padding.axes_.emplace_back();
    axis.axis = declared.axis;
    axis.value = declared.value;
    axis.bucket = declared.bucket;
    if (axis.axis == settings.batch_axis) {
      return absl::InvalidArgumentError("padding: requests are joined along that axis");
    }
    for (const std::string& name : declared.inputs) {
      DYNACC_ASSIGN_OR_RETURN(const size_t place, PlaceOf(name, axis.axis, signature.inputs));
      if (!Holds(signature.inputs[place].type, axis.value)) {
        return absl::InvalidArgumentError(
            absl::StrCat("padding: '", name, "' has no element ", axis.value));
      }
      axis.inputs.push_back(place);
    }
    for (const std::string& name : declared.outputs) {
      DYNACC_ASSIGN_OR_RETURN(const size_t place, PlaceOf(name, axis.axis, signature.outputs));
      axis.outputs.push_back(place);
    }
  }
  return padding;
}

bool Padding::Allows(const Tensors& inputs) const {
  return std::all_of(axes_.begin(), axes_.end(), [&](const Axis& axis) {
    const int64_t size = inputs[axis.inputs[0]].shape[axis.axis];
    return std::all_of(axis.inputs.begin(), axis.inputs.end(),
                       [&](size_t i) { return inputs[i].shape[axis.axis] == size; });
  });
}

bool Padding::MayDiffer(size_t i, int axis, int64_t a, int64_t b) const {
  for (const Axis& padded : axes_) {
    if (padded.axis != axis || std::count(padded.inputs.begin(), padded.inputs.end(), i) == 0) {
      continue;
    }
    const int64_t bucket = padded.bucket;
    return bucket == 0 || (a + bucket - 1) / bucket == (b + bucket - 1) / bucket;
  }
  return false;
}

absl::StatusOr<std::vector<Tensors>> Padding::Pad(absl::Span<const Tensors* const> requests) const {
  std::vector<Tensors> padded;
  for (const Tensors* request : requests) padded.push_back(*request);
  for (const Axis& axis : axes_) {
    for (const size_t i : axis.inputs) {
      int64_t longest = 0;
      for (const Tensors& request : padded) {
        longest = std::max(longest, request[i].shape[axis.axis]);
      }
      for (Tensors& request : padded) {
        if (request[i].shape[axis.axis] == longest) continue;
        DYNACC_ASSIGN_OR_RETURN(request[i], Longer(request[i], axis.axis, longest, axis.value));
      }
    }
  }
  return padded;
}

absl::Status Padding::Cut(const Tensors& inputs, const Tensors& padded, Tensors& outputs) const {
  for (const Axis& axis : axes_) {
    const int64_t size = inputs[axis.inputs[0]].shape[axis.axis];
    const int64_t whole = padded[axis.inputs[0]].shape[axis.axis];
    for (const size_t i : axis.outputs) {
      if (outputs[i].shape[axis.axis] != whole) {
        return absl::InternalError(
            absl::StrCat("output '", outputs[i].name, "' is not as long as the padded inputs"));
      }
      if (size == whole) continue;
      DYNACC_ASSIGN_OR_RETURN(outputs[i], Shorter(outputs[i], axis.axis, size));
    }
  }
  return absl::OkStatus();
}

}  // namespace dynacc::queue
