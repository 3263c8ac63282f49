// What this machine's CPU can do, without LLVM: for cache keys.
#pragma once

#include <string>

namespace dynacc::platform {

// A text that differs between CPUs for which a compiler may make different code: vendor, family,
// model, stepping, instruction sets, and what of them the operating system has enabled.
const std::string& HostCpuFingerprint();

}  // namespace dynacc::platform
