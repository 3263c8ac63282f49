// Windows of an array, at random, for tests of products that read them.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "runtime/tensor/strided_view.h"

namespace dynacc::cpu {

// Numbers as a matrix of so many rows and columns, or as its transposed one's rows lie.
inline StridedView MatrixOf(float* data, int64_t rows, int64_t columns, bool transposed) {
  StridedView view;
  view.data = reinterpret_cast<char*>(data);
  view.dtype = DType::kFloat32;
  view.rank = 2;
  view.shape[0] = rows;
  view.shape[1] = columns;
  view.strides[0] = 4 * (transposed ? 1 : columns);
  view.strides[1] = 4 * (transposed ? rows : 1);
  return view;
}

// A view of windows with the axes that it walks along, and the memory behind it.
class RandomWindows {
 public:
  explicit RandomWindows(int seed) : random_(seed) {
    std::vector<Axis> places, others;
    const int sources = Draw(1, 4);
    int64_t stride = 1;
    for (int s = 0; s < sources && places.size() + others.size() + 3 <= kMaxRank; ++s) {
      const int64_t unit = stride * Draw(1, 2);
      const int64_t step = Draw(1, 3), dilation = Draw(1, 3);
      const int64_t n = Draw(1, 9), k = Draw(1, 4);
      const int kind = Draw(0, 9);
      if (kind > 1) places.push_back({n, unit * step, s});
      if (kind != 2) others.push_back({k, (kind == 9 ? -1 : 1) * unit * dilation, s});
      if (kind == 8) others.push_back({2, unit, s});  // a window of a window
      stride = unit * ((n - 1) * step + (k + 2) * dilation + 1);
    }
    if (places.empty()) places.push_back({Draw(1, 3), stride, sources});
    std::shuffle(places.begin(), places.end(), random_);
    std::shuffle(others.begin(), others.end(), random_);
    num_places_ = static_cast<int>(places.size());
    places.insert(places.end(), others.begin(), others.end());
    Set(places);
  }

  int Draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  std::vector<float> Numbers(int64_t n) {
    std::vector<float> numbers(n);
    for (float& x : numbers) x = std::uniform_real_distribution<float>(-1, 1)(random_);
    return numbers;
  }
  int64_t Extent(int from, int to) const {
    return std::accumulate(view.shape + from, view.shape + to, int64_t{1}, std::multiplies<>());
  }
  int64_t rows() const { return Extent(0, num_places_); }
  int64_t inner() const { return Extent(num_places_, view.rank); }

  // Element `i` of those in C order.
  float At(int64_t i) const {
    const char* element = view.data;
    for (int d = view.rank - 1; d >= 0; --d, i /= view.shape[d + 1]) {
      element += i % view.shape[d] * view.strides[d];
    }
    return *reinterpret_cast<const float*>(element);
  }

  StridedView view;
  std::vector<int64_t> axes;

 private:
  struct Axis {
    int64_t size, stride, source;
  };

  void Set(const std::vector<Axis>& all) {
    view.dtype = DType::kFloat32;
    view.rank = static_cast<int>(all.size());
    for (int d = 0; d < view.rank; ++d) {
      view.shape[d] = all[d].size;
      view.strides[d] = 4 * all[d].stride;
      axes.push_back(all[d].source);
    }
    const ByteRange range = ByteRangeOf(view);
    image_ = Numbers((range.high - range.low) / 4);
    view.data = reinterpret_cast<char*>(image_.data()) - range.low;
  }

  std::mt19937 random_;
  int num_places_ = 0;
  std::vector<float> image_;
};

}  // namespace dynacc::cpu
