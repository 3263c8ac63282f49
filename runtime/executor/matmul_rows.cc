#include "runtime/executor/matmul_rows.h"

#include <algorithm>

#include "runtime/cpu/matmul/ordered_matmul.h"

namespace dynacc::executor {
namespace {

// Nanoseconds that a multiplication and its addition take, roughly: sixteen of float32 to a cycle
// where registers are widest.
constexpr double kFactorCost = 0.02;

// Some rows at each place of leading axes.
class ReadyProduct : public ReadyRows {
 public:
  // `first`: the product at the first place, without pointers. `places`: the leading axes.
  ReadyProduct(const cpu::RowMatmuls& products, const cpu::Product& first, const LoopNest& places)
      : products_(products), first_(first), places_(places) {
    OptimizeNest(places_);
  }

  bool Run(char* const* pointers, char* scratch, const RowHints&) const override {
    LoopNest nest = places_;
    std::copy_n(pointers, nest.num_operands, nest.pointers);
    bool done = true;
    ForEachRun(nest, [&](char* const* at, const int64_t* strides, int64_t n) {
      cpu::Product p = first_;
      p.a = at[0];
      p.b = at[1];
      p.c = at[2];
      for (int64_t i = 0; i < n && done; ++i) {
        done = products_.Multiply(p, scratch);
        p.a += strides[0];
        p.b += strides[1];
        p.c += strides[2];
      }
    });
    return done;
  }

 private:
  const cpu::RowMatmuls products_;
  const cpu::Product first_;
  LoopNest places_;
};

}  // namespace

void LeadingStrides(const StridedView& operand, int leading, int64_t* strides) {
  const int missing = leading - (operand.rank - 2);
  for (int i = 0; i < leading; ++i) {
    const int axis = i - missing;
    strides[i] = axis < 0 || operand.shape[axis] == 1 ? 0 : operand.strides[axis];
  }
}

bool MatmulRows::CanCut(const RunFrame& frame) const {
  const int leading = plan_.shape.rank - 2;
  int64_t places = 1;
  for (int i = 0; i < leading; ++i) places *= frame.Size(plan_.shape.sizes[i]);
  return cpu::CanMultiplyRows(plan_.loop, places, frame.Size(plan_.shape.sizes[leading]),
                              frame.Size(plan_.inner), frame.Size(plan_.shape.sizes[leading + 1]));
}

// Bringing an element of the right operand into order takes about as long as writing one of the
// result to memory and reading it again, which is what rows save; or one of the left operand.
int64_t MatmulRows::LeastRows(const RunFrame& frame, int axis) const {
  if (axis != plan_.shape.rank - 2) return 1;
  return std::min(frame.Size(plan_.inner), frame.Size(plan_.shape.sizes[axis + 1]));
}

void MatmulRows::Gather(const RunFrame& frame, RowOperands& operands) const {
  const StridedView& out = frame.view(plan_.output);
  const int leading = out.rank - 2;
  StridedView storage;
  int64_t strides[kMaxRank];
  LoopNest& nest = operands.nest;
  StartNest(nest, out.rank, out.shape);
  const StridedView& a = frame.Resolve(plan_.a, storage);
  LeadingStrides(a, leading, strides);
  strides[leading] = a.strides[a.rank - 2];
  strides[leading + 1] = 0;
  AddOperand(nest, a.data, strides);
  const StridedView& b = frame.Resolve(plan_.b, storage);
  LeadingStrides(b, leading, strides);
  strides[leading] = 0;
  strides[leading + 1] = b.strides[b.rank - 1];
  AddOperand(nest, b.data, strides);
  AddOperand(nest, out.data, out.strides);
  operands.buffers[0] = plan_.a.buffer;
  operands.buffers[1] = plan_.b.buffer;
  operands.buffers[2] = plan_.output;
}

std::unique_ptr<const ReadyRows> MatmulRows::Prepare(const RunFrame& frame,
                                                     const LoopNest& part) const {
  const int rows = part.rank - 2, columns = part.rank - 1;
  StridedView storage;
  const StridedView& a = frame.Resolve(plan_.a, storage);
  const int64_t a_inner = a.strides[a.rank - 1];
  const StridedView& b = frame.Resolve(plan_.b, storage);
  const int64_t b_inner = b.strides[b.rank - 2];
  const cpu::Product first{part.shape[rows],
                           frame.Size(plan_.inner),
                           part.shape[columns],
                           nullptr,
                           part.strides[rows][0],
                           a_inner,
                           nullptr,
                           b_inner,
                           part.strides[columns][1],
                           nullptr,
                           part.strides[rows][2],
                           part.strides[columns][2]};
  LoopNest places = part;
  places.rank -= 2;
  return std::make_unique<ReadyProduct>(cpu::RowMatmulsOf(plan_.loop), first, places);
}

size_t MatmulRows::scratch_bytes() const { return cpu::kProductScratchBytes; }

double MatmulRows::Cost(const RunFrame& frame) const {
  return kFactorCost * static_cast<double>(frame.Size(plan_.inner));
}

}  // namespace dynacc::executor
