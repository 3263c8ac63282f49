#include "runtime/base/nearest_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace dynacc {
namespace {

std::string Plain(absl::string_view name) {
  std::string plain = absl::AsciiStrToLower(name);
  std::replace(plain.begin(), plain.end(), '-', '_');
  return plain;
}

}  // namespace

int EditDistance(absl::string_view left, absl::string_view right) {
  const std::string a = Plain(left), b = Plain(right);
  const size_t width = b.size() + 1;
  std::vector<int> cost((a.size() + 1) * width);
  const auto at = [&](size_t i, size_t j) -> int& { return cost[i * width + j]; };
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = static_cast<int>(i + j);
        continue;
      }
      const int exchanged = at(i - 1, j - 1) + (a[i - 1] != b[j - 1]);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, exchanged});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return cost.back();
}

std::string NearestName(absl::string_view name, const std::vector<std::string>& names) {
  const int near = std::max(1, static_cast<int>(name.size()) / 3);
  int least = near + 1;
  std::string nearest;
  for (const std::string& other : names) {
    const int distance = EditDistance(name, other);
    if (distance < least) {
      least = distance;
      nearest = other;
    }
  }
  return nearest;
}

std::string DidYouMean(absl::string_view name, const std::vector<std::string>& names) {
  const std::string nearest = NearestName(name, names);
  return nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?");
}

}  // namespace dynacc
