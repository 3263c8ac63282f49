#include "runtime/platform/cpu_quota.h"

#include <cstdlib>
#include <sstream>

#include "runtime/platform/control_groups.h"

namespace dynacc {
namespace {

// Of texts as the kernel writes them: "max" and -1 are no limit.
double Quota(const std::string& quota, const std::string& period) {
  const double time = std::atof(quota.c_str()), every = std::atof(period.c_str());
  return time > 0 && every > 0 ? time / every : 0;
}

double QuotaOf(const std::string& folder, int version) {
  if (version == 1) {
    return Quota(FirstLine(folder + "/cpu.cfs_quota_us"), FirstLine(folder + "/cpu.cfs_period_us"));
  }
  std::istringstream text(FirstLine(folder + "/cpu.max"));  // "200000 100000"
  std::string quota, period;
  text >> quota >> period;
  return Quota(quota, period);
}

}  // namespace

double CpuQuota(const std::string& root) {
  double least = 0;
  ForEachControlGroup(root, "cpu", [&least](const std::string& folder, int version) {
    const double quota = QuotaOf(folder, version);
    if (quota > 0 && (least == 0 || quota < least)) least = quota;
  });
  return least;
}

}  // namespace dynacc
