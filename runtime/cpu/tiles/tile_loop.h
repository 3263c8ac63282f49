// TileLoop: a compiled kernel's way along its operands, tile by tile.
//
// The function of a kernel (prelude/tiles.h) does one tile, in which each operand is dense or a
// number. An operand that lies so is used where it is. Another one goes through a buffer, as does
// everything in a last tile of fewer elements than a vector has; buffers of inputs are filled up
// with copies of a valid element, so that the lanes that are not wanted raise no floating-point
// flag that the others do not.
//
// Not in the prelude: compiling it there would double a kernel's compile time.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/cpu/loops/move_kernels.h"
#include "runtime/kernel/compiled_kernel.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc::cpu {

// Where a tile of an operand begins, and the bytes from element to element.
struct Tile {
  char* data;
  int64_t step;
};

// `tiles`: one for each operand that emitted code reads or writes; then the inputs as they are, for
// library loops; then one whose step is not 0 if the results, at multiples of 64 bytes, go past the
// cache. `loops`: one for each library step.
using TileFunction = void (*)(const Tile* tiles, int64_t count, const kernel::LibraryLoop* loops);

// Its other function, which folds one row.
using FoldFunction = void (*)(const Tile* tiles, const kernel::FoldBlock* blocks, int64_t count,
                              char* sums);

class TileLoop {
 public:
  // `lanes`: the elements of a vector in the module that the kernel is compiled in.
  TileLoop(const kernel::Kernel& kernel, int lanes);

  // Does what CompiledKernel::RunRows says.
  void Run(TileFunction function, char* const* pointers, const int64_t* strides, int64_t n,
           const kernel::KernelRows& rows, const kernel::LibraryLoop* loops,
           bool non_temporal) const;

  // Does what CompiledKernel::Fold says.
  void Fold(FoldFunction function, char* const* pointers, const int64_t* strides,
            const kernel::KernelRows& rows, absl::Span<const kernel::FoldBlock> blocks,
            char* sums) const;

 private:
  struct Operand {
    int64_t size;    // bytes of an element
    int64_t buffer;  // where its own begins in the memory for buffers
    bool in_tiles;   // read or written by emitted code
  };

  void RunRow(TileFunction function, char* const* pointers, const int64_t* strides, int64_t n,
              const int64_t* changes, const kernel::LibraryLoop* loops, char* buffers,
              Tile* tiles) const;
  bool PlaceAll(char* const* pointers, const int64_t* strides, const int64_t* changes,
                char* buffers, Tile* tiles) const;
  bool AreOutputsOnLines(char* const* pointers, const int64_t* strides) const;
  bool WritesInput(char* const* pointers) const;
  void Repeat(char* buffer, const char* number, int64_t size) const;
  int64_t CountAt(int64_t left) const;
  void PlaceTiles(char* const* pointers, const int64_t* strides, int64_t first, int64_t at,
                  int64_t count, char* buffers, Tile* tiles) const;
  void FlushTiles(char* const* pointers, const int64_t* strides, int64_t at, int64_t count,
                  const Tile* tiles) const;

  const MoveFns& moves_;
  std::vector<Operand> operands_;  // inputs, then outputs
  size_t num_inputs_;
  int64_t lanes_;
  int64_t tile_;  // elements
  bool calls_loops_ = false;
  int64_t buffer_bytes_ = 0;
};

}  // namespace dynacc::cpu

// What the prelude declares for the code of kernels.
extern "C" {

// Calls a library's loop with the floating-point flags raised so far put back afterwards, as many
// of them clear those. `reports`: whether those that it raises itself count.
void DynaccCallLoop(const dynacc::kernel::LibraryLoop* loop, int64_t count, char** args,
                    const int64_t* steps, int reports);

// Fills `buffer`, which holds `count` elements of `size` bytes (a power of two up to 16), up to a
// multiple of `lanes` with copies of the first. It need not be aligned.
void DynaccPad(char* buffer, int64_t count, int64_t size, int64_t lanes);

}  // extern "C"
