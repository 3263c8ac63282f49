// How a product of windows is read as a convolution.
#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/algorithm/container.h"
#include "runtime/cpu/onednn/convolution.h"

namespace dynacc::cpu {
namespace {

// An axis of the windows that has more than one element.
struct Axis {
  int64_t size, stride;  // of the windows, in elements
  int64_t source;        // axis of the image; -1: none
  int64_t dense;         // elements of the result (of places) or the filter between two
  bool is_place;
  bool is_spatial;  // places and filters have this axis of the image, if perhaps of size 1
};

// The axes, in order; nothing if strides are no multiples of an element.
std::optional<std::vector<Axis>> AxesOf(const StridedView& windows,
                                        absl::Span<const int64_t> source_axes, int places) {
  std::vector<Axis> axes;
  int64_t dense = 1;
  for (int d = windows.rank - 1; d >= 0; --d) {
    if (d == places - 1) dense = 1;
    const int64_t item = ItemSize(windows.dtype);
    if (windows.strides[d] % item != 0) return std::nullopt;
    const absl::Span<const int64_t> others =
        d < places ? source_axes.subspan(places) : source_axes.subspan(0, places);
    if (windows.shape[d] > 1) {
      axes.push_back({windows.shape[d], windows.strides[d] / item, source_axes[d], dense,
                      d < places, absl::c_linear_search(others, source_axes[d])});
    }
    dense *= windows.shape[d];
  }
  std::reverse(axes.begin(), axes.end());
  return axes;
}

// How many axes of the windows are places: those whose sizes have the product `rows`.
std::optional<int> NumPlaces(const StridedView& windows, int64_t rows, int64_t inner) {
  int64_t before = 1;
  for (int d = 0; d <= windows.rank; ++d) {
    if (before == rows && windows.size() == rows * inner) return d;
    if (d < windows.rank) before *= windows.shape[d];
  }
  return std::nullopt;
}

class Reader {
 public:
  Reader(int64_t filters, int64_t b_row, int64_t b_column) : b_row_(b_row) {
    shape_.filters = filters;
    shape_.filter_stride = b_column;
  }

  bool Read(const std::vector<Axis>& axes) {
    for (const Axis& axis : axes) {
      if (axis.source < 0 || axis.stride <= 0 || HasTwin(axes, axis)) return false;
      const Axis* const other = Partner(axes, axis);
      if (other != nullptr && axis.is_place && !AddSpatial(&axis, other)) return false;
    }
    for (const Axis& axis : axes) {
      if (Partner(axes, axis) == nullptr && !AddSingle(axis)) return false;
    }
    if (shape_.rank == 0) return false;  // an ordinary product
    SetStridesOfOne();
    return true;
  }

  const ConvolutionShape& shape() const { return shape_; }

 private:
  // The axis that walks along the same axis of the image from the other side.
  static const Axis* Partner(const std::vector<Axis>& axes, const Axis& axis) {
    for (const Axis& other : axes) {
      if (other.source == axis.source && other.is_place != axis.is_place) return &other;
    }
    return nullptr;
  }

  // Whether another axis walks along the same one from the same side.
  static bool HasTwin(const std::vector<Axis>& axes, const Axis& axis) {
    for (const Axis& other : axes) {
      const bool is_alike = other.source == axis.source && other.is_place == axis.is_place;
      if (is_alike && &other != &axis) return true;
    }
    return false;
  }

  // Of axes with one element, as if there were more.
  void SetStridesOfOne() {
    const ConvolutionShape::Spatial& first = shape_.spatial[0];
    if (shape_.images == 1) {
      shape_.image_stride = first.image * first.image_stride;
      shape_.result_image_stride = first.places * first.result_stride;
    }
    if (shape_.channels == 1) shape_.channel_stride = shape_.filter_channel_stride = 1;
  }

  // Both walk along the image, by steps of which the greatest common one counts as its stride.
  bool AddSpatial(const Axis* place, const Axis* filter) {
    if (shape_.rank == ConvolutionShape::kMostSpatial) return false;
    const int64_t unit = filter == nullptr  ? place->stride
                         : place == nullptr ? filter->stride
                                            : std::gcd(place->stride, filter->stride);
    ConvolutionShape::Spatial& s = shape_.spatial[shape_.rank++];
    s = {1, 1, 1, 1, 1, unit, 1, 1};
    if (place != nullptr) {
      s.places = place->size;
      s.step = place->stride / unit;
      s.result_stride = place->dense * shape_.filters;
    }
    if (filter != nullptr) {
      s.filter = filter->size;
      s.dilation = filter->stride / unit;
      s.filter_stride = filter->dense * b_row_;
    }
    s.image = (s.places - 1) * s.step + (s.filter - 1) * s.dilation + 1;
    return true;
  }

  // Places along an axis without a filter's are images, or places all the same; a filter's axis
  // without places is the channels, or a filter that has one place.
  bool AddSingle(const Axis& axis) {
    if (axis.is_place && !axis.is_spatial && shape_.images == 1) {
      shape_.images = axis.size;
      shape_.image_stride = axis.stride;
      shape_.result_image_stride = axis.dense * shape_.filters;
      return true;
    }
    if (!axis.is_place && !axis.is_spatial && shape_.channels == 1) {
      shape_.channels = axis.size;
      shape_.channel_stride = axis.stride;
      shape_.filter_channel_stride = axis.dense * b_row_;
      return true;
    }
    return axis.is_place ? AddSpatial(&axis, nullptr) : AddSpatial(nullptr, &axis);
  }

  const int64_t b_row_;
  ConvolutionShape shape_;
};

}  // namespace

std::optional<ConvolutionShape> AsConvolution(const StridedView& windows,
                                              absl::Span<const int64_t> source_axes,
                                              const StridedView& b, const StridedView& out) {
  const int64_t item = ItemSize(b.dtype);
  const int64_t row = b.strides[b.rank - 2], column = b.strides[b.rank - 1];
  const int64_t inner = b.shape[b.rank - 2], filters = b.shape[b.rank - 1];
  if (inner == 0 || filters == 0 || row <= 0 || column <= 0 || row % item != 0 ||
      column % item != 0) {
    return std::nullopt;
  }
  const std::optional<int> places = NumPlaces(windows, out.size() / filters, inner);
  if (!places.has_value()) return std::nullopt;
  const auto axes = AxesOf(windows, source_axes, *places);
  if (!axes.has_value()) return std::nullopt;
  Reader reader(filters, row / item, column / item);
  if (!reader.Read(*axes)) return std::nullopt;
  return reader.shape();
}

}  // namespace dynacc::cpu
