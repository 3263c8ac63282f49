#include "runtime/executor/rolled_nest.h"

#include <algorithm>

namespace dynacc::executor {

RolledNest::RolledNest(int rank, const int64_t* shape) : rank_(rank) {
  std::copy_n(shape, rank, shape_);
  for (int axis = 0; axis < rank; ++axis) cuts_[axis].push_back(0);
}

void RolledNest::AddOperand(char* data, const int64_t* strides, const int64_t* shifts) {
  Operand operand;
  operand.data = data;
  for (int axis = 0; axis < rank_; ++axis) {
    operand.strides[axis] = strides[axis];
    operand.shifts[axis] = shifts[axis];
    if (shifts[axis] > 0 && shifts[axis] < shape_[axis]) cuts_[axis].push_back(shifts[axis]);
  }
  operands_.push_back(operand);
}

void RolledNest::ForEachBox(absl::FunctionRef<void(LoopNest& box)> run) {
  for (int axis = 0; axis < rank_; ++axis) {
    if (shape_[axis] == 0) return;
    std::vector<int64_t>& cuts = cuts_[axis];
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  }
  size_t place[kMaxRank] = {};  // of the box among the cuts of each axis
  for (;;) {
    int64_t begin[kMaxRank];
    int64_t size[kMaxRank];
    for (int axis = 0; axis < rank_; ++axis) {
      const std::vector<int64_t>& cuts = cuts_[axis];
      begin[axis] = cuts[place[axis]];
      size[axis] =
          (place[axis] + 1 < cuts.size() ? cuts[place[axis] + 1] : shape_[axis]) - begin[axis];
    }
    LoopNest box;
    StartNest(box, rank_, size);
    for (const Operand& operand : operands_) {
      char* data = operand.data;
      for (int axis = 0; axis < rank_; ++axis) {
        const int64_t unrolled = begin[axis] - operand.shifts[axis];
        data += (unrolled < 0 ? unrolled + shape_[axis] : unrolled) * operand.strides[axis];
      }
      dynacc::executor::AddOperand(box, data, operand.strides);
    }
    run(box);
    int axis = rank_ - 1;
    for (; axis >= 0; --axis) {
      if (++place[axis] < cuts_[axis].size()) break;
      place[axis] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace dynacc::executor
