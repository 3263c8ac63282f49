// The input that a seed stands for: one of the start inputs, changed here and there, or noise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dynacc {

// Always the same for the same seed and starts.
std::string InputOfSeed(uint64_t seed, const std::vector<std::string>& starts);

}  // namespace dynacc
