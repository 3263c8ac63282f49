// What a fuzz target is, and what its body needs.
//
// A target is one file, its name and _fuzzer, with libFuzzer's function and the inputs to begin
// with:
//
//   int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)   runs one input; returns 0
//   std::vector<std::string> StartInputs()                         valid inputs, to be changed; may
//   be none
//
// It finds something by crashing or by FUZZ_REQUIRE. An input must do the same each time, as far as
// the target can see to it. The same file is linked with seeded_main.cc, or with libFuzzer (preset
// fuzz).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace dynacc {

std::vector<std::string> StartInputs();

#define FUZZ_REQUIRE(condition) FUZZ_REQUIRE_SAYING(condition, "")
// With details to print: text, which is made only if the condition does not hold.
#define FUZZ_REQUIRE_SAYING(condition, details)                                           \
  do {                                                                                    \
    if (!(condition)) ::dynacc::ReportFinding(__FILE__, __LINE__, #condition, (details)); \
  } while (false)

[[noreturn]] inline void ReportFinding(const char* file, int line, const char* condition,
                                       const std::string& details) {
  std::fprintf(stderr, "%s:%d: %s does not hold\n%s\n", file, line, condition, details.c_str());
  std::abort();
}

// An input taken for a sequence of choices. Past its end all choices are 0.
class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}

  bool is_empty() const { return at_ == end_; }

  uint8_t Byte() { return at_ == end_ ? 0 : *at_++; }
  uint64_t Number(int bytes = 8) {
    uint64_t number = 0;
    for (int i = 0; i < bytes; ++i) number |= uint64_t{Byte()} << (8 * i);
    return number;
  }
  // From 0 to below - 1.
  size_t Pick(size_t below) { return below <= 1 ? 0 : Number(below <= 256 ? 1 : 4) % below; }
  bool Chance(int in) { return Pick(static_cast<size_t>(in)) == 0; }
  // A number as bugs like them: small, near a power of two, or any.
  uint64_t OddNumber() {
    switch (Pick(4)) {
      case 0:
        return Pick(16);
      case 1:
        return (uint64_t{1} << Pick(64)) + Pick(3) - 1;
      case 2:
        return ~uint64_t{0} - Pick(16);
      default:
        return Number();
    }
  }
  std::string Text(size_t limit) {
    std::string text;
    for (size_t length = Pick(limit + 1); length > 0; --length) text += static_cast<char>(Byte());
    return text;
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

}  // namespace dynacc
