// TileKernel: a kernel run by library loops alone, tile by tile, with no compiler.
//
// A tile is small enough for its intermediate values to stay in the first-level cache. Every step
// is one call of an inner loop on the tile; operands are read and written where they lie, with
// their strides, but for results of the library's loops, which are copied to where there are gaps
// between them; intermediate values live in scratch rows that are reused when they are dead.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "runtime/kernel/compiled_kernel.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc::cpu {

class TileKernel : public kernel::CompiledKernel {
 public:
  static constexpr int64_t kTileElements = 1024;

  // Gives the loop for a step whose op has none here; an empty one if there is none.
  using FindLoop = absl::FunctionRef<kernel::LibraryLoop(const kernel::KernelStep& step)>;

  // With the array library's loops, or with others. UNIMPLEMENTED, naming op and dtype, if a step
  // has no loop.
  static absl::StatusOr<std::shared_ptr<const kernel::CompiledKernel>> Make(
      const kernel::Kernel& kernel);
  static absl::StatusOr<std::shared_ptr<const kernel::CompiledKernel>> Make(
      const kernel::Kernel& kernel, FindLoop find);

  void Run(char* const* pointers, const int64_t* strides, int64_t n) const override;
  const std::string& source() const override { return source_; }

 private:
  // Where a value is: an operand of the kernel (index >= 0) or a scratch row; with both in the
  // operand, or in the row if there are gaps in the operand.
  struct Place {
    int operand = -1;
    int row = -1;
    int item_size = 0;
  };
  struct Call {
    kernel::LibraryLoop loop;
    int num_args = 0;
    Place args[4];
    bool keeps_flags = false;     // what earlier steps raised is put back: many loops clear it
    bool clears_flags = false;    // and what the loop raises is not reported
    bool only_into_gaps = false;  // made only if there are gaps in the second argument
  };
  friend class TilePlanner;

  // The scratch rows of one thread. They do not touch: see kLoopGap.
  struct Scratch {
    char* rows;
    int64_t tile_elements;  // for which a row has room
    int64_t RowBytes() const { return tile_elements * kMaxItemSize + kernel::kLoopGap; }
  };

  void RunTiles(char* const* pointers, const int64_t* strides, int64_t n,
                const Scratch& scratch) const;
  void RunShortTiles(char* const* pointers, const int64_t* strides, int64_t n) const;
  void RunTile(char* const* pointers, const int64_t* strides, int64_t first, int64_t n,
               const Scratch& scratch) const;

  std::vector<Call> calls_;
  int num_rows_ = 0;
  std::string source_;
};

}  // namespace dynacc::cpu
