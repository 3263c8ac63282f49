#include "serve/queue/batch.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace dynacc::queue {
namespace {

using protocol::Tensor;

// An array as `outer` blocks of `row` bytes for each index along the axis.
struct Blocks {
  size_t outer = 1;
  size_t row = 1;
};

Blocks BlocksOf(const Tensor& tensor, int axis) {
  Blocks blocks;
  blocks.row = protocol::ElementSize(tensor.type);
  for (int i = 0; i < static_cast<int>(tensor.shape.size()); ++i) {
    if (i < axis) blocks.outer *= tensor.shape[i];
    if (i > axis) blocks.row *= tensor.shape[i];
  }
  return blocks;
}

bool HasRows(const std::vector<model::TensorSpec>& specs, int axis) {
  return !specs.empty() && std::all_of(specs.begin(), specs.end(), [&](const auto& spec) {
    return static_cast<int>(spec.shape.size()) > axis && spec.shape[axis] < 0;
  });
}

}  // namespace

bool CanBatch(const model::Signature& signature, int axis) {
  return HasRows(signature.inputs, axis) && HasRows(signature.outputs, axis);
}

int64_t RowsOf(const Tensors& inputs, int axis) {
  int64_t rows = -1;
  for (const Tensor& input : inputs) {
    if (static_cast<int>(input.shape.size()) <= axis) return -1;
    if (rows >= 0 && rows != input.shape[axis]) return -1;
    rows = input.shape[axis];
  }
  return rows;
}

bool CanShare(const Tensors& a, const Tensors& b, int axis, const Padding& padding) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].shape.size() != b[i].shape.size()) return false;
    for (size_t k = 0; k < a[i].shape.size(); ++k) {
      const int64_t one = a[i].shape[k], other = b[i].shape[k];
      const bool fits = static_cast<int>(k) == axis || one == other ||
                        padding.MayDiffer(i, static_cast<int>(k), one, other);
      if (!fits) return false;
    }
  }
  return true;
}

absl::StatusOr<Tensors> Join(absl::Span<const Tensors* const> requests, int axis) {
  Tensors joined;
  for (size_t i = 0; i < requests[0]->size(); ++i) {
    Tensor whole = {
        (*requests[0])[i].name, (*requests[0])[i].type, (*requests[0])[i].shape, {}, nullptr};
    whole.shape[axis] = 0;
    for (const Tensors* request : requests) whole.shape[axis] += (*request)[i].shape[axis];
    const auto size = protocol::ByteSize(whole.type, whole.shape);
    if (!size.ok()) return absl::ResourceExhaustedError(size.status().message());
    const Blocks blocks = BlocksOf(whole, axis);
    const std::shared_ptr<char[]> bytes(new char[*size]);
    char* to = bytes.get();
    for (size_t block = 0; *size > 0 && block < blocks.outer; ++block) {
      for (const Tensors* request : requests) {
        const size_t part = blocks.row * (*request)[i].shape[axis];
        std::memcpy(to, (*request)[i].bytes.data() + block * part, part);
        to += part;
      }
    }
    whole.bytes = {bytes.get(), *size};
    whole.owner = bytes;
    joined.push_back(std::move(whole));
  }
  return joined;
}

absl::StatusOr<std::vector<Tensors>> Split(const Tensors& outputs, absl::Span<const int64_t> rows,
                                           int axis) {
  const int64_t all = std::accumulate(rows.begin(), rows.end(), int64_t{0});
  std::vector<Tensors> parts(rows.size());
  for (const Tensor& whole : outputs) {
    if (static_cast<int>(whole.shape.size()) <= axis || whole.shape[axis] != all) {
      return absl::InternalError(
          absl::StrCat("output '", whole.name, "' has not as many rows as the inputs"));
    }
    const Blocks blocks = BlocksOf(whole, axis);
    size_t before = 0;  // bytes of a block that belong to earlier requests
    for (size_t i = 0; i < rows.size(); ++i) {
      Tensor part = {whole.name, whole.type, whole.shape, {}, whole.owner};
      part.shape[axis] = rows[i];
      const size_t size = blocks.row * rows[i];
      if (blocks.outer == 1) {
        part.bytes = whole.bytes.substr(before, size);
      } else {
        const std::shared_ptr<char[]> bytes(new char[size * blocks.outer]);
        for (size_t block = 0; size > 0 && block < blocks.outer; ++block) {
          std::memcpy(bytes.get() + block * size,
                      whole.bytes.data() + block * blocks.row * all + before, size);
        }
        part.bytes = {bytes.get(), size * blocks.outer};
        part.owner = bytes;
      }
      before += size;
      parts[i].push_back(std::move(part));
    }
  }
  return parts;
}

}  // namespace dynacc::queue
