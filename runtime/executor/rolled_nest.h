// RolledNest: N-d iteration over operands some of which are rolled (numpy.roll) along axes.
//
// A rolled operand is walked evenly but for one place along each axis. The nest is cut there, for
// every operand, into boxes in which all of them are walked evenly: plain LoopNests.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "runtime/executor/loop_nest.h"

namespace dynacc::executor {

class RolledNest {
 public:
  // Axes in C numbering.
  RolledNest(int rank, const int64_t* shape);

  // Adds an operand whose element at index i of the nest is at (i - shift) mod size along each
  // axis; shifts from 0 to the size.
  void AddOperand(char* data, const int64_t* strides, const int64_t* shifts);

  // Calls run once for each box, none of them empty; together they cover the nest once.
  void ForEachBox(absl::FunctionRef<void(LoopNest& box)> run);

 private:
  struct Operand {
    char* data;
    int64_t strides[kMaxRank];
    int64_t shifts[kMaxRank];
  };

  int rank_;
  int64_t shape_[kMaxRank];
  std::vector<Operand> operands_;
  std::vector<int64_t> cuts_[kMaxRank];  // where boxes begin
};

}  // namespace dynacc::executor
