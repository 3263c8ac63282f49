// dynacc_value of dynacc.h.
#include <cstddef>
#include <cstring>

#include "embed/host/c/handles.h"
#include "embed/host/host_buffer.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

constexpr const char* kKindNames[] = {"None",     "a bool", "an int", "a float",  "a string",
                                      "an array", "a list", "a dict", "an object"};

absl::Status OtherKind(const dynacc_value* value, dynacc_kind wanted) {
  return absl::InvalidArgumentError(absl::StrCat(
      "the value is ", kKindNames[dynacc_value_kind(value)], ", not ", kKindNames[wanted]));
}

// The T inside `value`; INVALID_ARGUMENT if it is of another kind than `wanted`.
template <typename T>
absl::StatusOr<const T*> As(const dynacc_value* value, dynacc_kind wanted) {
  DYNACC_RETURN_IF_ERROR(Check(value));
  if (!value->held.Is<T>()) return OtherKind(value, wanted);
  return &value->held.As<T>();
}

template <typename T, typename Result>
dynacc_status* Read(const dynacc_value* value, dynacc_kind wanted, Result* result) {
  const absl::StatusOr<const T*> held = As<T>(value, wanted);
  if (!held.ok()) return NewStatus(held.status());
  if (const absl::Status status = CheckThere(result, "result"); !status.ok()) {
    return NewStatus(status);
  }
  *result = **held;
  return nullptr;
}

absl::Status GetInt(const dynacc_value* value, int64_t* result) {
  DYNACC_RETURN_IF_ERROR(Check(value));
  DYNACC_RETURN_IF_ERROR(CheckThere(result, "result"));
  if (value->held.Is<uint64_t>()) {
    return absl::OutOfRangeError(
        absl::StrCat(value->held.As<uint64_t>(), " is no int64_t: see dynacc_value_get_uint"));
  }
  DYNACC_ASSIGN_OR_RETURN(const int64_t* held, As<int64_t>(value, DYNACC_INT));
  *result = *held;
  return absl::OkStatus();
}

absl::Status GetUint(const dynacc_value* value, uint64_t* result) {
  DYNACC_RETURN_IF_ERROR(Check(value));
  DYNACC_RETURN_IF_ERROR(CheckThere(result, "result"));
  if (const auto* held = value->held.GetIf<uint64_t>()) {
    *result = *held;
    return absl::OkStatus();
  }
  DYNACC_ASSIGN_OR_RETURN(const int64_t* held, As<int64_t>(value, DYNACC_INT));
  if (*held < 0) return absl::OutOfRangeError(absl::StrCat(*held, " is negative"));
  *result = static_cast<uint64_t>(*held);
  return absl::OkStatus();
}

absl::StatusOr<const TensorView*> ViewOf(const dynacc_value* value) {
  DYNACC_RETURN_IF_ERROR(Check(value));
  if (value->held.Is<TensorView>()) return &value->held.As<TensorView>();
  if (value->held.Is<Tensor>()) return &value->held.tensor().view();
  return OtherKind(value, DYNACC_ARRAY);
}

// Of dynacc_array as its first version had it.
constexpr size_t kFirstArraySize = offsetof(dynacc_array, device);

absl::StatusOr<Value> ArrayValue(const dynacc_array* array, void (*release)(void*), void* context) {
  DYNACC_ASSIGN_OR_RETURN(TensorView view, dynacc::ViewOf(array));
  if (release == nullptr) return Value(std::move(view));
  return Value(Tensor::Adopt(std::move(view), [release, context] { release(context); }));
}

absl::Status GetArray(const dynacc_value* value, dynacc_array* array) {
  DYNACC_RETURN_IF_ERROR(OfThisVersion(array, kFirstArraySize, "dynacc_array").status());
  DYNACC_ASSIGN_OR_RETURN(const TensorView* view, ViewOf(value));
  const size_t size = array->struct_size;
  if (view->device != 0 && size < sizeof(dynacc_array)) {
    return absl::UnimplementedError("a dynacc_array without `device` cannot describe this array");
  }
  const dynacc_array all = {size,
                            view->data,
                            static_cast<int32_t>(view->type),
                            static_cast<int32_t>(view->shape.size()),
                            view->shape.data(),
                            view->strides.data(),
                            view->writable ? 0 : 1,
                            view->device};
  std::memcpy(array, &all, size);
  return absl::OkStatus();
}

absl::StatusOr<size_t> SizeOf(const dynacc_value* value) {
  DYNACC_RETURN_IF_ERROR(Check(value));
  if (value->held.Is<List>()) return value->held.As<List>().size();
  if (value->held.Is<Dict>()) return value->held.As<Dict>().size();
  return OtherKind(value, DYNACC_LIST);
}

absl::Status CheckIndex(const dynacc_value* value, size_t index) {
  DYNACC_ASSIGN_OR_RETURN(const size_t size, SizeOf(value));
  if (index < size) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat("item ", index, " of ", size));
}

absl::StatusOr<Value> ItemOf(const dynacc_value* value, size_t index) {
  DYNACC_RETURN_IF_ERROR(CheckIndex(value, index));
  if (value->held.Is<List>()) return value->held.As<List>()[index];
  return value->held.As<Dict>()[index].second;
}

// The kinds in the order of Value's alternatives, asked one after the other.
dynacc_kind KindOf(const Value& value) {
  if (value.Is<bool>()) return DYNACC_BOOL;
  if (value.Is<int64_t>() || value.Is<uint64_t>()) return DYNACC_INT;
  if (value.Is<double>()) return DYNACC_FLOAT;
  if (value.Is<std::string>()) return DYNACC_STRING;
  if (value.Is<TensorView>() || value.Is<Tensor>()) return DYNACC_ARRAY;
  if (value.Is<List>()) return DYNACC_LIST;
  if (value.Is<Dict>()) return DYNACC_DICT;
  return value.Is<Object>() ? DYNACC_OBJECT : DYNACC_NONE;
}

}  // namespace

absl::StatusOr<TensorView> ViewOf(const dynacc_array* given) {
  DYNACC_ASSIGN_OR_RETURN(const dynacc_array array,
                          OfThisVersion(given, kFirstArraySize, "dynacc_array"));
  if (array.rank < 0 || (array.rank > 0 && array.shape == nullptr)) {
    return absl::InvalidArgumentError("dynacc_array: no shape");
  }
  if (array.device < 0 || array.device > INT32_MAX) {
    return absl::InvalidArgumentError(absl::StrCat("dynacc_array: device ", array.device));
  }
  TensorView view{array.data,           static_cast<ElementType>(array.element), {}, {},
                  array.read_only == 0, static_cast<int>(array.device)};
  view.shape.assign(array.shape, array.shape + array.rank);
  if (array.strides != nullptr) view.strides.assign(array.strides, array.strides + array.rank);
  return CompleteView(std::move(view));
}

}  // namespace dynacc

using dynacc::Give;
using dynacc::NewHandle;
using dynacc::NewStatus;
using dynacc::Value;

dynacc_value* dynacc_value_none(void) { return new dynacc_value; }
dynacc_value* dynacc_value_bool(int32_t value) {
  return NewHandle<dynacc_value>(Value(value != 0));
}
dynacc_value* dynacc_value_int(int64_t value) { return NewHandle<dynacc_value>(Value(value)); }
dynacc_value* dynacc_value_uint(uint64_t value) { return NewHandle<dynacc_value>(Value(value)); }
dynacc_value* dynacc_value_float(double value) { return NewHandle<dynacc_value>(Value(value)); }

dynacc_value* dynacc_value_string(const char* text, size_t length) {
  return NewHandle<dynacc_value>(Value(text == nullptr ? "" : std::string(text, length)));
}

dynacc_value* dynacc_value_copy(const dynacc_value* value) {
  return dynacc::Check(value).ok() ? NewHandle<dynacc_value>(value->held) : nullptr;
}

dynacc_value* dynacc_value_function(const dynacc_function* function) {
  return dynacc::Check(function).ok() ? NewHandle<dynacc_value>(Value(function->held)) : nullptr;
}

dynacc_value* dynacc_value_list(const dynacc_value* const* items, size_t count) {
  if (items == nullptr && count > 0) return nullptr;
  dynacc::List list;
  for (size_t i = 0; i < count; ++i) {
    list.push_back(dynacc::Check(items[i]).ok() ? items[i]->held : Value());
  }
  return NewHandle<dynacc_value>(Value(std::move(list)));
}

dynacc_value* dynacc_value_dict(const char* const* names, const dynacc_value* const* items,
                                size_t count) {
  if (count > 0 && (names == nullptr || items == nullptr)) return nullptr;
  dynacc::Dict dict;
  for (size_t i = 0; i < count; ++i) {
    if (names[i] == nullptr) return nullptr;
    dict.emplace_back(names[i], dynacc::Check(items[i]).ok() ? items[i]->held : Value());
  }
  return NewHandle<dynacc_value>(Value(std::move(dict)));
}

int64_t dynacc_element_size(int32_t element) {
  return dynacc::ElementSize(static_cast<dynacc::ElementType>(element));
}

dynacc_status* dynacc_value_array(const dynacc_array* array, void (*release)(void* context),
                                  void* context, dynacc_value** value) {
  return Give(dynacc::ArrayValue(array, release, context), value);
}

void dynacc_value_free(dynacc_value* value) { dynacc::Free(value); }

dynacc_kind dynacc_value_kind(const dynacc_value* value) {
  return dynacc::Check(value).ok() ? dynacc::KindOf(value->held) : DYNACC_NONE;
}

dynacc_status* dynacc_value_get_bool(const dynacc_value* value, int32_t* result) {
  return dynacc::Read<bool>(value, DYNACC_BOOL, result);
}
dynacc_status* dynacc_value_get_int(const dynacc_value* value, int64_t* result) {
  return NewStatus(dynacc::GetInt(value, result));
}
dynacc_status* dynacc_value_get_uint(const dynacc_value* value, uint64_t* result) {
  return NewStatus(dynacc::GetUint(value, result));
}
dynacc_status* dynacc_value_get_float(const dynacc_value* value, double* result) {
  return dynacc::Read<double>(value, DYNACC_FLOAT, result);
}

dynacc_status* dynacc_value_get_string(const dynacc_value* value, const char** text,
                                       size_t* length) {
  const auto held = dynacc::As<std::string>(value, DYNACC_STRING);
  if (!held.ok()) return NewStatus(held.status());
  if (const absl::Status status = dynacc::CheckThere(text, "text"); !status.ok()) {
    return NewStatus(status);
  }
  *text = (*held)->c_str();
  if (length != nullptr) *length = (*held)->size();
  return nullptr;
}

dynacc_status* dynacc_value_get_array(const dynacc_value* value, dynacc_array* array) {
  return NewStatus(dynacc::GetArray(value, array));
}

dynacc_status* dynacc_value_size(const dynacc_value* value, size_t* count) {
  const absl::StatusOr<size_t> size = dynacc::SizeOf(value);
  absl::Status status = size.status();
  if (status.ok()) status = dynacc::CheckThere(count, "count");
  if (status.ok()) *count = *size;
  return NewStatus(status);
}

dynacc_status* dynacc_value_item(const dynacc_value* value, size_t index, dynacc_value** item) {
  return Give(dynacc::ItemOf(value, index), item);
}

dynacc_status* dynacc_value_key(const dynacc_value* value, size_t index, const char** key) {
  absl::Status status = dynacc::CheckIndex(value, index);
  if (status.ok() && !value->held.Is<dynacc::Dict>())
    status = dynacc::OtherKind(value, DYNACC_DICT);
  if (status.ok()) status = dynacc::CheckThere(key, "key");
  if (status.ok()) *key = value->held.As<dynacc::Dict>()[index].first.c_str();
  return NewStatus(status);
}
