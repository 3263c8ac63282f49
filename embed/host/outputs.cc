#include "embed/host/outputs.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "embed/host/element_types.h"
#include "embed/host/host_buffer.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/copy_step.h"
#include "runtime/tensor/element_types.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc {
namespace {

absl::Status Wrong(size_t index, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("output ", index + 1, " ", what));
}

StridedView ToStrided(const TensorView& given) {
  StridedView view;
  view.data = static_cast<char*>(given.data);
  view.dtype = DTypeOf(given.type);
  view.rank = static_cast<int>(given.shape.size());
  std::copy(given.shape.begin(), given.shape.end(), view.shape);
  if (given.strides.empty()) {
    SetContiguousStrides(view);
  } else {
    std::copy(given.strides.begin(), given.strides.end(), view.strides);
  }
  return view;
}

// "f32[2, 3]", as graphs are printed.
std::string TextOf(const StridedView& view) {
  return absl::StrCat(Info(view.dtype).text, "[",
                      absl::StrJoin(view.shape, view.shape + view.rank, ", "), "]");
}

// Whether a number of Python's of that C++ type is an element of T.
template <typename T, typename Number>
constexpr bool kTakes =
    std::is_same_v<Number, bool>      ? std::is_same_v<T, bool>
    : std::is_same_v<Number, int64_t> ? std::is_integral_v<T> && !std::is_same_v<T, bool>
                                      : std::is_floating_point_v<T>;

// False if the element does not take the number.
template <typename T, typename Number>
bool Store(Number number, char* to) {
  if constexpr (kTakes<T, Number>) {
    if constexpr (std::is_same_v<Number, int64_t>) {
      if (!std::in_range<T>(number)) return false;
    }
    const T element = static_cast<T>(number);
    std::memcpy(to, &element, sizeof(T));
    return true;
  } else {
    return false;
  }
}

template <typename Number>
bool Store(Number number, const StridedView& to) {
  switch (to.dtype) {
#define DYNACC_DTYPE(name, text, type, kind, character) \
  case DType::k##name:                                  \
    return Store<type>(number, to.data);
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
  }
  return false;
}

}  // namespace

absl::Status Outputs::Set(absl::Span<const TensorView> given) {
  views_.clear();
  for (size_t i = 0; i < given.size(); ++i) {
    const TensorView& view = given[i];
    if (const absl::Status status = CheckView(view); !status.ok()) {
      return Annotate(status, absl::StrCat("output ", i + 1));
    }
    if (view.device != 0) return Wrong(i, "is not in the host's memory");
    if (!view.writable) return Wrong(i, "is read-only");
    if (view.shape.size() > kMaxRank) return Wrong(i, absl::StrCat("has over ", kMaxRank, " axes"));
    views_.push_back(ToStrided(view));
    if (MayRepeatElements(views_.back())) return Wrong(i, "has elements that share memory");
  }
  return absl::OkStatus();
}

absl::Status Outputs::CheckCount(size_t count) const {
  if (count == views_.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("there are ", views_.size(), " outputs, and the function gave ", count));
}

absl::Status Outputs::Misfit(size_t index, absl::string_view given) const {
  return Wrong(index,
               absl::StrCat("is ", TextOf(views_[index]), ", and the function gave ", given));
}

absl::Status Outputs::PutArray(size_t index, const StridedView& from) const {
  const StridedView& to = views_[index];
  if (from.dtype != to.dtype || from.rank != to.rank ||
      !std::equal(to.shape, to.shape + to.rank, from.shape)) {
    return Misfit(index, TextOf(from));
  }
  const bool same_place =
      from.data == to.data && std::equal(to.strides, to.strides + to.rank, from.strides);
  if (same_place) return absl::OkStatus();
  if (!MayOverlap(from, to)) {
    executor::CopyElements(from, to);
    return absl::OkStatus();
  }
  // A function may return a view of an argument that shares memory with the output.
  std::string between(from.size() * ItemSize(from.dtype), '\0');
  StridedView apart = from;
  apart.data = between.data();
  SetContiguousStrides(apart);
  executor::CopyElements(from, apart);
  executor::CopyElements(apart, to);
  return absl::OkStatus();
}

template <typename Number>
absl::Status Outputs::PutNumber(size_t index, Number number) const {
  const StridedView& to = views_[index];
  if (to.size() == 1 && Store(number, to)) return absl::OkStatus();
  return Misfit(index, absl::StrCat("the number ", number));
}

absl::Status Outputs::Put(size_t index, const cache::HostResult& result) const {
  if (const auto* array = std::get_if<cache::HostMemory>(&result)) {
    return PutArray(index, array->view);
  }
  if (const auto* number = std::get_if<double>(&result)) return PutNumber(index, *number);
  if (const auto* number = std::get_if<int64_t>(&result)) return PutNumber(index, *number);
  if (const auto* truth = std::get_if<bool>(&result)) return PutNumber(index, *truth);
  return Misfit(index, "neither an array nor a number");
}

absl::Status Outputs::PutValue(size_t index, const Value& value) const {
  if (const auto* tensor = value.GetIf<Tensor>()) {
    if (tensor->device() != 0) return Misfit(index, "an array in a device's memory");
    if (tensor->shape().size() > kMaxRank) return Misfit(index, "an array of more axes");
    return PutArray(index, ToStrided(tensor->view()));
  }
  if (const auto* number = value.GetIf<double>()) return PutNumber(index, *number);
  if (const auto* number = value.GetIf<int64_t>()) return PutNumber(index, *number);
  if (const auto* truth = value.GetIf<bool>()) return PutNumber(index, *truth);
  return Misfit(index, "neither an array nor a number");
}

absl::Status Outputs::Put(const Value& returned) const {
  const auto* list = returned.GetIf<List>();
  DYNACC_RETURN_IF_ERROR(CheckCount(list == nullptr ? 1 : list->size()));
  if (list == nullptr) return PutValue(0, returned);
  for (size_t i = 0; i < list->size(); ++i) DYNACC_RETURN_IF_ERROR(PutValue(i, (*list)[i]));
  return absl::OkStatus();
}

}  // namespace dynacc
