// What a row of guards.def needs: a GuardCheck<kind>, in the file of its family in this folder.
//
//   static bool Check(const Guard& guard, BorrowedRef value);
//   static std::string Explain(const Guard& guard, BorrowedRef value);  // after a failure
//
// Check gets null for an absent value. Both run no Python code and set no exception. A kind without
// its struct fails the build (all_checks.h).
//
// Many kinds compare one 64-bit number of the value (its address, its length, the size of an axis)
// with a number of the guard. Such a kind derives from KeyedCheck and gives
//
//   static bool Key(const Guard& guard, BorrowedRef value, int64_t* key);  // false: it has none
//   static int64_t Wanted(const Guard& guard);
//
// and the guard tree computes the key of a value once for all entries. Where keys of several
// guards on one source differ in meaning, Family tells them apart; Key may use only what Family
// fixes. A number that is the address of the guard's object has a Place: where that address stands
// as long as the object lives (LooseRef::place), or null.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "frontend/guards/guard.h"

namespace dynacc {

template <GuardKind kKind>
struct GuardCheck;

template <typename Kind>
struct KeyedCheck {
  static int64_t Family(const Guard&) { return 0; }
  static PyObject* const* Place(const Guard&) { return nullptr; }
  static bool Check(const Guard& guard, BorrowedRef value) {
    int64_t key;
    return Kind::Key(guard, value, &key) && key == Kind::Wanted(guard);
  }
};

template <typename Kind>
concept Keyed = requires(const Guard& guard, BorrowedRef value, int64_t* key) {
  { Kind::Key(guard, value, key) } -> std::same_as<bool>;
  { Kind::Wanted(guard) } -> std::same_as<int64_t>;
};

// "expected <what>, found <value>".
std::string Expected(const std::string& what, BorrowedRef value);

}  // namespace dynacc
