// The part of LoopBuilder that makes arrays: `seen = np.zeros(n, dtype=bool)` in each round of a
// loop around others.
//
// Such an array lies in the run's own memory, and is a view of no axis (kView, `consumed` 0) of a
// LoopArray of kind kMade. Its shape is computed when the program is entered, by what leads to it
// in the code, so that everything that is known of other arrays' axes is known of it. If it turns
// out to be another one where the array is made, NumPy makes it. Arrays of one shape and type are
// one LoopArray: variables that exchange them go on in the same state. Their memory is taken again
// when no value of the program is in it any more.

#include <algorithm>

#include "codegen/loops/loop_flow.h"
#include "frontend/loops/loop_builder.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;
using Kind = LoopValue::Kind;

// Sums and products of more numbers are no sizes of arrays.
constexpr int kMostDepth = 6;
constexpr size_t kMostAxes = 4;

// What NumPy's functions fill arrays with: a number, or what is given.
struct Creator {
  const char* name;
  bool is_like;
  bool is_given;
  int number;
};
constexpr Creator kCreators[] = {
    {"zeros", false, false, 0},    {"empty", false, false, 0},     {"ones", false, false, 1},
    {"full", false, true, 0},      {"zeros_like", true, false, 0}, {"empty_like", true, false, 0},
    {"ones_like", true, false, 1}, {"full_like", true, true, 0},
};

const Creator* CreatorOf(BorrowedRef function) {
  const auto found =
      std::find_if(std::begin(kCreators), std::end(kCreators),
                   [&](const Creator& one) { return LoopBuilder::IsOfNumpy(function, one.name); });
  return found == std::end(kCreators) ? nullptr : found;
}

// The type whose dtype in NumPy is that object.
std::optional<NumberType> ElementOfDType(BorrowedRef dtype) {
  for (int i = static_cast<int>(NumberType::kBool); i < kNumRegisterTypes; ++i) {
    if (DTypeObjectOf(static_cast<NumberType>(i)) == dtype) return static_cast<NumberType>(i);
  }
  return std::nullopt;
}

// The type of the elements that `dtype=` asks for; none for what is no class of numbers, nor the
// dtype of an array of such.
std::optional<NumberType> ElementNamed(const LoopValue& dtype) {
  if (!dtype.is(Kind::kObject)) return std::nullopt;
  if (!PyType_Check(dtype.object)) return ElementOfDType(dtype.object);
  if (dtype.object == reinterpret_cast<PyObject*>(&PyLong_Type)) return NumberType::kInt64;
  if (dtype.object == reinterpret_cast<PyObject*>(&PyFloat_Type)) return NumberType::kFloat64;
  if (dtype.object == reinterpret_cast<PyObject*>(&PyBool_Type)) return NumberType::kBool;
  return NumberOfClass(dtype.object);
}

// The type of an array of the number.
std::optional<NumberType> ElementOfNumber(const LoopValue& number) {
  if (!number.is(Kind::kNumber)) return std::nullopt;
  switch (number.type) {
    case NumberType::kPyBool:
      return NumberType::kBool;
    case NumberType::kPyInt:
      return NumberType::kInt64;
    case NumberType::kPyFloat:
      return NumberType::kFloat64;
    default:
      return number.type;
  }
}

LoopExtent NumberExtent(int64_t number) {
  return {.kind = LoopExtent::Kind::kNumber, .number = number, .parts = {}};
}

}  // namespace

std::optional<LoopExtent> LoopBuilder::ExtentOfDim(int32_t packed) const {
  const LoopArray& array = arrays_[ArrayOf(packed)];
  if (array.kind == LoopArray::Kind::kMade) return array.extents[AxisOf(packed)];
  return LoopExtent{.kind = LoopExtent::Kind::kDim, .number = packed, .parts = {}};
}

// What leads to the int, as far as the program is translated: the register that it has at the
// entry, or arithmetic.
std::optional<LoopExtent> LoopBuilder::ExtentOf(uint16_t reg, int depth) const {
  if (depth > kMostDepth) return std::nullopt;
  if (reg >= kFirstConstant) return NumberExtent(constants_[reg - kFirstConstant].i);
  const auto sets = [&](const LoopOp& op) { return SetsInt(RegistersOf(program_, op), reg); };
  const auto setter = std::find_if(program_.ops.rbegin(), program_.ops.rend(), sets);
  if (setter == program_.ops.rend()) {
    return LoopExtent{.kind = LoopExtent::Kind::kRegister, .number = reg, .parts = {}};
  }
  LoopExtent::Kind kind;
  switch (setter->code) {
    case Code::kMoveInt:
      return ExtentOf(setter->a, depth + 1);
    case Code::kDim:
      return ExtentOfDim(setter->k);
    case Code::kAddInt:
      kind = LoopExtent::Kind::kSum;
      break;
    case Code::kSubInt:
      kind = LoopExtent::Kind::kDifference;
      break;
    case Code::kMulInt:
      kind = LoopExtent::Kind::kProduct;
      break;
    default:
      return std::nullopt;
  }
  const std::optional<LoopExtent> left = ExtentOf(setter->a, depth + 1);
  const std::optional<LoopExtent> right = ExtentOf(setter->b, depth + 1);
  if (!left || !right) return std::nullopt;
  return LoopExtent{.kind = kind, .number = 0, .parts = {*left, *right}};
}

// The slot of arrays of that shape, or -1.
int LoopBuilder::SlotFor(NumberType element, const std::vector<uint16_t>& shape) {
  LoopArray made;
  made.element = element;
  made.rank = static_cast<int>(shape.size());
  made.kind = LoopArray::Kind::kMade;
  made.short_axes = (1U << shape.size()) - 1;
  for (const uint16_t reg : shape) {
    std::optional<LoopExtent> extent = ExtentOf(reg);
    if (!extent) return -1;
    made.extents.push_back(*std::move(extent));
  }
  const auto is_same = [&](const LoopArray& other) {
    return other.kind == made.kind && other.element == element && other.extents == made.extents;
  };
  const auto known = std::find_if(arrays_.begin(), arrays_.end(), is_same);
  if (known != arrays_.end()) return static_cast<int>(known - arrays_.begin());
  arrays_.push_back(std::move(made));
  return static_cast<int>(arrays_.size()) - 1;
}

// The address of an array's, or of part of one's, first element.
uint16_t LoopBuilder::AddressOf(const LoopValue& array) {
  const uint16_t place = array.is(Kind::kView) ? array.reg : IntConstant(0);
  return Emit(Code::kAddress, place, 0, array.slot);
}

void LoopBuilder::AddInUse(const LoopValue& value, int slot, std::vector<uint16_t>* addresses) {
  if (value.slot == slot && value.is(Kind::kView)) addresses->push_back(AddressOf(value));
  if (value.slot == slot && value.is(Kind::kItems)) {
    const auto place = static_cast<uint16_t>(value.reg + 1);
    addresses->push_back(Emit(Code::kAddress, place, 0, slot));
  }
  if (value.slot == slot && value.is(Kind::kRowItems)) {
    addresses->push_back(static_cast<uint16_t>(value.reg + 1));
  }
  if (value.slot == slot && (value.is(Kind::kSlice1d) || value.is(Kind::kWindow))) {
    addresses->push_back(value.reg);
  }
  for (const LoopValue& item : value.items) AddInUse(item, slot, addresses);
}

// Of all arrays of the slot that the instruction, what comes after it, or an exit to a call that it
// is in may look at.
std::vector<uint16_t> LoopBuilder::AddressesInUse(int slot) {
  std::vector<uint16_t> addresses;
  const auto add = [&](const LoopState& state) {
    for (const LoopValue& value : state.variables) AddInUse(value, slot, &addresses);
    for (const LoopValue& value : state.stack) AddInUse(value, slot, &addresses);
  };
  add(before_);
  for (const InlinedCall* call = before_.call.get(); call != nullptr;
       call = call->before.call.get()) {
    add(call->before);
  }
  return addresses;
}

void LoopBuilder::EmitWithOperands(Slice1dCall call, const std::vector<uint16_t>& operands) {
  const uint16_t first = NewRegisters(static_cast<int>(operands.size()));
  for (size_t i = 0; i < operands.size(); ++i) {
    MoveInt(static_cast<uint16_t>(first + i), operands[i]);
  }
  call.operands = static_cast<uint16_t>(operands.size());
  EmitSlice1d(call, {}, first, 0);
}

// `source`: the register of the address of what is copied; or null. `number`: what the array is
// filled with; null: zeros.
bool LoopBuilder::NewArray(NumberType element, const std::vector<uint16_t>& shape,
                           const uint16_t* source, const LoopValue* number) {
  if (loops::IsComplex(element) || shape.empty() || shape.size() > kMostAxes) return false;
  uint16_t stored = 0;
  if (number != nullptr && !Convert(*number, element, &stored)) return false;
  const int slot = SlotFor(element, shape);
  if (slot < 0) return Refuse("an array of a size that is not known before");
  const auto item = static_cast<int64_t>(ItemSize(DTypeOf(element)));
  uint16_t bytes = IntConstant(item);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const uint16_t extent = Emit(Code::kDim, 0, 0, PackAxis(slot, static_cast<int>(axis)));
    Emit(Code::kFitsUnsigned, Emit(Code::kXorInt, extent, shape[axis]));
    bytes = Emit(Code::kMulInt, bytes, extent);
  }
  std::vector<uint16_t> operands = {bytes, source != nullptr ? *source : IntConstant(0)};
  if (source != nullptr) operands.push_back(*source);
  const std::vector<uint16_t> in_use = AddressesInUse(slot);
  operands.insert(operands.end(), in_use.begin(), in_use.end());
  EmitWithOperands({.kind = Slice1dCall::Kind::kNewArray, .other = static_cast<uint16_t>(slot)},
                   operands);
  const uint16_t address = program_.ops.back().d;
  LoopValue made;
  made.kind = Kind::kView;
  made.slot = slot;
  made.reg = Emit(Code::kOffset, address, 0, slot);
  if (number != nullptr) {
    LoopOp& store = Append(StoreCode(element));
    store.a = made.reg;
    store.b = stored;
    store.k = slot;
    EmitWithOperands({.kind = Slice1dCall::Kind::kRepeat, .index = DTypeOf(element)},
                     {address, bytes});
    made.reg = Emit(Code::kMoveInt, made.reg);
  }
  Push(std::move(made));
  return true;
}

// The sizes of what is left of an array's axes.
bool LoopBuilder::ShapeOf(const LoopValue& array, std::vector<uint16_t>* shape) {
  if (!array.is(Kind::kArray) && !array.is(Kind::kView)) return false;
  LoopArray& whole = arrays_[array.slot];
  if (!whole.is_array()) return false;
  for (int axis = array.consumed; axis < whole.rank; ++axis) {
    shape->push_back(Emit(Code::kDim, 0, 0, PackAxis(array.slot, axis)));
  }
  return !shape->empty();
}

bool LoopBuilder::CopyOfArray(const LoopValue& array) {
  std::vector<uint16_t> shape;
  if (!ShapeOf(array, &shape)) return false;
  arrays_[array.slot].has_c_order = true;
  const uint16_t source = AddressOf(array);
  return NewArray(arrays_[array.slot].element, shape, &source, nullptr);
}

// A shape, or another array; what the array is filled with, if the function takes that; a dtype.
bool LoopBuilder::CallNewArray(BorrowedRef function, const std::vector<LoopValue>& args,
                               BorrowedRef keywords) {
  const Creator* const creator = makes_arrays_ ? CreatorOf(function) : nullptr;
  if (creator == nullptr) return false;
  const auto names = static_cast<size_t>(keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords));
  const bool names_dtype =
      names == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, 0), "dtype") == 0;
  const size_t needed = creator->is_given ? 2 : 1;
  const bool has_dtype = args.size() == needed + 1;
  if ((names != 0 && !(names_dtype && has_dtype)) || (!has_dtype && args.size() != needed)) {
    return false;
  }
  std::vector<uint16_t> shape;
  std::optional<NumberType> element =
      creator->is_given ? ElementOfNumber(args[1]) : std::optional(NumberType::kFloat64);
  if (creator->is_like) {
    if (!ShapeOf(args[0], &shape)) return false;
    element = arrays_[args[0].slot].element;
    arrays_[args[0].slot].has_c_order |= shape.size() > 1;
  } else {
    const std::vector<LoopValue> single = {args[0]};
    for (const LoopValue& size : args[0].is(Kind::kTuple) ? args[0].items : single) {
      if (!IsIndex(size)) return false;
      shape.push_back(size.reg);
    }
  }
  if (has_dtype) element = ElementNamed(args.back());
  if (!element) return false;
  const LoopValue one = LoopValue::Number(NumberType::kPyInt, IntConstant(1));
  const LoopValue* const number = creator->is_given      ? &args[1]
                                  : creator->number == 1 ? &one
                                                         : nullptr;
  if (number != nullptr && !number->is(Kind::kNumber)) return false;
  return NewArray(*element, shape, nullptr, number);
}

}  // namespace dynacc::loops
