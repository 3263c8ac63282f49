// The digits of ints, of the running version's layout.
//
//   IntDigits          of 30 bits each, the least first
//   SignedDigitCount   their number, negative for a negative int, 0 for 0
//   IntSizePlace       the word that the number and the sign are read from
//   kIntsHaveTags      that word is a tag, and not the signed number itself
//   kIntSizeOffset, kIntDigitsOffset   where it and the digits lie in an int
#pragma once

#include <Python.h>

#if PY_VERSION_HEX >> 16 == 0x030B
#include "frontend/cpython/v3_11/int_layout.h"
#else
#include "frontend/cpython/v3_13/int_layout.h"
#endif
