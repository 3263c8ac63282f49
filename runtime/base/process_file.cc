#include "runtime/base/process_file.h"

#include <unistd.h>

namespace dynacc {

std::string FileOfProcess(const std::string& path) {
  const bool is_folder = !path.empty() && path.back() == '/';
  return is_folder ? path + std::to_string(getpid()) + ".json" : path;
}

}  // namespace dynacc
