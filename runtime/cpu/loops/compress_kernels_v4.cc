#include "runtime/cpu/loops/compress_blocks.h"

namespace dynacc::cpu {

const CompressFns kCompressFnsV4 = {&CountTrue, &CompressRows};

}  // namespace dynacc::cpu
