// The objects of a loop's values, made when its program leaves something to Python.
#pragma once

#include <Python.h>

#include <utility>

#include "boost/container/small_vector.hpp"
#include "frontend/cpython/ref.h"
#include "frontend/loops/loop_closures.h"
#include "frontend/loops/loop_value.h"
#include "runtime/loops/loop_slices.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::loops {

// What a run works on: its registers, and by slots the arrays (LoopArray) and their objects.
struct LoopBinding {
  boost::container::small_vector<Ref, 8> held;  // what the program refers to
  ClosureMap closures;
  boost::container::small_vector<LoopSlot, 64> registers;
  boost::container::small_vector<StridedView, 8> arrays;
  boost::container::small_vector<Ref, 8> array_objects;
  LoopScratch scratch;
  boost::container::small_vector<Ref, 4> instances;  // by their numbers
  // The objects of numbers, views and characters, by their registers: what is in one register is
  // one object.
  struct MadeObject {
    uint16_t reg;
    LoopValue::Kind kind;
    NumberType type;
    Ref object;
  };
  boost::container::small_vector<MadeObject, 4> made;
  // Those of complex numbers, by the registers of both parts.
  struct MadeComplex {
    uint16_t real;
    uint16_t imag;
    NumberType type;
    Ref object;
  };
  boost::container::small_vector<MadeComplex, 2> made_complex;
  // The tuples that variables have had from the start, by LoopValue::slot.
  boost::container::small_vector<std::pair<int, Ref>, 2> tuples;
  // The objects of arrays that the program has made, by their memory.
  boost::container::small_vector<std::pair<const char*, Ref>, 4> made_arrays;
  // The objects of 1-D slices that have been made, by their first register.
  boost::container::small_vector<std::pair<int, Ref>, 4> slices1d;
};

// Empty for kNull and kOpaque; otherwise empty with an exception set if there is no memory.
Ref MakeObject(const LoopValue& value, LoopBinding& binding);

// What the program has stored to a variable in that state; null: the variable is as it was.
const LoopValue* StoredIn(const LoopValue& variable, const LoopBinding& binding);

}  // namespace dynacc::loops
