#include "runtime/base/file_descriptor.h"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>

namespace dynacc {

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) close(number_);
}

bool ReadAll(int file, void* data, size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = read(file, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = 0;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool WriteAll(int file, absl::string_view data) {
  while (!data.empty()) {
    const ssize_t put = write(file, data.data(), data.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    data.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

std::optional<std::string> ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return std::nullopt;
  return std::move(text).str();
}

}  // namespace dynacc
