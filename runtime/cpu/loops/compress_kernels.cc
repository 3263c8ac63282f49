#include "runtime/cpu/loops/compress_kernels.h"

#include "runtime/platform/cpu_level.h"

namespace dynacc::cpu {

const CompressFns& CompressFnsOfThisMachine() {
  static const CompressFns& best =
      platform::ForBestLevel(kCompressFnsBase, kCompressFnsV3, kCompressFnsV4);
  return best;
}

}  // namespace dynacc::cpu
