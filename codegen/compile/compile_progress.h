// CompileProgress: says on a terminal that a compile takes long.
//
// If stderr is a terminal and no log sink is set, a line appears there after a second, counts the
// seconds, and is gone when the compile ends. Otherwise nothing happens. For compiles that the
// program waits for.
#pragma once

#include <memory>
#include <string>

namespace dynacc::compile {

class CompileProgress {
 public:
  explicit CompileProgress(const std::string& label);
  ~CompileProgress();
  CompileProgress(const CompileProgress&) = delete;
  CompileProgress& operator=(const CompileProgress&) = delete;

 private:
  class Watch;
  std::unique_ptr<Watch> watch_;  // null where nothing is to be shown
};

}  // namespace dynacc::compile
