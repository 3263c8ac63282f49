#include "frontend/cache/entry_inputs.h"

#include <cstring>

#include "runtime/tensor/memory_overlap.h"

namespace dynacc::cache {
namespace {

template <typename T>
int64_t Load(const StridedView& view) {
  T value;
  std::memcpy(&value, view.data, sizeof(value));
  return value;
}

// The int of a scalar object, of a dtype that HeldInt takes.
int64_t IntOf(const StridedView& view) {
  switch (view.dtype) {
    case DType::kInt8:
      return Load<int8_t>(view);
    case DType::kInt16:
      return Load<int16_t>(view);
    case DType::kInt32:
      return Load<int32_t>(view);
    case DType::kUInt8:
      return Load<uint8_t>(view);
    case DType::kUInt16:
      return Load<uint16_t>(view);
    case DType::kUInt32:
      return Load<uint32_t>(view);
    default:
      return Load<int64_t>(view);
  }
}

// What the scalar program is told of an array, or of a scalar object.
int64_t NumberOf(const StridedView& view, const Entry::ScalarBinding& binding) {
  if (binding.from == symbolic::ScalarInput::From::kDim) return view.shape[binding.axis];
  return binding.from == symbolic::ScalarInput::From::kStride ? view.strides[binding.axis]
                                                              : IntOf(view);
}

// The numbers and sizes that the scalar program starts from.
void ReadScalars(const Entry& entry, absl::Span<const BorrowedRef> slots,
                 const arrays::ArrayNamespace& arrays,
                 boost::container::small_vector<ScalarValue, 8>& values) {
  values.resize(entry.scalar_bindings.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Entry::ScalarBinding& binding = entry.scalar_bindings[i];
    BorrowedRef object = slots[binding.slot];
    if (binding.from == symbolic::ScalarInput::From::kFloat) {
      values[i].f = PyFloat_AS_DOUBLE(object);
    } else if (binding.from == symbolic::ScalarInput::From::kInt) {
      values[i].i = PyLong_AsLongLong(object);  // the IntFits guard held
    } else {
      StridedView view;
      alignas(16) char storage[16];
      arrays.Read(object, &view, storage);
      values[i].i = NumberOf(view, binding);
    }
  }
}

bool EvaluateScalars(const Entry& entry, absl::Span<const BorrowedRef> slots,
                     const arrays::ArrayNamespace& arrays, EntryInputs& inputs) {
  if (!entry.constant_scalars.empty()) {
    inputs.scalars.assign(entry.constant_scalars.begin(), entry.constant_scalars.end());
    return true;
  }
  const ScalarProgram& program = entry.graph->scalars();
  boost::container::small_vector<ScalarValue, 8> values;
  ReadScalars(entry, slots, arrays, values);
  inputs.scalars.resize(program.size());
  return program.Evaluate({values.data(), values.size()},
                          {inputs.scalars.data(), inputs.scalars.size()});
}

bool ConditionsHold(const Entry& entry, const EntryInputs& inputs) {
  for (const ScalarId condition : entry.conditions) {
    if (inputs.scalars[condition].i == 0) return false;
  }
  return true;
}

bool IdentitiesHold(const Entry& entry, absl::Span<const BorrowedRef> slots) {
  for (const Entry::IdentityCheck& check : entry.identities) {
    const bool same = slots[check.slot_a] == slots[check.slot_b] && slots[check.slot_a] != nullptr;
    if (same != check.same) return false;
  }
  return true;
}

// Whether what the graph writes into shares memory with no other input (storage.h says why).
bool ArraysAreApart(const Entry& entry, const EntryInputs& inputs) {
  for (const int written : entry.written) {
    const StridedView& target = inputs.views[written];
    if (MayRepeatElements(target)) return false;
    for (size_t i = 0; i < inputs.views.size(); ++i) {
      if (static_cast<int>(i) != written && MayOverlap(target, inputs.views[i])) return false;
    }
  }
  return true;
}

}  // namespace

bool EvaluateEntry(const Entry& entry, absl::Span<const BorrowedRef> slots,
                   const arrays::ArrayNamespace& arrays, EntryInputs& inputs) {
  return IdentitiesHold(entry, slots) && EvaluateScalars(entry, slots, arrays, inputs) &&
         ConditionsHold(entry, inputs);
}

bool ReadArrays(const Entry& entry, absl::Span<const BorrowedRef> slots,
                const arrays::ArrayNamespace& arrays, EntryInputs& inputs) {
  inputs.views.resize(entry.array_slots.size());
  inputs.storage.resize(entry.array_slots.size());
  for (size_t i = 0; i < entry.array_slots.size(); ++i) {
    arrays.Read(slots[entry.array_slots[i]], &inputs.views[i], inputs.storage[i].data());
  }
  return ArraysAreApart(entry, inputs);
}

}  // namespace dynacc::cache
