#include "runtime/kernel/library_loops.h"

#include <array>

#include "runtime/base/check.h"

namespace dynacc::kernel {
namespace {

constexpr int kMaxOps = 256;

// Written at start-up under the GIL, read-only afterwards.
std::array<std::array<LibraryLoop, kNumDTypes>, kMaxOps> loops;

}  // namespace

void RegisterLibraryLoop(int op, DType dtype, LibraryLoop loop) {
  DYNACC_CHECK(op >= 0 && op < kMaxOps) << "op " << op;
  loops[op][static_cast<int>(dtype)] = loop;
}

LibraryLoop FindLibraryLoop(int op, DType dtype) { return loops[op][static_cast<int>(dtype)]; }

}  // namespace dynacc::kernel
