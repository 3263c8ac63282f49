// DebugFolder: what became of one graph, as files for people (DYNACC_DEBUG_DIR).
//
//   PID-NUMBER-FUNCTION-LINE/
//     graph.txt          the graph as it was traced (codegen/ir/graph_text.h)
//     run.py             runs it on made-up inputs on each target and compares; also shrinks it
//     pass-N-NAME.txt    the graph after each pass that changed it
//     schedule.txt       the fusion groups, and why nodes were fused or not
//     kernel-N.txt       each kernel's steps
//     kernel-N.cc, .o    its source if it was emitted; the object that holds its module
//     error.txt          if it did not compile
//
// Each is a new folder that nobody else may write, and no link in it is followed, so that the
// parent may be anyone's, like /tmp. A process writes no more than DYNACC_DEBUG_LIMIT; the file
// that would not fit, and all after it, are left out.
#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "codegen/ir/graph.h"
#include "runtime/base/file_descriptor.h"

namespace dynacc::compile {

class DebugFolder {
 public:
  // A new folder for the graph with that label ("f (prog.py:12)"), with graph.txt and run.py in it.
  // Null if DYNACC_DEBUG_DIR is not set, or if nothing can be written there, which is said once.
  static std::unique_ptr<DebugFolder> Make(absl::string_view label, const ir::Graph& graph);

  void Write(absl::string_view name, absl::string_view contents) const;

 private:
  DebugFolder(std::string path, FileDescriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

  const std::string path_;
  const FileDescriptor descriptor_;
};

}  // namespace dynacc::compile
