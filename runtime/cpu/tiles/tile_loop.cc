#include "runtime/cpu/tiles/tile_loop.h"

#include <algorithm>
#include <cstring>

#include "absl/container/fixed_array.h"
#include "runtime/base/check.h"
#include "runtime/cpu/tiles/tile_plan.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::cpu {
namespace {

constexpr int64_t kAlignment = 64;  // of buffers: a cache line, and the widest register

template <typename E>
void Pad(char* buffer, int64_t count, int64_t lanes) {
  const int64_t full = (count + lanes - 1) & -lanes;
  if constexpr (sizeof(E) == 1) {
    std::memset(buffer + count, *buffer, full - count);
    return;
  }
  E first;
  std::memcpy(&first, buffer, sizeof(E));
  for (int64_t i = count; i < full; ++i) std::memcpy(buffer + i * sizeof(E), &first, sizeof(E));
}

template <typename E>
void Scatter(char* to, int64_t stride, const char* buffer, int64_t count) {
  constexpr int64_t kSize = sizeof(E);
  if (stride == kSize) {
    std::memcpy(to, buffer, count * kSize);
  } else {
    for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * stride, buffer + i * kSize, kSize);
  }
}

struct Pair {
  uint64_t low, high;
};

// Calls f with a value of `size` bytes.
template <typename F>
inline void WithCarrier(int64_t size, F f) {
  if (size == 16) return f(Pair{});
  if (size == 8) return f(uint64_t{});
  if (size == 4) return f(uint32_t{});
  if (size == 2) return f(uint16_t{});
  DYNACC_CHECK(size == 1) << "element of " << size << " bytes";
  f(uint8_t{});
}

}  // namespace

TileLoop::TileLoop(const kernel::Kernel& kernel, int lanes)
    : moves_(MoveFnsOfThisMachine()), num_inputs_(kernel.inputs.size()), lanes_(lanes) {
  const TilePlan plan = MakeTilePlan(kernel);
  tile_ = plan.tile;
  for (const kernel::KernelStep& step : kernel.steps) calls_loops_ |= step.library;
  auto add = [this](DType dtype, bool in_tiles) {
    operands_.push_back({ItemSize(dtype), buffer_bytes_, in_tiles});
    if (!in_tiles) return;
    buffer_bytes_ += (tile_ * ItemSize(dtype) + kernel::kLoopGap + kAlignment - 1) & -kAlignment;
  };
  for (size_t k = 0; k < num_inputs_; ++k) add(kernel.inputs[k], plan.loaded[k]);
  for (const int value : kernel.outputs) add(kernel.DTypeOf(value), true);
}

// Places all operands where they are, numbers in vectors of theirs. False if one cannot be there.
// `changes`: of operands since the row before, whose numbers are in their vectors; null: none are.
bool TileLoop::PlaceAll(char* const* pointers, const int64_t* strides, const int64_t* changes,
                        char* buffers, Tile* tiles) const {
  for (size_t k = 0; k < operands_.size(); ++k) {
    const Operand& operand = operands_[k];
    if (!operand.in_tiles) continue;
    tiles[k] = {pointers[k], strides[k]};
    if (strides[k] == operand.size) continue;
    if (strides[k] != 0 || k >= num_inputs_) return false;
    tiles[k].data = buffers + operand.buffer;
    if (changes != nullptr && changes[k] == 0) continue;
    Repeat(tiles[k].data, pointers[k], operand.size);
  }
  return true;
}

// Whether all results are dense and begin with a cache line.
bool TileLoop::AreOutputsOnLines(char* const* pointers, const int64_t* strides) const {
  for (size_t k = num_inputs_; k < operands_.size(); ++k) {
    if (strides[k] != operands_[k].size) return false;
    if (reinterpret_cast<uintptr_t>(pointers[k]) % kAlignment != 0) return false;
  }
  return true;
}

// Whether a result takes an input's place.
bool TileLoop::WritesInput(char* const* pointers) const {
  for (size_t k = num_inputs_; k < operands_.size(); ++k) {
    if (std::find(pointers, pointers + num_inputs_, pointers[k]) != pointers + num_inputs_) {
      return true;
    }
  }
  return false;
}

// A vector of copies of a number.
void TileLoop::Repeat(char* buffer, const char* number, int64_t size) const {
  moves_.repeat[SizeClass(size)](buffer, number, lanes_ * size);
}

// The elements of the next tile: full vectors, or what is left after the last full one.
int64_t TileLoop::CountAt(int64_t left) const {
  if (left < lanes_) return left;
  return std::min(left, tile_) & -lanes_;
}

// `first`: of the tiles that are placed so.
void TileLoop::PlaceTiles(char* const* pointers, const int64_t* strides, int64_t first, int64_t at,
                          int64_t count, char* buffers, Tile* tiles) const {
  for (size_t k = 0; k < operands_.size(); ++k) {
    const Operand& operand = operands_[k];
    if (!operand.in_tiles) continue;
    const int64_t stride = strides[k], size = operand.size;
    char* const place = pointers[k] + at * stride;
    char* const buffer = buffers + operand.buffer;
    const bool is_in_place = stride == size && count >= lanes_;
    tiles[k] = {is_in_place ? place : buffer, size};
    if (is_in_place || k >= num_inputs_) continue;
    if (stride == 0) {
      tiles[k].step = 0;
      if (at == first) Repeat(buffer, place, size);
      continue;
    }
    moves_.gather[SizeClass(size)](buffer, place, stride, count);
    DynaccPad(buffer, count, size, lanes_);
  }
  if (!calls_loops_) return;
  for (size_t k = 0; k < num_inputs_; ++k) {
    tiles[operands_.size() + k] = {pointers[k] + at * strides[k], strides[k]};
  }
}

// Puts results that went into buffers where they belong.
void TileLoop::FlushTiles(char* const* pointers, const int64_t* strides, int64_t at, int64_t count,
                          const Tile* tiles) const {
  for (size_t k = num_inputs_; k < operands_.size(); ++k) {
    const int64_t stride = strides[k], size = operands_[k].size;
    if (stride == size && count >= lanes_) continue;
    WithCarrier(size, [&](auto type) {
      Scatter<decltype(type)>(pointers[k] + at * stride, stride, tiles[k].data, count);
    });
  }
}

void TileLoop::Run(TileFunction function, char* const* pointers, const int64_t* strides, int64_t n,
                   const kernel::KernelRows& rows, const kernel::LibraryLoop* loops,
                   bool non_temporal) const {
  // On the stack, of which what is not needed is never touched.
  char* const buffers =
      static_cast<char*>(__builtin_alloca_with_align(buffer_bytes_, 8 * kAlignment));
  absl::FixedArray<Tile, 32> tiles(operands_.size() + num_inputs_ + 1);
  absl::FixedArray<char*, 32> at(pointers, pointers + operands_.size());
  for (int64_t row = 0; row < rows.count; ++row) {
    tiles.back().step = non_temporal && AreOutputsOnLines(at.data(), strides);
    const int64_t* const changes = row == 0 ? nullptr : rows.strides;
    RunRow(function, at.data(), strides, n, changes, loops, buffers, tiles.data());
    if (row + 1 == rows.count) return;
    for (size_t k = 0; k < operands_.size(); ++k) at[k] += rows.strides[k];
  }
}

void TileLoop::Fold(FoldFunction function, char* const* pointers, const int64_t* strides,
                    const kernel::KernelRows& rows, absl::Span<const kernel::FoldBlock> blocks,
                    char* sums) const {
  char* const buffers =
      static_cast<char*>(__builtin_alloca_with_align(buffer_bytes_, 8 * kAlignment));
  absl::FixedArray<Tile, 32> tiles(num_inputs_);
  const int64_t row_bytes = static_cast<int64_t>(blocks.size()) * 8 * operands_.back().size;
  for (int64_t row = 0; row < rows.count; ++row, sums += row_bytes) {
    for (size_t k = 0; k < num_inputs_; ++k) {
      char* const at = pointers[k] + row * rows.strides[k];
      tiles[k] = {at, strides[k]};
      if (strides[k] != 0) continue;
      tiles[k].data = buffers + operands_[k].buffer;
      Repeat(tiles[k].data, at, operands_[k].size);
    }
    function(tiles.data(), blocks.data(), static_cast<int64_t>(blocks.size()), sums);
  }
}

void TileLoop::RunRow(TileFunction function, char* const* pointers, const int64_t* strides,
                      int64_t n, const int64_t* changes, const kernel::LibraryLoop* loops,
                      char* buffers, Tile* tiles) const {
  Tile& stream = tiles[operands_.size() + num_inputs_];
  // Without calls, operands that are all in place need no tiles: one goes to the last full vector.
  int64_t first = 0;
  if (!calls_loops_ && n >= lanes_ && PlaceAll(pointers, strides, changes, buffers, tiles)) {
    first = n & -lanes_;
    function(tiles, first, loops);
    if (first < n && stream.step == 0 && !WritesInput(pointers)) {
      // The last elements, and some before them once more.
      first = n;
      for (size_t k = 0; k < operands_.size(); ++k) {
        if (operands_[k].in_tiles) tiles[k].data += (n - lanes_) * tiles[k].step;
      }
      function(tiles, lanes_, loops);
    }
  }
  for (int64_t at = first, count; at < n; at += count) {
    count = CountAt(n - at);
    PlaceTiles(pointers, strides, first, at, count, buffers, tiles);
    if (count < lanes_) stream.step = 0;  // they are in buffers
    function(tiles, count, loops);
    FlushTiles(pointers, strides, at, count, tiles);
  }
}

}  // namespace dynacc::cpu

void DynaccCallLoop(const dynacc::kernel::LibraryLoop* loop, int64_t count, char** args,
                    const int64_t* steps, int reports) {
  const uint32_t raised = dynacc::platform::HardwareFlags();
  loop->fn(args, &count, steps, loop->data);
  if (reports == 0) dynacc::platform::ClearHardwareFlags();
  dynacc::platform::RaiseHardwareFlags(raised);
}

void DynaccPad(char* buffer, int64_t count, int64_t size, int64_t lanes) {
  dynacc::cpu::WithCarrier(
      size, [&](auto type) { dynacc::cpu::Pad<decltype(type)>(buffer, count, lanes); });
}
