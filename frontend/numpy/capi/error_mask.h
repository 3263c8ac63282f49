// NumPy 1's error mask, which says of each floating-point error how it is reported. NumPy 2's
// headers do not have these numbers (UFUNC_ERR_... and UFUNC_SHIFT_... of NumPy 1).
#pragma once

namespace dynacc::numpy {

// What is done of an error.
inline constexpr int kErrIgnore = 0;
inline constexpr int kErrWarn = 1;
inline constexpr int kErrRaise = 2;
inline constexpr int kErrCall = 3;
inline constexpr int kErrPrint = 4;
inline constexpr int kErrLog = 5;

// The place of each error's mode, three bits, in the mask.
inline constexpr int kShiftDivideByZero = 0;
inline constexpr int kShiftOverflow = 3;
inline constexpr int kShiftUnderflow = 6;
inline constexpr int kShiftInvalid = 9;

}  // namespace dynacc::numpy
