#include "tests/fuzz_native/mutation.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <random>
#include <utility>

namespace dynacc {
namespace {

using Rng = std::mt19937_64;

constexpr size_t kLargest = 1 << 16;
constexpr uint64_t kExtremes[] = {0,          1,          0x7f,       0x80,
                                  0xff,       0x7fff,     0xffff,     0x7fffffff,
                                  0x80000000, 0xffffffff, UINT64_MAX, uint64_t{1} << 63};

size_t Below(Rng& rng, size_t limit) { return limit == 0 ? 0 : rng() % limit; }

std::string Noise(Rng& rng) {
  std::string bytes(Below(rng, size_t{1} << Below(rng, 13)), '\0');
  for (char& byte : bytes) byte = static_cast<char>(rng());
  return bytes;
}

// Begins and ends at the ends of lines where there are some, as half the bugs in parsers need.
std::string PartOf(const std::string& text, Rng& rng) {
  size_t from = Below(rng, text.size() + 1);
  size_t size = Below(rng, std::min<size_t>(text.size() - from, 200) + 1);
  if (rng() % 2 == 0) {
    const size_t line = text.rfind('\n', from);
    from = line == std::string::npos ? 0 : line + 1;
    const size_t end = text.find('\n', from);
    size = (end == std::string::npos ? text.size() : end + 1) - from;
  }
  return text.substr(from, size);
}

void ChangeBytes(std::string& input, Rng& rng) {
  if (input.empty()) return;
  const size_t at = Below(rng, input.size());
  switch (rng() % 4) {
    case 0:
      input[at] = static_cast<char>(rng());
      break;
    case 1:
      input[at] = static_cast<char>(input[at] ^ (1 << rng() % 8));
      break;
    case 2:
      input[at] = static_cast<char>(input[at] + static_cast<int>(rng() % 9) - 4);
      break;
    default: {
      const uint64_t value = kExtremes[rng() % std::size(kExtremes)];
      const size_t size = std::min<size_t>(size_t{1} << rng() % 4, input.size() - at);
      std::memcpy(input.data() + at, &value, size);
    }
  }
}

void ChangeParts(std::string& input, const std::string& other, Rng& rng) {
  const size_t at = Below(rng, input.size() + 1);
  switch (rng() % 5) {
    case 0:
      input.insert(at, PartOf(input, rng));
      break;
    case 1:
      input.insert(at, PartOf(other, rng));
      break;
    case 2:
      input.erase(at, 1 + Below(rng, 40));
      break;
    case 3:
      input.resize(at);
      break;
    default: {
      const std::string part = PartOf(other, rng);
      input.replace(at, part.size(), part);
    }
  }
}

// A run of digits becomes another number.
void ChangeNumber(std::string& input, Rng& rng) {
  constexpr const char* kDigits = "0123456789";
  const size_t from = input.find_first_of(kDigits, Below(rng, input.size() + 1));
  if (from == std::string::npos) return;
  const size_t end = std::min(input.find_first_not_of(kDigits, from), input.size());
  const uint64_t number = rng() % 2 == 0 ? rng() % 20 : kExtremes[rng() % std::size(kExtremes)];
  input.replace(from, end - from, (rng() % 8 == 0 ? "-" : "") + std::to_string(number));
}

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The word around or after a place: where it begins, and its length.
std::pair<size_t, size_t> WordAt(const std::string& text, size_t at) {
  while (at < text.size() && !IsWordCharacter(text[at])) ++at;
  while (at > 0 && at < text.size() && IsWordCharacter(text[at - 1])) --at;
  size_t end = at;
  while (end < text.size() && IsWordCharacter(text[end])) ++end;
  return {at, end - at};
}

// A word becomes another of the same text or of `other`, or changes places with the next one.
void ChangeWord(std::string& input, const std::string& other, Rng& rng) {
  const std::string& source = rng() % 2 == 0 ? input : other;
  const auto [from, length] = WordAt(source, Below(rng, source.size() + 1));
  const std::string word = source.substr(from, length);
  const auto [at, size] = WordAt(input, Below(rng, input.size() + 1));
  input.replace(at, size, word);
}

}  // namespace

std::string InputOfSeed(uint64_t seed, const std::vector<std::string>& starts) {
  Rng rng(seed);
  if (starts.empty() || rng() % 16 == 0) return Noise(rng);
  std::string input = starts[Below(rng, starts.size())];
  for (uint64_t changes = 1 + rng() % (uint64_t{1} << rng() % 4); changes > 0; --changes) {
    const std::string& other = starts[Below(rng, starts.size())];
    switch (rng() % 8) {
      case 0:
        ChangeParts(input, other, rng);
        break;
      case 1:
      case 2:
        ChangeNumber(input, rng);
        break;
      case 3:
      case 4:
        ChangeWord(input, other, rng);
        break;
      default:
        ChangeBytes(input, rng);
    }
  }
  if (input.size() > kLargest) input.resize(kLargest);
  return input;
}

}  // namespace dynacc
