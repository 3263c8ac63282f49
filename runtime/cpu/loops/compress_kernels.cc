#include "runtime/cpu/loops/compress_kernels.h"

#include "runtime/platform/cpu_level.h"

namespace dynacc {

const CompressFns& CompressFnsOfThisMachine() {
  static const CompressFns& best = ForBestLevel(kCompressFnsBase, kCompressFnsV3, kCompressFnsV4);
  return best;
}

}  // namespace dynacc
