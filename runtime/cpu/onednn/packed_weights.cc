#include "runtime/cpu/onednn/packed_weights.h"

#include <algorithm>
#include <array>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/log.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/onednn/dense_copies.h"
#include "runtime/cpu/onednn/execution.h"
#include "runtime/cpu/onednn/fused_matmul.h"
#include "runtime/cpu/onednn/memory_description.h"
#include "runtime/cpu/onednn/primitive.h"

namespace dynacc::cpu {
namespace {

// Null but for a single matrix in constant memory.
std::shared_ptr<ConstantForms> FormsOfMatrix(const StridedView& b) {
  for (int axis = 0; axis + 2 < b.rank; ++axis) {
    if (b.shape[axis] != 1) return nullptr;
  }
  return ConstantMemory::FormsOf(BoundsOf(b));
}

}  // namespace

bool AreConstantWeights(const StridedView& b) { return FormsOfMatrix(b) != nullptr; }

#ifdef DYNACC_HAS_ONEDNN

namespace {

// Of the matrix's size; padding to whole blocks may take this much.
constexpr int64_t kMostTimesLarger = 2;

using Sizes = std::array<dnnl_dim_t, 2>;

// The order that oneDNN chooses for the weights of a product of this many rows.
absl::StatusOr<MemoryDescription> ChosenOrder(const OneDnn& library, dnnl_data_type_t type,
                                              const Sizes& matrix) {
  const Sizes left = {kPartRows, matrix[0]}, out = {kPartRows, matrix[1]};
  DYNACC_ASSIGN_OR_RETURN(const MemoryDescription a,
                          MemoryDescription::OfTag(library, left, type, dnnl_ab));
  DYNACC_ASSIGN_OR_RETURN(const MemoryDescription b,
                          MemoryDescription::OfTag(library, matrix, type, dnnl_format_tag_any));
  DYNACC_ASSIGN_OR_RETURN(const MemoryDescription c,
                          MemoryDescription::OfTag(library, out, dnnl_f32, dnnl_ab));
  DYNACC_ASSIGN_OR_RETURN(const dnnl_primitive_desc_t description,
                          DescribeMatmul(library, a, b, c, nullptr));
  const absl::Cleanup destroy_description = [&] { library.primitive_desc_destroy(description); };
  return MemoryDescription::OfOperand(library, description, dnnl_query_weights_md);
}

int64_t Axis(const StridedView& view, const int64_t* values, int from_last) {
  return values[view.rank - from_last];
}

// By which the form is found: where the matrix lies, and how.
ConstantForms::Key KeyOf(const StridedView& b) {
  return {static_cast<int64_t>(reinterpret_cast<intptr_t>(b.data)),
          static_cast<int64_t>(b.dtype),
          Axis(b, b.shape, 2),
          Axis(b, b.shape, 1),
          Axis(b, b.strides, 2),
          Axis(b, b.strides, 1)};
}

void LogPacking(const StridedView& b, const absl::StatusOr<ConstantForms::Form>& made) {
  if (!LogEnabled(LogTopic::kKernels)) return;
  const std::string what =
      absl::StrCat("constant weights of ", Axis(b, b.shape, 2), " x ", Axis(b, b.shape, 1));
  Log(LogTopic::kKernels,
      made.ok() ? absl::StrCat("packed ", what)
                : absl::StrCat(what, " stay as they are: ", std::string(made.status().message())));
}

}  // namespace

absl::Status PackedWeights::Fill(const OneDnn& library, const StridedView& b) {
  DenseCopies copies;
  StridedView matrix = b;
  if (!IsReadable(b)) {
    DYNACC_ASSIGN_OR_RETURN(const char* dense, copies.Dense(b));
    SetContiguousStrides(matrix);
    matrix.data = const_cast<char*>(dense);
  }
  const int64_t item = ItemSize(b.dtype);
  const Sizes sizes = {Axis(b, b.shape, 2), Axis(b, b.shape, 1)};
  const Sizes strides = {Axis(matrix, matrix.strides, 2) / item,
                         Axis(matrix, matrix.strides, 1) / item};
  DYNACC_ASSIGN_OR_RETURN(
      const MemoryDescription given,
      MemoryDescription::OfStrides(library, sizes, OneDnnType(b.dtype), strides));
  DYNACC_ASSIGN_OR_RETURN(const dnnl_primitive_t code, MakeReorder(library, given, order_));
  const absl::Cleanup destroy = [&] { library.primitive_destroy(code); };
  return Reorder(library, code, given, matrix.data, order_, memory_.data());
}

absl::StatusOr<std::shared_ptr<const PackedWeights>> PackedWeights::Make(const OneDnn& library,
                                                                         const StridedView& b,
                                                                         int64_t room) {
  const OneThread alone(library);
  const Sizes sizes = {Axis(b, b.shape, 2), Axis(b, b.shape, 1)};
  auto made = std::make_shared<PackedWeights>();
  DYNACC_ASSIGN_OR_RETURN(made->order_, ChosenOrder(library, OneDnnType(b.dtype), sizes));
  if (!IsBlocked(library, made->order_)) return absl::UnavailableError("oneDNN reads them so");
  made->bytes_ = BytesOf(library, made->order_);
  const int64_t plain = sizes[0] * sizes[1] * ItemSize(b.dtype);
  if (made->bytes_ > std::min(room, kMostTimesLarger * plain)) {
    return absl::ResourceExhaustedError("oneDNN's order takes too much memory");
  }
  if (!made->memory_.Allocate(made->bytes_)) return absl::ResourceExhaustedError("no memory");
  DYNACC_RETURN_IF_ERROR(made->Fill(library, b));
  return made;
}

std::shared_ptr<const PackedWeights> FindPackedWeights(const StridedView& b) {
  const std::shared_ptr<ConstantForms> forms = FormsOfMatrix(b);
  if (forms == nullptr) return nullptr;
  const ConstantForms::Key key = KeyOf(b);
  std::optional<ConstantForms::Form> form = forms->Find(key);
  if (!form.has_value()) {
    const absl::StatusOr<ConstantForms::Form> made =
        PackedWeights::Make(*TheOneDnn(), b, forms->room());
    LogPacking(b, made);
    form = forms->Keep(key, made.ok() ? *made : nullptr);
  }
  return std::static_pointer_cast<const PackedWeights>(*std::move(form));
}

#else  // without oneDNN

std::shared_ptr<const PackedWeights> FindPackedWeights(const StridedView&) { return nullptr; }

#endif  // DYNACC_HAS_ONEDNN

}  // namespace dynacc::cpu
