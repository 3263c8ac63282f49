// The numbers that loops over single elements are about: Python's own and NumPy's scalars.
//
// What an operation on two of them gives (np.int32 + int, np.float32 * float, ...) follows rules
// that differ between versions of NumPy, but depends on the types alone; so it is learnt by doing
// it once with ones, and remembered.
//
// All under the GIL; nothing here leaves an exception set.
#pragma once

#include <Python.h>

#include <optional>
#include <vector>

#include "frontend/cpython/ref.h"
#include "runtime/loops/loop_program.h"

namespace dynacc::loops {

enum class NumberType : uint8_t {
  kPyBool,
  kPyInt,  // of 64 bits
  kPyFloat,
  kBool,  // NumPy's, from here on
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kFloat32,
  kFloat64,
  // These do not fit into a register, but into two: LoopValue::Kind::kComplex.
  kComplex128,
  kPyComplex,
};
inline constexpr int kNumNumberTypes = static_cast<int>(NumberType::kPyComplex) + 1;
inline constexpr int kNumRegisterTypes = static_cast<int>(NumberType::kFloat64) + 1;

inline bool IsComplex(NumberType type) { return type >= NumberType::kComplex128; }
inline bool IsPython(NumberType type) {
  return type < NumberType::kBool || type == NumberType::kPyComplex;
}
inline bool IsBool(NumberType type) {
  return type == NumberType::kPyBool || type == NumberType::kBool;
}
// Whether it is in a register as a double; others are int64_t, bools 0 or 1.
inline bool IsFloat(NumberType type) {
  return type == NumberType::kPyFloat || type == NumberType::kFloat32 ||
         type == NumberType::kFloat64;
}
inline bool IsInt(NumberType type) { return !IsFloat(type) && !IsBool(type) && !IsComplex(type); }

// Python's type for numbers that are bools, ints or floats as those of `type` are.
NumberType PythonTypeOf(NumberType type);

// Type of the elements that arrays of `dtype` give; none for dtypes that loops do not take.
std::optional<NumberType> ElementType(DType dtype);
DType DTypeOf(NumberType type);  // of a NumPy type
// The object that NumPy has for it, which lives for ever; null if there is no memory to ask.
BorrowedRef DTypeObjectOf(NumberType type);

// The exact type of a number that fits into a register.
std::optional<NumberType> TypeOfNumber(BorrowedRef object);
// The type whose numbers are of this class, NumPy's only.
std::optional<NumberType> NumberOfClass(BorrowedRef type);
LoopSlot Unbox(BorrowedRef number, NumberType type);  // of that type
Ref Box(LoopSlot value, NumberType type);             // empty with an exception set: no memory

// The same of complex numbers; none for Python's where it computes in another way with reals
// (complex_rules.h).
std::optional<NumberType> TypeOfComplex(BorrowedRef object);
Ref BoxComplex(double real, double imag, NumberType type);

// What operations give of numbers of these types, complex ones among them; none if they raise or
// give anything else. They are done with ones, which must not warn: so nothing that negates an
// unsigned number may be asked.
std::optional<NumberType> TypeOfBinary(int nb_op, NumberType left, NumberType right);
std::optional<NumberType> TypeOfComparison(NumberType left, NumberType right);
std::optional<NumberType> TypeOfUnary(int opcode, NumberType type);
std::optional<NumberType> TypeOfCall(BorrowedRef function, const std::vector<NumberType>& types);

}  // namespace dynacc::loops
