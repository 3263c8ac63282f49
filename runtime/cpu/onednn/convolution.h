// Convolutions by oneDNN: products of windows of an array by a matrix.
//
// A convolution is the product of a matrix whose rows are an image's windows by the matrix of all
// filters; written so, nothing need know of convolutions but who computes the product. The windows
// are a view, in which elements stand several times, and which lies as no matrix does: it would
// have to be copied, nine times the image for filters of 3 x 3. oneDNN reads the image instead.
//
// That a view is one of windows is seen from its strides: of its axes, those that belong to the
// result's rows are places, the others the filter's; two of the same axis of the image walk along
// it, one from window to window, one within each. With several threads the places along the first
// axis are shared out.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/cpu/onednn/fused_matmul.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::cpu {

// All in elements. Axes of space: `rank` of them, of at most 3.
struct ConvolutionShape {
  static constexpr int kMostSpatial = 3;

  struct Spatial {
    int64_t image, filter, places;  // sizes; of the image, what the windows reach
    int64_t step, dilation;         // from window to window, and within one; from 1 on
    int64_t image_stride, filter_stride, result_stride;
  };
  int rank = 0;
  Spatial spatial[kMostSpatial];
  int64_t images = 1, channels = 1, filters = 0;
  int64_t image_stride = 0, channel_stride = 0;          // of the images
  int64_t filter_stride = 0, filter_channel_stride = 0;  // of the filters
  int64_t result_image_stride = 0;  // of the result, whose filters lie side by side
};

// The convolution that out = windows b is, where `out` is dense, of as many rows as `windows` has
// places: `source_axes` says of each axis of `windows` which axis of the image it walks along, -1
// for none. Nothing if it is none that oneDNN has.
std::optional<ConvolutionShape> AsConvolution(const StridedView& windows,
                                              absl::Span<const int64_t> source_axes,
                                              const StridedView& b, const StridedView& out);

// Computes it, in float32; the epilogue's steps as of a product with `filters` columns. Errors as
// MultiplyFused.
absl::Status Convolve(const ConvolutionShape& shape, const char* images, const char* filters,
                      absl::Span<const FusedMatmulStep> epilogue, char* result);

}  // namespace dynacc::cpu
