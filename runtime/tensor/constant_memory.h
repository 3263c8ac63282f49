// ConstantMemory: blocks of memory whose contents never change, and what is kept of them.
//
// Who reads an operand may ask by its address whether it will ever be another one, and keep what it
// made of it: the weights of a matrix product in the order in which a library reads them quickest,
// say. What is asked is the memory, not an object, so views of a block are known as such wherever
// they come from: from the caller's hands, or from a compiled graph that was traced when nothing
// was constant. Nothing need be guarded.
//
// Thread-safe, usable after fork. To ask costs a load while no block is registered, and some
// hundred nanoseconds with thousands of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/tensor/strided_view.h"

namespace dynacc {

// Something made of constant memory.
class ConstantForm {
 public:
  ConstantForm() = default;
  virtual ~ConstantForm() = default;
  ConstantForm(const ConstantForm&) = delete;
  ConstantForm& operator=(const ConstantForm&) = delete;

  virtual int64_t bytes() const = 0;
};

// The forms of one block. They go with it, but for those that a caller still holds.
class ConstantForms {
 public:
  // What a block's forms may take together, in units of its own size: a matrix as it is and as its
  // transpose.
  static constexpr int64_t kMostPerByte = 2;
  // How many of them are remembered, those that are not to be included.
  static constexpr size_t kMostForms = 16;

  using Key = std::vector<int64_t>;
  using Form = std::shared_ptr<const ConstantForm>;

  explicit ConstantForms(int64_t block_bytes) : room_(kMostPerByte * block_bytes) {}

  // The form under `key`, null if there is to be none; nothing if that is still open.
  std::optional<Form> Find(const Key& key) const;

  // Keeps `form`, which may be null, and gives the one that is there from now on: null where there
  // is no room for it, or another thread's that was quicker.
  Form Keep(const Key& key, const Form& form);

  // Bytes that forms may still take.
  int64_t room() const;

 private:
  std::optional<Form> FindLocked(const Key& key) const;

  int64_t room_;
  std::vector<std::pair<Key, Form>> forms_;
};

// Registers a block while it lives.
class ConstantMemory {
 public:
  // [data, data + bytes), which stays as it is and must outlive this. Of no bytes there is no
  // block.
  ConstantMemory(const char* data, int64_t bytes);
  ~ConstantMemory();
  ConstantMemory(const ConstantMemory&) = delete;
  ConstantMemory& operator=(const ConstantMemory&) = delete;

  // The forms of the block that all of `bounds` lies in; null if there is none.
  static std::shared_ptr<ConstantForms> FormsOf(const MemoryBounds& bounds);

 private:
  const char* const data_;
  const int64_t bytes_;
};

}  // namespace dynacc
