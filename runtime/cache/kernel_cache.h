// KernelCache: compiled kernel modules by content, in memory and on disk.
//
// A key covers everything that the binary depends on (source, compiler, CPU), so an entry is never
// stale and never has to be invalidated. On a hit nothing of the compiler is touched. The disk is
// best effort: what cannot be read is compiled again, what cannot be written is said once.
//
// Thread-safe. Threads that ask for the same key wait for one compile; different keys compile side
// by side.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "runtime/cache/content_hash.h"
#include "runtime/cache/kernel_file.h"

namespace dynacc::cache {

// A binary, loaded: its code stays as long as this object does.
class KernelModule {
 public:
  virtual ~KernelModule() = default;
};

struct KernelModuleRequest {
  ContentHash key;
  absl::string_view source;                              // kept beside the binary, printed in logs
  int num_kernels = 1;                                   // for the counters
  std::function<absl::StatusOr<std::string>()> compile;  // gives the binary; null: not now
  std::function<absl::StatusOr<std::shared_ptr<const KernelModule>>(absl::string_view binary)> load;
};

class KernelCache {
 public:
  // Keeps files in `directory` ("": in memory only), which is opened when first needed.
  explicit KernelCache(std::string directory);

  // The cache of this process, in the directory that its options and environment name.
  static KernelCache& ForProcess();
  // Where that is; "" if nowhere. A home that is not there is not made.
  static std::string FolderOfProcess();

  // The module from memory, from disk, or compiled. Errors are those of `compile` and, for a fresh
  // binary, of `load`. Without request.compile: NOT_FOUND if it is in neither, or just being made.
  absl::StatusOr<std::shared_ptr<const KernelModule>> Get(const KernelModuleRequest& request);

  // Bytes that are no module, kept on disk alone: nothing if there are none, or none that can be
  // trusted (kernel_file.h).
  std::optional<std::string> FindBytes(const ContentHash& key);
  void KeepBytes(const ContentHash& key, absl::string_view bytes);

  // Forgets what is in memory, so that the next Get goes to the disk. For tests and benchmarks.
  void ClearMemory();

 private:
  using ModulePointer = std::shared_ptr<const KernelModule>;
  struct Entry {
    absl::Mutex mutex;
    ModulePointer module ABSL_GUARDED_BY(mutex);
  };

  absl::StatusOr<ModulePointer> GetLocked(const KernelModuleRequest& request, Entry& entry)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(entry.mutex);
  std::shared_ptr<Entry> FindEntry(const ContentHash& key);
  void DropUnused() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  ModulePointer FromDisk(const KernelModuleRequest& request);
  absl::StatusOr<ModulePointer> Compile(const KernelModuleRequest& request);
  const KernelDirectory* Directory();

  const std::string path_;
  absl::Mutex mutex_;
  absl::flat_hash_map<ContentHash, std::shared_ptr<Entry>> entries_ ABSL_GUARDED_BY(mutex_);
  bool is_directory_tried_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<KernelDirectory> directory_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynacc::cache
