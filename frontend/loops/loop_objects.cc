#include "frontend/loops/loop_objects.h"

#include <algorithm>
#include <cstring>

#include "frontend/cpython/iterators.h"
#include "frontend/numpy/capi/array_runtime.h"

namespace dynacc::loops {
namespace {

using Kind = LoopValue::Kind;

Ref NewRange(int64_t start, int64_t stop, int64_t step) {
  return Ref::Steal(PyObject_CallFunction(
      reinterpret_cast<PyObject*>(&PyRange_Type), "LLL", static_cast<long long>(start),
      static_cast<long long>(stop), static_cast<long long>(step)));
}

// The object of the array `slot` that has that address in it. Those that the program has made are
// copied once each.
Ref ArrayAt(int slot, const char* address, LoopBinding& binding) {
  if (binding.array_objects[slot]) return Ref::New(binding.array_objects[slot].get());
  const auto pool = static_cast<uint16_t>(slot);
  const char* const memory = binding.scratch.ArrayAt(pool, reinterpret_cast<int64_t>(address));
  for (const auto& [made, object] : binding.made_arrays) {
    if (made == memory) return Ref::New(object.get());
  }
  StridedView view = binding.arrays[slot];
  Ref array = Ref::Steal(numpy::NewNumpyArray(view, /*keeps_memory=*/false));
  if (!array || memory == nullptr) return array;
  std::memcpy(view.data, memory, view.size() * ItemSize(view.dtype));
  binding.made_arrays.emplace_back(memory, Ref::New(array.get()));
  return array;
}

Ref ViewOfArray(int slot, StridedView view, LoopBinding& binding) {
  const Ref array = ArrayAt(slot, view.data, binding);
  if (!array) return {};
  if (!binding.array_objects[slot]) {
    StridedView whole;
    numpy::ReadNumpy(array.get(), &whole, nullptr);
    const char* const memory =
        binding.scratch.ArrayAt(static_cast<uint16_t>(slot), reinterpret_cast<int64_t>(view.data));
    view.data = whole.data + (view.data - memory);
  }
  return Ref::Steal(numpy::NewNumpyView(array.get(), view));
}

Ref MakeView(const LoopValue& value, LoopBinding& binding) {
  const StridedView& whole = binding.arrays[value.slot];
  if (value.consumed == 0) {
    return ArrayAt(value.slot, whole.data + binding.registers[value.reg].i, binding);
  }
  StridedView view;
  view.dtype = whole.dtype;
  view.rank = whole.rank - value.consumed;
  view.data = whole.data + binding.registers[value.reg].i;
  std::copy_n(whole.shape + value.consumed, view.rank, view.shape);
  std::copy_n(whole.strides + value.consumed, view.rank, view.strides);
  return ViewOfArray(value.slot, view, binding);
}

StridedView ViewOf(const LoopSlot* slice1d, NumberType element = NumberType::kFloat64) {
  StridedView view;
  view.dtype = DTypeOf(element);
  view.rank = 1;
  view.data = reinterpret_cast<char*>(slice1d[0].i);
  view.strides[0] = slice1d[1].i;
  view.shape[0] = slice1d[2].i;
  return view;
}

Ref CopyOf(const StridedView& slice1d) {
  StridedView view = slice1d;
  view.strides[0] = sizeof(double);
  Ref array = Ref::Steal(numpy::NewNumpyArray(view, /*keeps_memory=*/false));
  if (array) std::memcpy(view.data, slice1d.data, slice1d.shape[0] * sizeof(double));
  return array;
}

// An array of its own; or a view of one.
Ref MakeOwn(const StridedView& slice1d, bool is_based) {
  Ref array = CopyOf(slice1d);
  if (!array || !is_based) return array;
  StridedView view;
  numpy::ReadNumpy(array.get(), &view, nullptr);
  return Ref::Steal(numpy::NewNumpyView(array.get(), view));
}

// The one object that the 1-D slice in these registers is.
Ref MakeSlice1d(const LoopValue& value, LoopBinding& binding);

// A view of a row of the run's own: of the object that the row is.
Ref MakePart(const LoopValue& value, LoopBinding& binding) {
  LoopValue row = value;
  row.reg = static_cast<uint16_t>(value.owner);
  row.owner = -1;
  const Ref owner = MakeSlice1d(row, binding);
  if (!owner) return {};
  StridedView whole;
  numpy::ReadNumpy(owner.get(), &whole, nullptr);
  StridedView part = ViewOf(&binding.registers[value.reg]);
  part.data = whole.data + (part.data - ViewOf(&binding.registers[row.reg]).data);
  return Ref::Steal(numpy::NewNumpyView(owner.get(), part));
}

Ref MakeSlice1d(const LoopValue& value, LoopBinding& binding) {
  for (const auto& [made, object] : binding.slices1d) {
    if (made == value.reg) return Ref::New(object.get());
  }
  Ref object;
  const StridedView slice1d = ViewOf(&binding.registers[value.reg], value.type);
  if (value.slot >= 0) {
    object = ViewOfArray(value.slot, slice1d, binding);
  } else if (value.owner >= 0) {
    object = MakePart(value, binding);
  } else {
    object = MakeOwn(slice1d, value.is_based);
  }
  if (object) binding.slices1d.emplace_back(value.reg, Ref::New(object.get()));
  return object;
}

Ref MakeWindow(const LoopValue& value, LoopBinding& binding) {
  for (const auto& [made, object] : binding.slices1d) {
    if (made == value.reg) return Ref::New(object.get());
  }
  const LoopSlot* place = &binding.registers[value.reg];
  StridedView view;
  view.dtype = DType::kFloat64;
  view.rank = value.consumed;
  view.data = reinterpret_cast<char*>(place[0].i);
  int64_t size = 1;
  for (int i = 0; i < view.rank; ++i) {
    view.strides[i] = place[1 + 2 * i].i;
    view.shape[i] = place[2 + 2 * i].i;
    size *= view.shape[i];
  }
  Ref object;
  if (value.slot >= 0) {
    object = ViewOfArray(value.slot, view, binding);
  } else {
    const char* computed = view.data;
    object = Ref::Steal(numpy::NewNumpyArray(view, /*keeps_memory=*/false));
    if (object) std::memcpy(view.data, computed, size * sizeof(double));
  }
  if (object) binding.slices1d.emplace_back(value.reg, Ref::New(object.get()));
  return object;
}

Ref MakeSlice(const LoopValue& value, LoopBinding& binding) {
  Ref parts[3];
  for (size_t i = 0; i < value.items.size(); ++i) {
    parts[i] = MakeObject(value.items[i], binding);
    if (!parts[i]) return {};
  }
  return Ref::Steal(PySlice_New(parts[0].get(), parts[1].get(), parts[2].get()));
}

Ref MakeRange(const LoopValue& value, const LoopSlot* registers) {
  return NewRange(registers[value.items[0].reg].i, registers[value.items[1].reg].i,
                  registers[value.items[2].reg].i);
}

Ref MakeRangeIterator(const LoopSlot* rest) {
  const Ref range = NewRange(rest[0].i, rest[0].i + rest[1].i * rest[2].i, rest[1].i);
  return range ? Ref::Steal(PyObject_GetIter(range.get())) : Ref();
}

// The iterator of `sequence`, at that index.
Ref IteratorAt(const Ref& sequence, int64_t index) {
  Ref iterator = sequence ? Ref::Steal(PyObject_GetIter(sequence.get())) : Ref();
  if (iterator) reinterpret_cast<SequenceIterator*>(iterator.get())->index = index;
  return iterator;
}

Ref MakeItems(const LoopValue& value, LoopBinding& binding) {
  LoopValue whole = value;
  whole.reg = static_cast<uint16_t>(value.reg + 1);
  return IteratorAt(MakeView(whole, binding), binding.registers[value.reg].i);
}

Ref MakeRowItems(const LoopValue& value, LoopBinding& binding) {
  const LoopSlot* place = &binding.registers[value.reg];
  return IteratorAt(ViewOfArray(value.slot, ViewOf(place + 1, value.type), binding), place[0].i);
}

Ref MakeTuple(const LoopValue& value, LoopBinding& binding) {
  for (const auto& [slot, tuple] : binding.tuples) {
    if (value.is(LoopValue::Kind::kTuple) && value.slot == slot) return Ref::New(tuple.get());
  }
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(value.items.size())));
  for (size_t i = 0; tuple && i < value.items.size(); ++i) {
    Ref item = MakeObject(value.items[i], binding);
    if (!item) return {};
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item.Release());
  }
  return tuple;
}

Ref MakeDisplay(const LoopValue& value, LoopBinding& binding) {
  const Ref items = MakeTuple(value, binding);
  return items ? Ref::Steal(PySequence_List(items.get())) : Ref();
}

// enumerate(iterator, index) or zip(*iterators).
Ref MakeComposed(const LoopValue& value, LoopBinding& binding) {
  const Ref iterators = MakeTuple(value, binding);
  if (!iterators) return {};
  if (value.is(Kind::kZip)) {
    return Ref::Steal(
        PyObject_CallObject(reinterpret_cast<PyObject*>(&PyZip_Type), iterators.get()));
  }
  return Ref::Steal(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyEnum_Type), "OL",
                                          PyTuple_GET_ITEM(iterators.get(), 0),
                                          static_cast<long long>(binding.registers[value.reg].i)));
}

// The object of a value that is in one register.
Ref NewObject(const LoopValue& value, LoopBinding& binding) {
  const LoopSlot slot = binding.registers[value.reg];
  if (value.is(Kind::kView)) return MakeView(value, binding);
  if (value.is(Kind::kChar)) return Ref::Steal(PyUnicode_FromOrdinal(static_cast<int>(slot.i)));
  return Box(slot, value.type);
}

Ref MakeOnce(const LoopValue& value, LoopBinding& binding) {
  for (const LoopBinding::MadeObject& made : binding.made) {
    if (made.reg == value.reg && made.kind == value.kind && made.type == value.type) {
      return Ref::New(made.object.get());
    }
  }
  Ref object = NewObject(value, binding);
  if (object) {
    binding.made.push_back({value.reg, value.kind, value.type, Ref::New(object.get())});
  }
  return object;
}

// Of the type that the number has now.
Ref MakeEither(const LoopValue& value, LoopBinding& binding) {
  LoopValue number = value.items[0];
  if (binding.registers[value.items[1].reg].i == 0) number.type = PythonTypeOf(number.type);
  return MakeOnce(number, binding);
}

// One object for all that are in the same two registers.
Ref MakeComplex(const LoopValue& value, LoopBinding& binding) {
  const uint16_t real = value.items[0].reg;
  const uint16_t imag = value.items[1].reg;
  for (const LoopBinding::MadeComplex& made : binding.made_complex) {
    if (made.real == real && made.imag == imag && made.type == value.type) {
      return Ref::New(made.object.get());
    }
  }
  Ref object = BoxComplex(binding.registers[real].f, binding.registers[imag].f, value.type);
  if (object) binding.made_complex.push_back({real, imag, value.type, Ref::New(object.get())});
  return object;
}

}  // namespace

Ref MakeObject(const LoopValue& value, LoopBinding& binding) {
  const LoopSlot* registers = binding.registers.data();
  const LoopSlot& slot = registers[value.reg];
  switch (value.kind) {
    case Kind::kNumber:
    case Kind::kChar:
    case Kind::kView:
      return MakeOnce(value, binding);
    case Kind::kArray:
      return Ref::New(binding.array_objects[value.slot].get());
    case Kind::kInstance:
      return Ref::New(binding.instances[value.slot].get());
    case Kind::kSlice1d:
      return MakeSlice1d(value, binding);
    case Kind::kWindow:
      return MakeWindow(value, binding);
    case Kind::kDisplay:
      return MakeDisplay(value, binding);
    case Kind::kSlice:
      return MakeSlice(value, binding);
    case Kind::kList:
      return Ref::New(reinterpret_cast<PyObject*>(slot.i));
    case Kind::kObject:
      return Ref::New(binding.closures.Now(value.object));
    case Kind::kRange:
      return MakeRange(value, registers);
    case Kind::kIterator:
      return MakeRangeIterator(&slot);
    case Kind::kItems:
      return MakeItems(value, binding);
    case Kind::kRowItems:
      return MakeRowItems(value, binding);
    case Kind::kListItems:
      return IteratorAt(Ref::New(reinterpret_cast<PyObject*>((&slot)[1].i)), slot.i);
    case Kind::kTupleItems:
      return IteratorAt(MakeTuple(value, binding), value.slot);
    case Kind::kEnumerate:
    case Kind::kZip:
      return MakeComposed(value, binding);
    case Kind::kTuple:
      return MakeTuple(value, binding);
    case Kind::kComplex:
      return MakeComplex(value, binding);
    case Kind::kEither:
      return MakeEither(value, binding);
    case Kind::kPerhaps:
    case Kind::kNull:
    case Kind::kOpaque:
      break;
  }
  return {};
}

const LoopValue* StoredIn(const LoopValue& variable, const LoopBinding& binding) {
  if (variable.is(Kind::kOpaque)) return nullptr;
  if (!variable.is(Kind::kPerhaps)) return &variable;
  return binding.registers[variable.items[1].reg].i != 0 ? &variable.items[0] : nullptr;
}

}  // namespace dynacc::loops
