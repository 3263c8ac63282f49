// FileDescriptor: an open file, closed at the end; and reading and writing all of something.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace dynacc {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor();

  bool is_open() const { return number_ >= 0; }
  int get() const { return number_; }

 private:
  int number_ = -1;
};

// Whether all `size` bytes were read, or all of `data` written; if not, errno says why (0: the file
// ended). Interrupted calls are made again.
bool ReadAll(int file, void* data, size_t size);
bool WriteAll(int file, absl::string_view data);

// What the file at `path` holds; nothing if it cannot be read.
std::optional<std::string> ReadWholeFile(const std::string& path);

}  // namespace dynacc
