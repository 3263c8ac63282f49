#include "frontend/bytecode/code_tables.h"

#include <algorithm>
#include <cstdint>

namespace dynacc::bytecode {
namespace {

class ByteReader {
 public:
  explicit ByteReader(BorrowedRef bytes)
      : at_(reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(bytes))),
        end_(at_ + PyBytes_GET_SIZE(bytes)) {}

  bool done() const { return at_ >= end_; }
  uint8_t Byte() { return done() ? 0 : *at_++; }

  // Six bits a byte, 0x40 continues. The two tables differ in which end comes first.
  uint32_t LittleEndianVarint() {
    uint32_t byte = Byte();
    uint32_t value = byte & 63;
    for (int shift = 6; byte & 64; shift += 6) {
      byte = Byte();
      value |= (byte & 63) << shift;
    }
    return value;
  }
  uint32_t BigEndianVarint() {
    uint32_t byte = Byte();
    uint32_t value = byte & 63;
    while (byte & 64) {
      byte = Byte();
      value = value << 6 | (byte & 63);
    }
    return value;
  }
  int SignedVarint() {
    const uint32_t value = LittleEndianVarint();
    return value & 1 ? -static_cast<int>(value >> 1) : static_cast<int>(value >> 1);
  }
  // The rest of a location entry is the bytes up to the next one's first byte.
  void SkipToEntry() {
    while (!done() && (*at_ & 0x80) == 0) ++at_;
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

// Kinds of location entries (bits 3 to 6 of the first byte).
constexpr int kOneLineForm0 = 10;
constexpr int kOneLineForm2 = 12;
constexpr int kNoColumns = 13;
constexpr int kLongForm = 14;
constexpr int kNoLocation = 15;

int LineDelta(int kind, ByteReader& reader) {
  if (kind == kLongForm || kind == kNoColumns) return reader.SignedVarint();
  return kind >= kOneLineForm0 && kind <= kOneLineForm2 ? kind - kOneLineForm0 : 0;
}

}  // namespace

std::vector<int> DecodeLineTable(BorrowedRef table, int first_line, size_t units) {
  std::vector<int> lines(units, 0);
  ByteReader reader(table);
  int line = first_line;
  for (size_t unit = 0; !reader.done() && unit < units;) {
    const uint8_t first = reader.Byte();
    const int kind = first >> 3 & 15;
    const size_t end = std::min(units, unit + (first & 7) + 1);
    line += LineDelta(kind, reader);
    reader.SkipToEntry();
    for (; unit < end; ++unit) lines[unit] = kind == kNoLocation ? 0 : line;
  }
  return lines;
}

std::vector<HandlerRange> DecodeExceptionTable(BorrowedRef table) {
  std::vector<HandlerRange> ranges;
  ByteReader reader(table);
  while (!reader.done()) {
    const int start = static_cast<int>(reader.BigEndianVarint());
    const int length = static_cast<int>(reader.BigEndianVarint());
    const int target = static_cast<int>(reader.BigEndianVarint());
    const uint32_t depth_lasti = reader.BigEndianVarint();
    ranges.push_back({start, start + length, target, static_cast<int>(depth_lasti >> 1),
                      (depth_lasti & 1) != 0});
  }
  return ranges;
}

}  // namespace dynacc::bytecode
