#include "runtime/platform/host_cpu.h"

#include <cpuid.h>

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace dynacc::platform {
namespace {

// Leaf 1's EBX holds the number of the core that runs the instruction, and bit 27 of ECX says
// whether XGETBV may be used. (Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E.)
constexpr uint32_t kOsXsave = 1u << 27;

absl::Hex Hex8(uint32_t value) { return absl::Hex(value, absl::kZeroPad8); }

std::string Leaf(uint32_t leaf, uint32_t subleaf) {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  __get_cpuid_count(leaf, subleaf, &eax, &ebx, &ecx, &edx);
  if (leaf == 1) ebx = 0;
  return absl::StrCat(absl::Hex(leaf), ".", absl::Hex(subleaf), ":", Hex8(eax), Hex8(ebx),
                      Hex8(ecx), Hex8(edx), ";");
}

// The register states that the operating system saves: without these AVX and AVX-512 are off.
std::string EnabledStates() {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  __get_cpuid(1, &eax, &ebx, &ecx, &edx);
  if ((ecx & kOsXsave) == 0) return "xcr0:none";
  uint32_t low, high;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return absl::StrCat("xcr0:", Hex8(high), Hex8(low));
}

}  // namespace

const std::string& HostCpuFingerprint() {
  static const std::string& text =
      *new std::string(Leaf(0, 0) + Leaf(1, 0) + Leaf(7, 0) + Leaf(7, 1) + Leaf(0x80000001, 0) +
                       Leaf(0x80000008, 0) + EnabledStates());
  return text;
}

}  // namespace dynacc::platform
