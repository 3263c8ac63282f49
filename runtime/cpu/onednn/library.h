// oneDNN: Intel's library of matrix products, opened when the first product wants it.
//
// Nothing of it is linked. `libdnnl.so.2`, or `.3` or `.3.6` if the build has the headers of that,
// or what DYNACC_ONEDNN_LIBRARY names, is opened by the first call of OneDnnStatus, which takes
// some milliseconds, and never closed. Without it, or without its headers in the build, products
// are the array library's as before.
//
// THREADS. Debian's oneDNN splits its work with OpenMP (libgomp), whose threads do not survive a
// fork and are a second pool beside ours. So each call of it is made under OneThread, which has it
// compute on the calling thread alone; what is split over threads is split by us
// (fused_matmul.cc), over the pool of runtime/platform/thread_pool.h.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#ifdef DYNACC_HAS_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

namespace dynacc::cpu {

// Whether products can be computed by oneDNN; opens the library. UNAVAILABLE, with the reason, if
// not; the reason is logged once (DYNACC_LOGS=kernels). Thread-safe.
const absl::Status& OneDnnStatus();

// "2.6.3, libdnnl.so.2", "libdnnl.so.2, not opened yet", or that this build has none; opens
// nothing. For --dynacc-info.
std::string OneDnnSummary();

#ifdef DYNACC_HAS_ONEDNN

// The functions of the library that are called, by the names they have there.
struct OneDnn {
#define DYNACC_ONEDNN_FUNCTION(name) decltype(&dnnl_##name) name = nullptr;
#include "runtime/cpu/onednn/functions.def"
#undef DYNACC_ONEDNN_FUNCTION
  int (*omp_get_max_threads)() = nullptr;
  void (*omp_set_num_threads)(int) = nullptr;
  dnnl_engine_t engine = nullptr;  // the CPU
};

// The opened library; null where OneDnnStatus is not OK.
const OneDnn* TheOneDnn();

// UNAVAILABLE with the function's name unless `status` is dnnl_success; RESOURCE_EXHAUSTED if there
// was no memory.
absl::Status OneDnnError(dnnl_status_t status, const char* function);

// Has oneDNN compute on the calling thread alone while it lives.
class OneThread {
 public:
  explicit OneThread(const OneDnn& library)
      : library_(library), before_(library.omp_get_max_threads()) {
    if (before_ != 1) library_.omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) library_.omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const OneDnn& library_;
  const int before_;
};

#endif  // DYNACC_HAS_ONEDNN

}  // namespace dynacc::cpu
