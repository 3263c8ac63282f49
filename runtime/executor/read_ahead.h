// ReadAhead: fetches what comes next into the cache while something else is computed.
//
// The first stage of a block of rows reads its input from memory, the others find it in the cache,
// so that memory and arithmetic would take turns. A few lines fetched between the rows of the later
// stages keep both busy.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dynacc::executor {

class ReadAhead {
 public:
  static constexpr int kMaxRanges = 4;
  static constexpr int64_t kLine = 64;

  // Forgets the ranges. `elements`: that are to be computed meanwhile, as Advance counts them.
  void Start(int64_t elements) {
    num_ranges_ = 0;
    lines_ = 0;
    done_ = 0;
    elements_ = std::max<int64_t>(1, elements);
  }

  // Memory that will be read; more than kMaxRanges ranges are left out.
  void Add(const char* begin, int64_t bytes) {
    if (num_ranges_ == kMaxRanges) return;
    ranges_[num_ranges_++] = {begin, (bytes + kLine - 1) / kLine};
    lines_ += (bytes + kLine - 1) / kLine;
  }

  // Forgets the ranges if there is too little to compute meanwhile: many lines at once are waited
  // for.
  void GiveUpIfHasty() {
    constexpr int64_t kElementsPerLine = 4;
    if (elements_ < kElementsPerLine * lines_) num_ranges_ = 0;
  }

  bool is_idle() const { return num_ranges_ == 0; }

  // Fetches the share of the lines that belongs to `n` more elements.
  void Advance(int64_t n) {
    const int64_t from = lines_ * done_ / elements_;
    done_ = std::min(elements_, done_ + n);
    Fetch(from, lines_ * done_ / elements_);
  }

 private:
  struct Range {
    const char* begin;
    int64_t lines;
  };

  // Lines [from, to), counted over all ranges.
  void Fetch(int64_t from, int64_t to) const {
    for (int r = 0; r < num_ranges_ && from < to; ++r) {
      const Range& range = ranges_[r];
      for (; from < std::min(to, range.lines); ++from) {
        __builtin_prefetch(range.begin + from * kLine);
        // To GCC 12 a function that does nothing but fetch has no effect, and its calls are left
        // out.
        __asm__ volatile("");
      }
      from -= std::min(from, range.lines);
      to -= range.lines;
    }
  }

  Range ranges_[kMaxRanges];
  int num_ranges_ = 0;
  int64_t lines_ = 0;
  int64_t elements_ = 1;
  int64_t done_ = 0;
};

}  // namespace dynacc::executor
