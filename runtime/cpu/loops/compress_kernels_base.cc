#include "runtime/cpu/loops/compress_blocks.h"

namespace dynacc {

const CompressFns kCompressFnsBase = {&CountTrue, &CompressRows};

}  // namespace dynacc
