#include "runtime/cuda/cuda_driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/options.h"
#include "runtime/base/shared_library.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cuda {
namespace {

// The oldest driver that has everything in driver_functions.def.
constexpr absl::string_view kOldestDriver = "CUDA 12.0 (driver 525)";

using GetProcAddress = cuda::Result (*)(const char* symbol, void** function, int cuda_version,
                                        uint64_t flags, int* status);

// As the caller sees it: the reason that dlopen gives is the useful part.
absl::StatusOr<void*> OpenLibrary(const std::string& path) {
  const absl::StatusOr<void*> library = OpenSharedLibrary(path);
  if (library.ok()) return *library;
  return absl::UnavailableError(absl::StrCat("no NVIDIA driver: ", library.status().message(),
                                             " (CUDA needs the driver's libcuda.so.1)"));
}

std::string VersionText(int version) {
  return absl::StrCat("CUDA ", version / 1000, ".", version % 1000 / 10);
}

absl::Status TooOld(const CudaDriver& driver, const std::string& detail) {
  int version = 0;
  if (driver.cuDriverGetVersion != nullptr) driver.cuDriverGetVersion(&version);
  const std::string its =
      version > 0 ? absl::StrCat(" supports ", VersionText(version), " and") : "";
  return absl::UnavailableError(absl::StrCat("the NVIDIA driver", its, " lacks ", detail,
                                             "; DynaCC needs ", kOldestDriver, " or newer"));
}

absl::Status LookUp(GetProcAddress get, CudaDriver& driver) {
  std::vector<absl::string_view> missing;
#define DYNACC_CUDA_FUNCTION(name, version, parameters)                              \
  {                                                                                  \
    void* function = nullptr;                                                        \
    const bool found = get(#name, &function, version, 0, nullptr) == cuda::kSuccess; \
    if (found) driver.name = reinterpret_cast<decltype(driver.name)>(function);      \
    if (driver.name == nullptr) missing.push_back(#name);                            \
  }
#include "runtime/cuda/driver_functions.def"
#undef DYNACC_CUDA_FUNCTION
  if (missing.empty()) return absl::OkStatus();
  return TooOld(driver, absl::StrJoin(missing, ", "));
}

// What CUDA_VISIBLE_DEVICES may have to do with a missing device.
std::string NoDeviceText() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return "the NVIDIA driver is there but no CUDA device";
  return absl::StrCat("no CUDA device is visible: CUDA_VISIBLE_DEVICES is \"", visible, "\"");
}

absl::Status Start(CudaDriver& driver) {
  const cuda::Result started = driver.cuInit(0);
  if (started == cuda::kNoDevice) return absl::UnavailableError(NoDeviceText());
  if (started != cuda::kSuccess) {
    const absl::Status status = driver.Check(started, "starting the NVIDIA driver");
    return absl::UnavailableError(status.message());
  }
  driver.cuDriverGetVersion(&driver.version);
  DYNACC_RETURN_IF_ERROR(
      driver.Check(driver.cuDeviceGetCount(&driver.devices), "counting CUDA devices"));
  if (driver.devices == 0) return absl::UnavailableError(NoDeviceText());
  return absl::OkStatus();
}

constexpr cuda::Result kLosses[] = {
    cuda::kEccUncorrectable,
    cuda::kNvlinkUncorrectable,
    cuda::kIllegalAddress,
    cuda::kLaunchTimeout,
    cuda::kContextIsDestroyed,
    cuda::kAssert,
    cuda::kHardwareStackError,
    cuda::kIllegalInstruction,
    cuda::kMisalignedAddress,
    cuda::kInvalidAddressSpace,
    cuda::kInvalidPc,
    cuda::kLaunchFailed,
    cuda::kUnknown,
};

absl::StatusCode CodeOf(cuda::Result result) {
  if (result == cuda::kOutOfMemory) return absl::StatusCode::kResourceExhausted;
  if (result == cuda::kInvalidImage || result == cuda::kNoBinaryForGpu) {
    return absl::StatusCode::kInvalidArgument;
  }
  return IsLoss(result) ? absl::StatusCode::kDataLoss : absl::StatusCode::kInternal;
}

}  // namespace

bool IsLoss(cuda::Result result) { return absl::c_linear_search(kLosses, result); }

absl::StatusOr<CudaDriver> CudaDriver::Open(const std::string& path) {
  DYNACC_ASSIGN_OR_RETURN(void* const library, OpenLibrary(path.empty() ? "libcuda.so.1" : path));
  CudaDriver driver;
  // The form with a status parameter came with CUDA 12; an older driver has only the other one.
  const auto get = reinterpret_cast<GetProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
  if (get == nullptr) {
    driver.cuDriverGetVersion =
        reinterpret_cast<decltype(driver.cuDriverGetVersion)>(dlsym(library, "cuDriverGetVersion"));
    return TooOld(driver, "cuGetProcAddress_v2");
  }
  DYNACC_RETURN_IF_ERROR(LookUp(get, driver));
  DYNACC_RETURN_IF_ERROR(Start(driver));
  return driver;
}

absl::Status CudaDriver::Check(cuda::Result result, absl::string_view what) const {
  if (result == cuda::kSuccess) return absl::OkStatus();
  const char* name = nullptr;
  const char* text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  return absl::Status(CodeOf(result),
                      absl::StrCat(what, ": ", name == nullptr ? "error" : name, " (", result, ")",
                                   text == nullptr ? "" : ": ", text == nullptr ? "" : text));
}

const absl::StatusOr<CudaDriver>& ProcessCudaDriver() {
  static const auto& driver =
      *new absl::StatusOr<CudaDriver>(CudaDriver::Open(ProcessOptions().cuda_driver));
  return driver;
}

}  // namespace dynacc::cuda
