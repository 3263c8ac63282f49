#include "codegen/loops/loop_strips.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <utility>

#include "codegen/loops/loop_math.h"

namespace dynacc {
namespace {

constexpr int64_t kItem = sizeof(double);
constexpr int kReportedFlags = FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID;

struct Operand {
  char* data;
  int64_t stride;
  int64_t count;
};

Operand StripIn(const LoopSlot* registers) {
  return {reinterpret_cast<char*>(registers[0].i), registers[1].i, registers[2].i};
}

// A number is an operand of any size.
Operand OperandIn(const LoopSlot* registers, bool is_strip, int64_t count) {
  if (is_strip) return StripIn(registers);
  return {reinterpret_cast<char*>(const_cast<LoopSlot*>(registers)), 0, count};
}

double ElementAt(const Operand& strip, int64_t index = 0) {
  double value;
  std::memcpy(&value, strip.data + index * strip.stride, kItem);
  return value;
}

void SetStrip(const Operand& strip, LoopSlot* registers) {
  registers[0].i = reinterpret_cast<int64_t>(strip.data);
  registers[1].i = strip.stride;
  registers[2].i = strip.count;
}

// Flags are looked for rather than cleared, which takes longer.
void ForgetFlags() {
  if (std::fetestexcept(kReportedFlags) != 0) std::feclearexcept(kReportedFlags);
}
bool Raised() {
  if (__builtin_expect(static_cast<long>(std::fetestexcept(kReportedFlags) == 0), 1) != 0) {
    return false;
  }
  std::feclearexcept(kReportedFlags);
  return true;
}

// One after the other, which matters where they overlap.
void CopyElements(const Operand& from, const Operand& to) {
  for (int64_t i = 0; i < to.count; ++i) {
    std::memcpy(to.data + i * to.stride, from.data + i * from.stride, kItem);
  }
}

Operand Reversed(const Operand& strip) {
  return {strip.data + (strip.count - 1) * strip.stride, -strip.stride, strip.count};
}

// The bytes between which a strip's elements lie.
std::pair<const char*, const char*> Extent(const Operand& strip) {
  const auto [first, last] =
      std::minmax({strip.data, strip.data + (strip.count - 1) * strip.stride});
  return {first, last + kItem};
}
bool Touch(const Operand& a, const Operand& b) {
  return Extent(a).first < Extent(b).second && Extent(b).first < Extent(a).second;
}

// Whether elements may be written one after the other: none lies on another.
bool IsApart(const Operand& strip) { return strip.stride >= kItem; }

bool Compute(const StripCall& call, const LibraryLoop& loop, LoopScratch& scratch,
             const LoopSlot* a, const LoopSlot* b, Operand* result) {
  const int64_t count = call.left_is_strip ? a[2].i : b[2].i;
  const Operand left = OperandIn(a, call.left_is_strip, count);
  const Operand right = call.is_binary ? OperandIn(b, call.right_is_strip, count) : left;
  if (left.count != count || right.count != count) return false;
  *result = {scratch.Get(call.block, count * kItem), kItem, count};
  char* args[] = {left.data, call.is_binary ? right.data : result->data, result->data};
  const intptr_t steps[] = {left.stride, call.is_binary ? right.stride : kItem, kItem};
  const intptr_t size = count;
  ForgetFlags();
  if (count != 0) loop.fn(args, &size, steps, loop.data);
  return !Raised();
}

bool Update(const StripCall& call, const LibraryLoop& loop, LoopScratch& scratch, const LoopSlot* a,
            const LoopSlot* b) {
  const Operand target = StripIn(a);
  Operand result;
  if (!IsApart(target) || !Compute(call, loop, scratch, a, b, &result)) return false;
  CopyElements(result, target);
  return true;
}

// As NumPy copies to an array of one axis, which is not as if through a copy of `b` where a row and
// a column of one array cross (PyArray_AssignArray and raw_array_assign_array in
// numpy/core/src/multiarray/array_assign_array.c).
bool Store(const StripCall& call, LoopScratch& scratch, const LoopSlot* a, const LoopSlot* b) {
  const Operand target = StripIn(a);
  Operand value = OperandIn(b, call.right_is_strip, target.count);
  if (!IsApart(target) || value.count != target.count) return false;
  if (target.count == 0 || (value.data == target.data && value.stride == target.stride)) {
    return true;
  }
  if (value.stride < 0 && Touch(target, value)) {
    const Operand copy = {scratch.Get(call.block, target.count * kItem), kItem, target.count};
    CopyElements(value, copy);
    value = copy;
  }
  const bool reverse =
      value.data < target.data && value.data + value.count * value.stride > target.data;
  reverse ? CopyElements(Reversed(value), Reversed(target)) : CopyElements(value, target);
  return true;
}

// As the library multiplies a row by a column, which is what it does for two vectors. But np.dot
// (cblas_matrixproduct in numpy/core/src/common/cblasfuncs.c) takes a single element for a number,
// and adds nothing to the product, and it does not report flags.
bool Dot(const StripCall& call, const LibraryLoop& loop, const LoopSlot* a, const LoopSlot* b,
         double* d) {
  const Operand left = StripIn(a);
  const Operand right = StripIn(b);
  if (left.count != right.count) return false;
  *d = 0;
  if (left.count == 0) return true;
  for (const Operand& side : {left, right}) {
    if (side.stride <= 0 || side.stride % kItem != 0) return false;
  }
  if (left.count == 1 && !call.is_matmul) {
    *d = ElementAt(left) * ElementAt(right);
    return true;
  }
  double sum = 0;
  char* args[] = {left.data, right.data, reinterpret_cast<char*>(&sum)};
  const intptr_t sizes[] = {1, 1, left.count, 1};
  const intptr_t row = left.count * left.stride;
  const intptr_t steps[] = {0, 0, 0, row, left.stride, right.stride, kItem, kItem, kItem};
  ForgetFlags();
  loop.fn(args, sizes, steps, loop.data);
  if (Raised() && call.is_matmul) return false;
  *d = sum;
  return true;
}

bool Reduce(const StripCall& call, const LibraryLoop& loop, const LoopSlot* a, double* d) {
  Operand strip = StripIn(a);
  double result = 0;
  if (call.starts_with_first) {
    if (strip.count == 0) return false;
    std::memcpy(&result, strip.data, kItem);
    strip.data += strip.stride;
    --strip.count;
  }
  auto* place = reinterpret_cast<char*>(&result);
  char* args[] = {place, strip.data, place};
  const intptr_t steps[] = {0, strip.stride, 0};
  const intptr_t size = strip.count;
  ForgetFlags();
  if (size != 0) loop.fn(args, &size, steps, loop.data);
  if (Raised()) return false;
  *d = result;
  return true;
}

// The first of several, as NumPy's argmin and argmax.
bool IndexOf(const StripCall& call, const LoopSlot* a, int64_t* d) {
  const Operand strip = StripIn(a);
  if (strip.count == 0) return false;
  double best = ElementAt(strip);
  *d = 0;
  for (int64_t i = 1; i < strip.count && !std::isnan(best); ++i) {
    const double element = ElementAt(strip, i);
    const bool is_better = call.greatest ? element > best : element < best;
    if (!is_better && !std::isnan(element)) continue;
    best = element;
    *d = i;
  }
  return true;
}

void Part(const LoopSlot* a, const LoopSlot* bounds, LoopSlot* d) {
  const Operand strip = StripIn(a);
  Operand part = strip;
  int64_t first = 0;
  loop_math::SliceAxis(strip.count, strip.stride, bounds[0].i, bounds[1].i, bounds[2].i, &first,
                       &part.stride, &part.count);
  part.data += first;
  SetStrip(part, d);
}

// Of the elements of `from`, or of one number.
bool Make(const StripCall& call, LoopScratch& scratch, const Operand& from, LoopSlot* d) {
  if (from.count < 0 || from.count > kLongestStrip) return false;
  const Operand made = {scratch.Get(call.block, from.count * kItem), kItem, from.count};
  CopyElements(from, made);
  SetStrip(made, d);
  return true;
}

}  // namespace

LoopScratch::Block& LoopScratch::At(uint16_t block) {
  if (block >= blocks_.size()) blocks_.resize(block + 1);
  return blocks_[block];
}

void LoopScratch::Swap(uint16_t one, uint16_t other) {
  At(std::max(one, other));
  std::swap(blocks_[one], blocks_[other]);
}

char* LoopScratch::Get(uint16_t block, int64_t bytes) {
  Block& found = At(block);
  if (found.bytes < bytes || found.memory == nullptr) {
    found.bytes = std::max({bytes, 2 * found.bytes, kItem});
    found.memory = std::make_unique_for_overwrite<char[]>(found.bytes);
  }
  return found.memory.get();
}

bool RunStrip(const StripCall& call, const LibraryLoop& loop, LoopScratch& scratch,
              const LoopSlot* a, const LoopSlot* b, LoopSlot* d) {
  switch (call.kind) {
    case StripCall::Kind::kElementwise: {
      Operand result;
      if (!Compute(call, loop, scratch, a, b, &result)) return false;
      SetStrip(result, d);
      return true;
    }
    case StripCall::Kind::kUpdate:
      return Update(call, loop, scratch, a, b);
    case StripCall::Kind::kStore:
      return Store(call, scratch, a, b);
    case StripCall::Kind::kDot:
      return Dot(call, loop, a, b, &d->f);
    case StripCall::Kind::kReduce:
      return Reduce(call, loop, a, &d->f);
    case StripCall::Kind::kIndexOf:
      return IndexOf(call, a, &d->i);
    case StripCall::Kind::kPart:
      Part(a, b, d);
      return true;
    case StripCall::Kind::kCopy:
      return Make(call, scratch, StripIn(a), d);
    case StripCall::Kind::kFill:
      return Make(call, scratch, OperandIn(b, false, StripIn(a).count), d);
    case StripCall::Kind::kSwap:
      scratch.Swap(call.block, call.other);
      return true;
    case StripCall::Kind::kNone:
      break;
  }
  return false;
}

}  // namespace dynacc
