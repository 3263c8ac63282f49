#include "embed/program/text_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace dynacc::program {
namespace {

// Cells of the table of common lengths, 4 bytes each.
constexpr size_t kMaxCells = size_t{1} << 24;

}  // namespace

std::vector<std::string> DiffLines(const std::vector<std::string>& a,
                                   const std::vector<std::string>& b) {
  size_t begin = 0, a_end = a.size(), b_end = b.size();
  while (begin < a_end && begin < b_end && a[begin] == b[begin]) ++begin;
  while (a_end > begin && b_end > begin && a[a_end - 1] == b[b_end - 1]) --a_end, --b_end;
  const size_t rows = a_end - begin, columns = b_end - begin;
  // common[i][j]: of the lines from begin + i and begin + j on.
  const bool fits = (rows + 1) * (columns + 1) <= kMaxCells;
  std::vector<uint32_t> common(fits ? (rows + 1) * (columns + 1) : 0);
  const auto at = [&](size_t i, size_t j) -> uint32_t& { return common[i * (columns + 1) + j]; };
  for (size_t i = fits ? rows : 0; i-- > 0;) {
    for (size_t j = columns; j-- > 0;) {
      at(i, j) = a[begin + i] == b[begin + j] ? at(i + 1, j + 1) + 1
                                              : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  std::vector<std::string> lines;
  size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (fits && i < rows && j < columns && a[begin + i] == b[begin + j]) {
      ++i, ++j;
    } else if (i < rows && (j == columns || !fits || at(i + 1, j) >= at(i, j + 1))) {
      lines.push_back("- " + a[begin + i++]);
    } else {
      lines.push_back("+ " + b[begin + j++]);
    }
  }
  return lines;
}

}  // namespace dynacc::program
