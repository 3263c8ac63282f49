#include "runtime/cpu/loops/compress_blocks.h"

namespace dynacc::cpu {

const CompressFns kCompressFnsBase = {&CountTrue, &CompressRows};

}  // namespace dynacc::cpu
