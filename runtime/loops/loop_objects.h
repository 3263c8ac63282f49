// Lists of boxed numbers, as loop programs read them: CPython's objects, without its headers.
//
// The front end verifies the layouts (frontend/loops/loop_sources.cc) and gives what is
// needed of the interpreter in a LoopHost. No function here runs Python code, and what may free an
// object frees only plain numbers: so a list that another list or a variable held when the program
// began stays where it is until the program ends.
//
// Functions that return bool say whether they could; if not, Python has to do it.
#pragma once

#include <cstdint>

namespace dynacc::loops {

struct UndoLog;

union LoopSlot {
  int64_t i;
  double f;
};

// What ops on lists need of Python, and the memory of ops on 1-D slices. Types of numbers are
// numbered by the front end (an op's k).
struct LoopHost {
  static constexpr int kMostTypes = 32;
  const void* list_type;
  const void* int_type;
  const void* tuple_type;
  int64_t tuple_items;            // where a tuple's items begin, in bytes
  const void* types[kMostTypes];  // of boxed numbers
  // Reads the object at `place` if it is a number of that very type.
  bool (*unbox)(void* const* place, int type, LoopSlot* value);
  // Puts a new box in its place, unless what is there is more than a plain number.
  bool (*replace)(void** place, int type, const LoopSlot* value);
  bool (*append)(void* list, int type, const LoopSlot* value);
  bool (*pop)(void* list);  // the last item, which the program has read
  // Calls a method without arguments that is written in C, never fails and gives a float.
  bool (*draw)(void* method, double* value);
  void* scratch = nullptr;  // the run's LoopScratch (loop_slices.h)
  UndoLog* undo = nullptr;  // the run's, if the program asks for one
};

}  // namespace dynacc::loops

namespace dynacc::loops::loop_math {

struct BoxHead {
  int64_t references;
  const void* type;
};
struct FloatBox {  // PyFloatObject, and NumPy's PyDoubleScalarObject
  BoxHead head;
  double value;
};
struct IntBox {  // PyLongObject: the least digit comes first
  BoxHead head;
  int64_t size;  // what it means depends on the version of CPython: UnboxInt, UnboxTaggedInt
  uint32_t digits[2];
};
struct TupleBox {  // the beginning of PyTupleObject
  BoxHead head;
  int64_t size;
};
struct ListBox {  // PyListObject
  BoxHead head;
  int64_t size;
  void** items;
};

inline constexpr int kDigitBits = 30;

inline int64_t ListSize(int64_t list) { return reinterpret_cast<const ListBox*>(list)->size; }

// The address of the item of that index; negative ones count from the end.
inline bool ItemPlace(int64_t list, int64_t index, int64_t* place) {
  const auto* box = reinterpret_cast<const ListBox*>(list);
  if (index < 0) index += box->size;
  if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(box->size)) return false;
  *place = reinterpret_cast<int64_t>(box->items + index);
  return true;
}

template <typename Box>
inline Box* BoxAt(int64_t place, const void* type) {
  Box* box = *reinterpret_cast<Box* const*>(place);
  return box->head.type == type ? box : nullptr;
}

inline bool UnboxFloat(int64_t place, const void* type, double* value) {
  const auto* box = BoxAt<FloatBox>(place, type);
  if (box == nullptr) return false;
  *value = box->value;
  return true;
}

inline int64_t Magnitude(const IntBox* box, int64_t count) {
  int64_t magnitude = count > 0 ? box->digits[0] : 0;
  if (count > 1) magnitude += static_cast<int64_t>(box->digits[1]) << kDigitBits;
  return magnitude;
}

// Of up to two digits. The size is their number, with the int's sign, as before CPython 3.12.
inline bool UnboxInt(int64_t place, const void* type, int64_t* value) {
  const auto* box = BoxAt<IntBox>(place, type);
  if (box == nullptr || box->size > 2 || box->size < -2) return false;
  const int64_t magnitude = Magnitude(box, box->size < 0 ? -box->size : box->size);
  *value = box->size < 0 ? -magnitude : magnitude;
  return true;
}

// The same where the size is a tag: the digits' number above three bits, of which the lower two are
// 1 less the sign.
inline bool UnboxTaggedInt(int64_t place, const void* type, int64_t* value) {
  const auto* box = BoxAt<IntBox>(place, type);
  if (box == nullptr || static_cast<uint64_t>(box->size) >> 3 > 2) return false;
  *value = (1 - (box->size & 3)) * Magnitude(box, box->size >> 3);
  return true;
}

inline bool ListAt(int64_t place, const void* type, int64_t* list) {
  const auto* box = BoxAt<ListBox>(place, type);
  *list = reinterpret_cast<int64_t>(box);
  return box != nullptr;
}

// The address of the first item of the tuple at `place`, which must have `size`.
inline bool TupleAt(const LoopHost& host, int64_t place, int64_t size, int64_t* first) {
  auto* box = BoxAt<TupleBox>(place, host.tuple_type);
  if (box == nullptr || box->size != size) return false;
  *first = reinterpret_cast<int64_t>(box) + host.tuple_items;
  return true;
}

// ... of any type, by the front end.
inline bool UnboxOther(const LoopHost& host, int64_t place, int type, int64_t* value) {
  LoopSlot slot;
  if (!host.unbox(reinterpret_cast<void* const*>(place), type, &slot)) return false;
  *value = slot.i;
  return true;
}
inline bool UnboxOther(const LoopHost& host, int64_t place, int type, double* value) {
  LoopSlot slot;
  if (!host.unbox(reinterpret_cast<void* const*>(place), type, &slot)) return false;
  *value = slot.f;
  return true;
}
inline LoopSlot SlotOf(int64_t value) {
  LoopSlot slot;
  slot.i = value;
  return slot;
}
inline LoopSlot SlotOf(double value) {
  LoopSlot slot;
  slot.f = value;
  return slot;
}
template <typename Value>
inline bool Replace(const LoopHost& host, int64_t place, int type, Value value) {
  const LoopSlot slot = SlotOf(value);
  return host.replace(reinterpret_cast<void**>(place), type, &slot);
}
inline bool Draw(const LoopHost& host, int64_t method, double* value) {
  return host.draw(reinterpret_cast<void*>(method), value);
}
inline bool Pop(const LoopHost& host, int64_t list) {
  return host.pop(reinterpret_cast<void*>(list));
}
template <typename Value>
inline bool Append(const LoopHost& host, int64_t list, int type, Value value) {
  const LoopSlot slot = SlotOf(value);
  return host.append(reinterpret_cast<void*>(list), type, &slot);
}

// A float that nothing but its list has is another float from now on.
inline bool ReuseFloat(int64_t place, const void* type, double value) {
  auto* box = BoxAt<FloatBox>(place, type);
  if (box == nullptr || box->head.references != 1) return false;
  box->value = value;
  return true;
}

}  // namespace dynacc::loops::loop_math
