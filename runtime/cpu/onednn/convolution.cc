#include "runtime/cpu/onednn/convolution.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/onednn/execution.h"
#include "runtime/cpu/onednn/library.h"
#include "runtime/cpu/onednn/memory_description.h"
#include "runtime/executor/run_frame.h"
#include "runtime/platform/thread_pool.h"

namespace dynacc::cpu {

#ifdef DYNACC_HAS_ONEDNN

namespace {

using Spatial = ConvolutionShape::Spatial;

constexpr size_t kMostConvolutions = 256;
// Multiplications of a part that is worth a thread.
constexpr double kPartWork = 4e6;

// A size or stride of each of oneDNN's axes: images or filters, channels, space.
struct Dims {
  dnnl_dim_t values[2 + ConvolutionShape::kMostSpatial];
  int rank;

  Dims(const ConvolutionShape& shape, int64_t first, int64_t second, int64_t Spatial::*field)
      : rank(2 + shape.rank) {
    values[0] = first;
    values[1] = second;
    for (int i = 0; i < shape.rank; ++i) values[2 + i] = shape.spatial[i].*field;
  }

  absl::Span<const dnnl_dim_t> span() const { return absl::MakeConstSpan(values, rank); }
};

// oneDNN's code for one convolution, with what brings the image and the filters into the order that
// it reads. Immutable once made.
class ConvolutionCode {
 public:
  static absl::StatusOr<std::unique_ptr<const ConvolutionCode>> Make(
      const OneDnn& library, const ConvolutionShape& shape,
      absl::Span<const FusedMatmulStep> epilogue) {
    std::unique_ptr<ConvolutionCode> made(new ConvolutionCode(library));
    DYNACC_RETURN_IF_ERROR(made->Prepare(shape, epilogue));
    return made;
  }
  ~ConvolutionCode() {
    for (const dnnl_primitive_t p : {convolution_, order_images_, order_filters_}) {
      if (p != nullptr) library_.primitive_destroy(p);
    }
  }
  ConvolutionCode(const ConvolutionCode&) = delete;
  ConvolutionCode& operator=(const ConvolutionCode&) = delete;

  absl::Status Run(const char* images, const char* filters,
                   absl::Span<const FusedMatmulStep> epilogue, char* result) const;

 private:
  explicit ConvolutionCode(const OneDnn& library) : library_(library) {}

  absl::Status Prepare(const ConvolutionShape& shape, absl::Span<const FusedMatmulStep> epilogue);
  absl::Status Describe(const ConvolutionShape& shape);
  absl::Status Describe(const Dims& sizes, const Dims& strides, MemoryDescription& given,
                        MemoryDescription* any) const;
  absl::Status PrepareOrder(const MemoryDescription& from, const MemoryDescription& to,
                            dnnl_primitive_t& order) const;
  absl::StatusOr<const char*> InOrder(dnnl_primitive_t order, const MemoryDescription& from,
                                      const MemoryDescription& to, const char* data,
                                      executor::ScratchBlock& memory) const;

  const OneDnn& library_;
  dnnl_primitive_t convolution_ = nullptr;
  dnnl_primitive_t order_images_ = nullptr, order_filters_ = nullptr;  // null: they lie in order
  MemoryDescription given_images_, given_filters_;                     // as they lie
  MemoryDescription images_, filters_, result_, scratch_;              // as the code reads them
  std::vector<MemoryDescription> arrays_;                              // of the epilogue
};

absl::Status ConvolutionCode::Describe(const Dims& sizes, const Dims& strides,
                                       MemoryDescription& given, MemoryDescription* any) const {
  DYNACC_ASSIGN_OR_RETURN(
      given, MemoryDescription::OfStrides(library_, sizes.span(), dnnl_f32, strides.span()));
  if (any == nullptr) return absl::OkStatus();
  DYNACC_ASSIGN_OR_RETURN(
      *any, MemoryDescription::OfTag(library_, sizes.span(), dnnl_f32, dnnl_format_tag_any));
  return absl::OkStatus();
}

// Images and filters in whatever order oneDNN likes best, the result as it is to lie.
absl::Status ConvolutionCode::Describe(const ConvolutionShape& s) {
  DYNACC_RETURN_IF_ERROR(Describe({s, s.images, s.channels, &Spatial::image},
                                  {s, s.image_stride, s.channel_stride, &Spatial::image_stride},
                                  given_images_, &images_));
  DYNACC_RETURN_IF_ERROR(
      Describe({s, s.filters, s.channels, &Spatial::filter},
               {s, s.filter_stride, s.filter_channel_stride, &Spatial::filter_stride},
               given_filters_, &filters_));
  return Describe({s, s.images, s.filters, &Spatial::places},
                  {s, s.result_image_stride, 1, &Spatial::result_stride}, result_, nullptr);
}

absl::Status ConvolutionCode::Prepare(const ConvolutionShape& s,
                                      absl::Span<const FusedMatmulStep> epilogue) {
  DYNACC_RETURN_IF_ERROR(Describe(s));
  Attributes attributes(library_);
  for (const FusedMatmulStep& step : epilogue) {
    arrays_.push_back(result_);
    if (step.is_row) {
      Dims ones(s, 1, s.filters, &Spatial::places);
      std::fill_n(ones.values + 2, s.rank, 1);
      DYNACC_ASSIGN_OR_RETURN(arrays_.back(),
                              MemoryDescription::OfTag(library_, ones.span(), dnnl_f32,
                                                       s.rank == 1   ? dnnl_abc
                                                       : s.rank == 2 ? dnnl_abcd
                                                                     : dnnl_abcde));
    }
    DYNACC_RETURN_IF_ERROR(attributes.Append(step, arrays_.back()));
  }
  DYNACC_RETURN_IF_ERROR(attributes.Finish());

  const Dims steps(s, 0, 0, &Spatial::step);
  Dims gaps(s, 0, 0, &Spatial::dilation);
  for (dnnl_dim_t& gap : gaps.values) --gap;
  DYNACC_ASSIGN_OR_RETURN(
      const dnnl_primitive_desc_t description,
      DescribeConvolution(library_, {images_, filters_, result_, steps.values + 2, gaps.values + 2},
                          attributes.get()));
  const absl::Cleanup destroy_description = [&] { library_.primitive_desc_destroy(description); };
  DYNACC_RETURN_IF_ERROR(RequireFastCode(library_, description));
  const auto operand = [&](dnnl_query_t which) {
    return MemoryDescription::OfOperand(library_, description, which);
  };
  DYNACC_ASSIGN_OR_RETURN(images_, operand(dnnl_query_src_md));
  DYNACC_ASSIGN_OR_RETURN(filters_, operand(dnnl_query_weights_md));
  DYNACC_ASSIGN_OR_RETURN(scratch_, operand(dnnl_query_scratchpad_md));
  DYNACC_RETURN_IF_ERROR(PrepareOrder(given_images_, images_, order_images_));
  DYNACC_RETURN_IF_ERROR(PrepareOrder(given_filters_, filters_, order_filters_));
  return OneDnnError(library_.primitive_create(&convolution_, description), "primitive_create");
}

absl::Status ConvolutionCode::PrepareOrder(const MemoryDescription& from,
                                           const MemoryDescription& to,
                                           dnnl_primitive_t& order) const {
  if (AreEqual(library_, from, to)) return absl::OkStatus();
  DYNACC_ASSIGN_OR_RETURN(order, MakeReorder(library_, from, to));
  return absl::OkStatus();
}

absl::StatusOr<const char*> ConvolutionCode::InOrder(dnnl_primitive_t order,
                                                     const MemoryDescription& from,
                                                     const MemoryDescription& to, const char* data,
                                                     executor::ScratchBlock& memory) const {
  if (order == nullptr) return data;
  if (!memory.Allocate(BytesOf(library_, to))) {
    return absl::ResourceExhaustedError("no memory for a convolution");
  }
  DYNACC_RETURN_IF_ERROR(Reorder(library_, order, from, data, to, memory.data()));
  return memory.data();
}

absl::Status ConvolutionCode::Run(const char* images, const char* filters,
                                  absl::Span<const FusedMatmulStep> epilogue, char* result) const {
  const OneThread alone(library_);
  executor::ScratchBlock own_images, own_filters, scratch;
  DYNACC_ASSIGN_OR_RETURN(images,
                          InOrder(order_images_, given_images_, images_, images, own_images));
  DYNACC_ASSIGN_OR_RETURN(filters,
                          InOrder(order_filters_, given_filters_, filters_, filters, own_filters));
  Arguments arguments(library_);
  DYNACC_RETURN_IF_ERROR(arguments.Add(DNNL_ARG_SRC, images_, images));
  DYNACC_RETURN_IF_ERROR(arguments.Add(DNNL_ARG_WEIGHTS, filters_, filters));
  DYNACC_RETURN_IF_ERROR(arguments.Add(DNNL_ARG_DST, result_, result));
  const int64_t scratch_bytes = BytesOf(library_, scratch_);
  if (scratch_bytes != 0) {
    if (!scratch.Allocate(scratch_bytes)) {
      return absl::ResourceExhaustedError("no memory for a convolution's scratch");
    }
    DYNACC_RETURN_IF_ERROR(arguments.Add(DNNL_ARG_SCRATCHPAD, scratch_, scratch.data()));
  }
  DYNACC_RETURN_IF_ERROR(arguments.AddSteps(epilogue, arrays_));
  return arguments.Execute(convolution_);
}

std::vector<int64_t> KeyOf(const ConvolutionShape& s, absl::Span<const FusedMatmulStep> epilogue) {
  std::vector<int64_t> key = {s.rank,
                              s.images,
                              s.channels,
                              s.filters,
                              s.image_stride,
                              s.channel_stride,
                              s.filter_stride,
                              s.filter_channel_stride,
                              s.result_image_stride};
  for (const Spatial& p : absl::MakeSpan(s.spatial, s.rank)) {
    key.insert(key.end(), {p.image, p.filter, p.places, p.step, p.dilation, p.image_stride,
                           p.filter_stride, p.result_stride});
  }
  AddToKey(epilogue, key);
  return key;
}

// The code for `shape`, made at the first call for it. Thread-safe.
absl::StatusOr<std::shared_ptr<const ConvolutionCode>> FindCode(
    const ConvolutionShape& shape, absl::Span<const FusedMatmulStep> epilogue) {
  static auto& mutex = *new absl::Mutex;
  static auto& cache =
      *new absl::flat_hash_map<std::vector<int64_t>, std::shared_ptr<const ConvolutionCode>>;
  const std::vector<int64_t> key = KeyOf(shape, epilogue);
  {
    const absl::MutexLock lock(&mutex);
    const auto it = cache.find(key);
    if (it != cache.end()) return it->second;
  }
  const OneDnn* const library = TheOneDnn();
  if (library == nullptr) return OneDnnStatus();
  const OneThread alone(*library);
  DYNACC_ASSIGN_OR_RETURN(std::shared_ptr<const ConvolutionCode> made,
                          ConvolutionCode::Make(*library, shape, epilogue));
  const absl::MutexLock lock(&mutex);
  if (cache.size() >= kMostConvolutions) cache.clear();
  return cache.emplace(key, std::move(made)).first->second;
}

// Along what the work is shared out: images, or places of the first axis of space.
class Parts {
 public:
  explicit Parts(const ConvolutionShape& shape) : whole_(shape), by_image_(shape.images > 1) {
    const int64_t extent = by_image_ ? shape.images : shape.spatial[0].places;
    const auto threads =
        static_cast<int64_t>(std::clamp<double>(Work() / kPartWork, 1, platform::ThreadCount()));
    step_ = (extent + threads - 1) / threads;
    count_ = static_cast<int>((extent + step_ - 1) / step_);
  }

  int count() const { return count_; }

  ConvolutionShape Shape(int part) const {
    ConvolutionShape shape = whole_;
    Spatial& first = shape.spatial[0];
    int64_t& extent = by_image_ ? shape.images : first.places;
    extent = std::min(step_, extent - part * step_);
    first.image = (first.places - 1) * first.step + (first.filter - 1) * first.dilation + 1;
    return shape;
  }

  // Bytes before a part's.
  int64_t ImageOffset(int part) const {
    const Spatial& first = whole_.spatial[0];
    const int64_t stride = by_image_ ? whole_.image_stride : first.step * first.image_stride;
    return part * step_ * stride * static_cast<int64_t>(sizeof(float));
  }
  int64_t ResultOffset(int part) const {
    const int64_t stride = by_image_ ? whole_.result_image_stride : whole_.spatial[0].result_stride;
    return part * step_ * stride * static_cast<int64_t>(sizeof(float));
  }

 private:
  double Work() const {
    double work = static_cast<double>(whole_.images) * static_cast<double>(whole_.channels) *
                  static_cast<double>(whole_.filters);
    for (const Spatial& s : absl::MakeSpan(whole_.spatial, whole_.rank)) {
      work *= static_cast<double>(s.places) * static_cast<double>(s.filter);
    }
    return work;
  }

  const ConvolutionShape& whole_;
  const bool by_image_;
  int64_t step_;
  int count_;
};

}  // namespace

absl::Status Convolve(const ConvolutionShape& shape, const char* images, const char* filters,
                      absl::Span<const FusedMatmulStep> epilogue, char* result) {
  const Parts parts(shape);
  const int last = parts.count() - 1;
  // All but the last are of one shape.
  DYNACC_ASSIGN_OR_RETURN(const auto code, FindCode(parts.Shape(0), epilogue));
  DYNACC_ASSIGN_OR_RETURN(const auto last_code, FindCode(parts.Shape(last), epilogue));
  if (last == 0) return code->Run(images, filters, epilogue, result);
  absl::Mutex mutex;
  absl::Status status;
  platform::ParallelFor(parts.count(), [&](int part) {
    const int64_t offset = parts.ResultOffset(part);
    std::vector<FusedMatmulStep> steps(epilogue.begin(), epilogue.end());
    for (FusedMatmulStep& step : steps) {
      if (step.data != nullptr && !step.is_row) step.data += offset;
    }
    const ConvolutionCode& own = part == last ? *last_code : *code;
    absl::Status done = own.Run(images + parts.ImageOffset(part), filters, steps, result + offset);
    if (done.ok()) return;
    const absl::MutexLock lock(&mutex);
    status = std::move(done);
  });
  return status;
}

#else  // without oneDNN

absl::Status Convolve(const ConvolutionShape&, const char*, const char*,
                      absl::Span<const FusedMatmulStep>, char*) {
  return OneDnnStatus();
}

#endif  // DYNACC_HAS_ONEDNN

}  // namespace dynacc::cpu
