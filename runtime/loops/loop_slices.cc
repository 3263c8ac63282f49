#include "runtime/loops/loop_slices.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "runtime/loops/loop_flags.h"
#include "runtime/loops/loop_math.h"
#include "runtime/loops/loop_windows.h"

namespace dynacc::loops {
namespace {

constexpr int64_t kItem = sizeof(double);

struct Operand {
  char* data;
  int64_t stride;
  int64_t count;
};

Operand Slice1dIn(const LoopSlot* registers) {
  return {reinterpret_cast<char*>(registers[0].i), registers[1].i, registers[2].i};
}

// A number is an operand of any size.
Operand OperandIn(const LoopSlot* registers, bool is_slice1d, int64_t count) {
  if (is_slice1d) return Slice1dIn(registers);
  return {reinterpret_cast<char*>(const_cast<LoopSlot*>(registers)), 0, count};
}

double ElementAt(const Operand& slice1d, int64_t index = 0) {
  double value;
  std::memcpy(&value, slice1d.data + index * slice1d.stride, kItem);
  return value;
}

void SetSlice1d(const Operand& slice1d, LoopSlot* registers) {
  registers[0].i = reinterpret_cast<int64_t>(slice1d.data);
  registers[1].i = slice1d.stride;
  registers[2].i = slice1d.count;
}

// One after the other, which matters where they overlap.
void CopyElements(const Operand& from, const Operand& to) {
  for (int64_t i = 0; i < to.count; ++i) {
    std::memcpy(to.data + i * to.stride, from.data + i * from.stride, kItem);
  }
}

Operand Reversed(const Operand& slice1d) {
  return {slice1d.data + (slice1d.count - 1) * slice1d.stride, -slice1d.stride, slice1d.count};
}

// The bytes between which a 1-D slice's elements lie.
std::pair<const char*, const char*> Extent(const Operand& slice1d) {
  const auto [first, last] =
      std::minmax({slice1d.data, slice1d.data + (slice1d.count - 1) * slice1d.stride});
  return {first, last + kItem};
}
bool Touch(const Operand& a, const Operand& b) {
  return Extent(a).first < Extent(b).second && Extent(b).first < Extent(a).second;
}

// Whether elements may be written one after the other: none lies on another.
bool IsApart(const Operand& slice1d) { return slice1d.stride >= kItem; }

bool Compute(const Slice1dCall& call, const kernel::LibraryLoop& loop, LoopScratch& scratch,
             const LoopSlot* a, const LoopSlot* b, Operand* result) {
  const int64_t count = call.left_is_slice1d ? a[2].i : b[2].i;
  const Operand left = OperandIn(a, call.left_is_slice1d, count);
  const Operand right = call.is_binary ? OperandIn(b, call.right_is_slice1d, count) : left;
  if (left.count != count || right.count != count || count > kLongestSlice1d) return false;
  *result = {scratch.Get(call.block, count * kItem), kItem, count};
  char* args[] = {left.data, call.is_binary ? right.data : result->data, result->data};
  const intptr_t steps[] = {left.stride, call.is_binary ? right.stride : kItem, kItem};
  const intptr_t size = count;
  ForgetFlags();
  if (count != 0) loop.fn(args, &size, steps, loop.data);
  return !Raised();
}

bool Update(const Slice1dCall& call, const kernel::LibraryLoop& loop, LoopScratch& scratch,
            const LoopSlot* a, const LoopSlot* b) {
  const Operand target = Slice1dIn(a);
  Operand result;
  if (!IsApart(target) || !Compute(call, loop, scratch, a, b, &result)) return false;
  CopyElements(result, target);
  return true;
}

// As NumPy copies to an array of one axis, which is not as if through a copy of `b` where a row and
// a column of one array cross (PyArray_AssignArray and raw_array_assign_array in
// numpy/core/src/multiarray/array_assign_array.c).
bool Store(const Slice1dCall& call, LoopScratch& scratch, const LoopSlot* a, const LoopSlot* b) {
  const Operand target = Slice1dIn(a);
  Operand value = OperandIn(b, call.right_is_slice1d, target.count);
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
// and adds nothing to the product, it does not report flags, and it takes copies of what lies
// backwards.
bool Dot(const Slice1dCall& call, const kernel::LibraryLoop& loop, LoopScratch& scratch,
         const LoopSlot* a, const LoopSlot* b, double* d) {
  Operand left = Slice1dIn(a);
  Operand right = Slice1dIn(b);
  if (left.count != right.count) return false;
  *d = 0;
  if (left.count == 0) return true;
  for (const Operand& side : {left, right}) {
    if (side.stride == 0 || side.stride % kItem != 0) return false;
  }
  if (!call.is_matmul && (left.stride < 0 || right.stride < 0)) {
    if (left.stride < 0 && right.stride < 0) return false;
    Operand& backwards = left.stride < 0 ? left : right;
    const Operand copy = {scratch.Get(call.block, left.count * kItem), kItem, left.count};
    CopyElements(backwards, copy);
    backwards = copy;
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

bool Reduce(const Slice1dCall& call, const kernel::LibraryLoop& loop, const LoopSlot* a,
            double* d) {
  Operand slice1d = Slice1dIn(a);
  double result = 0;
  if (call.starts_with_first) {
    if (slice1d.count == 0) return false;
    std::memcpy(&result, slice1d.data, kItem);
    slice1d.data += slice1d.stride;
    --slice1d.count;
  }
  auto* place = reinterpret_cast<char*>(&result);
  char* args[] = {place, slice1d.data, place};
  const intptr_t steps[] = {0, slice1d.stride, 0};
  const intptr_t size = slice1d.count;
  ForgetFlags();
  if (size != 0) loop.fn(args, &size, steps, loop.data);
  if (Raised()) return false;
  *d = result;
  return true;
}

// The first of several, as NumPy's argmin and argmax.
bool IndexOf(const Slice1dCall& call, const LoopSlot* a, int64_t* d) {
  const Operand slice1d = Slice1dIn(a);
  if (slice1d.count == 0) return false;
  double best = ElementAt(slice1d);
  *d = 0;
  for (int64_t i = 1; i < slice1d.count && !std::isnan(best); ++i) {
    const double element = ElementAt(slice1d, i);
    const bool is_better = call.greatest ? element > best : element < best;
    if (!is_better && !std::isnan(element)) continue;
    best = element;
    *d = i;
  }
  return true;
}

// As numpy.median: the mean of the element or the two in the middle, a sum that starts with 0.
bool Median(const Slice1dCall& call, LoopScratch& scratch, const LoopSlot* a, double* d) {
  const Operand slice1d = Slice1dIn(a);
  const int64_t count = slice1d.count;
  if (count == 0 || count > kLongestSlice1d) return false;
  auto* const first = reinterpret_cast<double*>(scratch.Get(call.block, count * kItem));
  for (int64_t i = 0; i < count; ++i) {
    first[i] = ElementAt(slice1d, i);
    if (std::isnan(first[i])) return false;
  }
  double* const middle = first + count / 2;
  std::nth_element(first, middle, first + count);
  if (count % 2 != 0) {
    *d = 0 + *middle;
    return true;
  }
  ForgetFlags();
  *d = (0 + *std::max_element(first, middle) + *middle) / 2;
  return !Raised();
}

void Part(const LoopSlot* a, const LoopSlot* bounds, LoopSlot* d) {
  const Operand slice1d = Slice1dIn(a);
  Operand part = slice1d;
  int64_t first = 0;
  loop_math::SliceAxis(slice1d.count, slice1d.stride, bounds[0].i, bounds[1].i, bounds[2].i, &first,
                       &part.stride, &part.count);
  part.data += first;
  SetSlice1d(part, d);
}

template <typename Int>
int64_t IndexAt(const Operand& indices, int64_t i) {
  Int index;
  std::memcpy(&index, indices.data + i * indices.stride, sizeof index);
  return static_cast<int64_t>(index);
}

// Calls visit(place in `base`) for each of the indices, in their order. False if one of them is out
// of range, when those before it have been visited.
template <typename Int, typename Visit>
bool VisitIndices(const Operand& base, const Operand& indices, Visit visit) {
  for (int64_t i = 0; i < indices.count; ++i) {
    int64_t index = IndexAt<Int>(indices, i);
    if (index < 0) index += base.count;
    if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(base.count)) return false;
    visit(base.data + index * base.stride);
  }
  return true;
}

template <typename Visit>
bool VisitElements(DType index, const Operand& base, const Operand& indices, Visit visit) {
  switch (index) {
    case DType::kInt64:
      return VisitIndices<int64_t>(base, indices, visit);
    case DType::kInt32:
      return VisitIndices<int32_t>(base, indices, visit);
    case DType::kInt16:
      return VisitIndices<int16_t>(base, indices, visit);
    case DType::kInt8:
      return VisitIndices<int8_t>(base, indices, visit);
    case DType::kUInt32:
      return VisitIndices<uint32_t>(base, indices, visit);
    case DType::kUInt16:
      return VisitIndices<uint16_t>(base, indices, visit);
    case DType::kUInt8:
      return VisitIndices<uint8_t>(base, indices, visit);
    default:
      return false;
  }
}

bool Gather(const Slice1dCall& call, LoopScratch& scratch, const LoopSlot* a, const LoopSlot* b,
            LoopSlot* d) {
  const Operand indices = Slice1dIn(b);
  if (indices.count > kLongestSlice1d) return false;
  const Operand made = {scratch.Get(call.block, indices.count * kItem), kItem, indices.count};
  char* to = made.data;
  const auto take = [&to](const char* from) {
    std::memcpy(to, from, kItem);
    to += kItem;
  };
  if (!VisitElements(call.index, Slice1dIn(a), indices, take)) return false;
  SetSlice1d(made, d);
  return true;
}

// NumPy looks at all indices before it writes, and takes a copy of what it would overwrite.
bool Scatter(const Slice1dCall& call, LoopScratch& scratch, const LoopSlot* a, const LoopSlot* b,
             const LoopSlot* d) {
  const Operand base = Slice1dIn(a);
  const Operand indices = Slice1dIn(b);
  Operand value = OperandIn(d, call.right_is_slice1d, indices.count);
  if (value.count != indices.count || indices.count > kLongestSlice1d) return false;
  if (indices.count == 0) return true;
  const auto look = [](const char*) {};
  if (!VisitElements(call.index, base, indices, look) || Touch(base, indices)) return false;
  if (call.right_is_slice1d && Touch(base, value)) {
    const Operand copy = {scratch.Get(call.block, value.count * kItem), kItem, value.count};
    CopyElements(value, copy);
    value = copy;
  }
  const char* from = value.data;
  return VisitElements(call.index, base, indices, [&](char* to) {
    std::memcpy(to, from, kItem);
    from += value.stride;
  });
}

// Of the elements of `from`, or of one number.
bool Make(const Slice1dCall& call, LoopScratch& scratch, const Operand& from, LoopSlot* d) {
  if (from.count < 0 || from.count > kLongestSlice1d) return false;
  const Operand made = {scratch.Get(call.block, from.count * kItem), kItem, from.count};
  CopyElements(from, made);
  SetSlice1d(made, d);
  return true;
}

bool NewArray(const Slice1dCall& call, LoopScratch& scratch, const LoopSlot* a, LoopSlot* d) {
  constexpr int kBeforeAddresses = 2;
  const int64_t bytes = a[0].i;
  char* const memory =
      scratch.New(call.other, bytes, a + kBeforeAddresses, call.operands - kBeforeAddresses);
  if (memory == nullptr) return false;
  const auto* from = reinterpret_cast<const char*>(a[1].i);
  from != nullptr ? std::memcpy(memory, from, bytes) : std::memset(memory, 0, bytes);
  d->i = reinterpret_cast<int64_t>(memory);
  return true;
}

void Repeat(const Slice1dCall& call, const LoopSlot* a) {
  auto* const memory = reinterpret_cast<char*>(a[0].i);
  const int64_t bytes = a[1].i;
  int64_t done = std::min(bytes, static_cast<int64_t>(ItemSize(call.index)));
  while (done < bytes) {
    const int64_t more = std::min(done, bytes - done);
    std::memcpy(memory + done, memory, more);
    done += more;
  }
}

// Whether the address is in the block, or no further from it than the block is long.
bool IsNear(const char* memory, int64_t bytes, int64_t address) {
  const int64_t distance = address - reinterpret_cast<int64_t>(memory);
  return distance >= -bytes && distance <= 2 * bytes;
}

}  // namespace

char* LoopScratch::New(uint16_t pool, int64_t bytes, const LoopSlot* in_use, int count) {
  if (pool >= pools_.size()) pools_.resize(pool + 1);
  for (const Block& block : pools_[pool]) {
    const auto is_in = [&](const LoopSlot& at) {
      return IsNear(block.memory.get(), block.bytes, at.i);
    };
    if (std::none_of(in_use, in_use + count, is_in)) return block.memory.get();
  }
  Block block;
  block.bytes = std::max(bytes, kItem);
  block.memory.reset(new (std::nothrow) char[block.bytes]);
  if (block.memory == nullptr) return nullptr;
  return pools_[pool].emplace_back(std::move(block)).memory.get();
}

char* LoopScratch::ArrayAt(uint16_t pool, int64_t address) const {
  if (pool >= pools_.size()) return nullptr;
  char* near = nullptr;
  for (const Block& block : pools_[pool]) {
    char* const memory = block.memory.get();
    const int64_t distance = address - reinterpret_cast<int64_t>(memory);
    if (distance >= 0 && distance < block.bytes) return memory;
    if (IsNear(memory, block.bytes, address)) near = memory;
  }
  return near;
}

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

bool RunSlice1d(const Slice1dCall& call, const kernel::LibraryLoop& loop, LoopScratch& scratch,
                const LoopSlot* a, const LoopSlot* b, LoopSlot* d) {
  switch (call.kind) {
    case Slice1dCall::Kind::kElementwise: {
      Operand result;
      if (!Compute(call, loop, scratch, a, b, &result)) return false;
      SetSlice1d(result, d);
      return true;
    }
    case Slice1dCall::Kind::kUpdate:
      return Update(call, loop, scratch, a, b);
    case Slice1dCall::Kind::kStore:
      return Store(call, scratch, a, b);
    case Slice1dCall::Kind::kDot:
      return Dot(call, loop, scratch, a, b, &d->f);
    case Slice1dCall::Kind::kReduce:
      return Reduce(call, loop, a, &d->f);
    case Slice1dCall::Kind::kIndexOf:
      return IndexOf(call, a, &d->i);
    case Slice1dCall::Kind::kMedian:
      return Median(call, scratch, a, &d->f);
    case Slice1dCall::Kind::kPart:
      Part(a, b, d);
      return true;
    case Slice1dCall::Kind::kCopy:
      return Make(call, scratch, Slice1dIn(a), d);
    case Slice1dCall::Kind::kFill:
      return Make(call, scratch, OperandIn(b, false, Slice1dIn(a).count), d);
    case Slice1dCall::Kind::kGather:
      return Gather(call, scratch, a, b, d);
    case Slice1dCall::Kind::kScatter:
      return Scatter(call, scratch, a, b, d);
    case Slice1dCall::Kind::kSwap:
      scratch.Swap(call.block, call.other);
      return true;
    case Slice1dCall::Kind::kNewArray:
      return NewArray(call, scratch, a, d);
    case Slice1dCall::Kind::kRepeat:
      Repeat(call, a);
      return true;
    case Slice1dCall::Kind::kNone:
      return false;
    default:
      return RunWindow(call, loop, scratch, a, b, d);
  }
}

}  // namespace dynacc::loops
