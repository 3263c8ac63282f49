#include "runtime/cache/kernel_cache.h"

#include <sys/stat.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/trace_file.h"

namespace dynacc::cache {
namespace {

// Modules kept in memory that nothing uses. Beyond this many entries, unused ones are dropped.
constexpr size_t kMaxEntries = 1024;

void LogModule(const KernelModuleRequest& request, absl::string_view how) {
  if (!LogEnabled(LogTopic::kKernels)) return;
  Log(LogTopic::kKernels, absl::StrCat("module ", request.key.Hex(), ", ", request.num_kernels,
                                       request.num_kernels == 1 ? " kernel: " : " kernels: ", how));
  if (LogEnabled(LogTopic::kKernels, 2)) Log(LogTopic::kKernels, request.source);
}

void WarnDisk(absl::string_view path, const absl::Status& status) {
  WarnOnce(absl::StrCat("kernel cache ", path),
           absl::StrCat("compiled kernels are not kept on disk: ", status.message()));
}

}  // namespace

KernelCache::KernelCache(std::string directory) : path_(std::move(directory)) {}

KernelCache& KernelCache::ForProcess() {
  static KernelCache& cache = *new KernelCache(FolderOfProcess());
  return cache;
}

std::string KernelCache::FolderOfProcess() {
  const char* home = FileVariable("HOME");
  struct stat info;
  if (home != nullptr && (stat(home, &info) != 0 || !S_ISDIR(info.st_mode))) home = nullptr;
  return KernelDirectoryPath(ProcessOptions().cache_dir, FileVariable("XDG_CACHE_HOME"), home);
}

absl::StatusOr<std::shared_ptr<const KernelModule>> KernelCache::Get(
    const KernelModuleRequest& request) {
  const std::shared_ptr<Entry> entry = FindEntry(request.key);
  if (request.compile != nullptr) {
    absl::MutexLock lock(&entry->mutex);
    return GetLocked(request, *entry);
  }
  if (!entry->mutex.TryLock()) return absl::NotFoundError("being compiled");
  auto found = GetLocked(request, *entry);
  entry->mutex.Unlock();
  return found;
}

absl::StatusOr<std::shared_ptr<const KernelModule>> KernelCache::GetLocked(
    const KernelModuleRequest& request, Entry& entry) {
  if (entry.module != nullptr) {
    Count(ThreadStats().kernel_cache_hits, request.num_kernels);
    return entry.module;
  }
  entry.module = FromDisk(request);
  if (entry.module != nullptr) {
    Count(ThreadStats().kernel_cache_hits, request.num_kernels);
    LogModule(request, "from disk");
    return entry.module;
  }
  if (request.compile == nullptr) return absl::NotFoundError("not compiled yet");
  DYNACC_ASSIGN_OR_RETURN(entry.module, Compile(request));
  return entry.module;
}

std::optional<std::string> KernelCache::FindBytes(const ContentHash& key) {
  const KernelDirectory* directory = Directory();
  return directory == nullptr ? std::nullopt : directory->Find(key);
}

void KernelCache::KeepBytes(const ContentHash& key, absl::string_view bytes) {
  const KernelDirectory* directory = Directory();
  if (directory == nullptr) return;
  const absl::Status stored = directory->Store(key, bytes, /*source=*/"");
  if (!stored.ok()) WarnDisk(path_, stored);
}

void KernelCache::ClearMemory() {
  absl::MutexLock lock(&mutex_);
  entries_.clear();
}

std::shared_ptr<KernelCache::Entry> KernelCache::FindEntry(const ContentHash& key) {
  absl::MutexLock lock(&mutex_);
  std::shared_ptr<Entry>& entry = entries_[key];
  if (entry != nullptr) return entry;
  entry = std::make_shared<Entry>();
  std::shared_ptr<Entry> result = entry;  // DropUnused may move the entries
  if (entries_.size() > kMaxEntries) DropUnused();
  return result;
}

// An entry that only the map holds is in no thread's hands, and none can get it while mutex_ is
// held. A count alone does not say what the thread that had it last has written, so its mutex is
// taken. To wait for it here would invert the order; it is free.
void KernelCache::DropUnused() {
  absl::erase_if(entries_, [](const auto& item) {
    Entry& entry = *item.second;
    if (item.second.use_count() > 1 || !entry.mutex.TryLock()) return false;
    const bool is_unused = entry.module.use_count() <= 1;
    entry.mutex.Unlock();
    return is_unused;
  });
}

const KernelDirectory* KernelCache::Directory() {
  absl::MutexLock lock(&mutex_);
  if (!is_directory_tried_ && !path_.empty()) {
    auto directory = KernelDirectory::Open(path_);
    if (directory.ok())
      directory_ = *std::move(directory);
    else
      WarnDisk(path_, directory.status());
  }
  is_directory_tried_ = true;
  return directory_.get();
}

KernelCache::ModulePointer KernelCache::FromDisk(const KernelModuleRequest& request) {
  const KernelDirectory* directory = Directory();
  if (directory == nullptr) return nullptr;
  TraceSpan span("kernels");
  if (span) span.Begin(absl::StrCat("load ", request.num_kernels, " kernels"));
  const std::optional<std::string> binary = directory->Find(request.key);
  if (!binary.has_value()) return nullptr;
  auto module = request.load(*binary);
  return module.ok() ? *std::move(module) : nullptr;
}

absl::StatusOr<KernelCache::ModulePointer> KernelCache::Compile(
    const KernelModuleRequest& request) {
  const CompileTimer timer;
  const absl::Time start = absl::Now();
  TraceSpan span("kernels");
  if (span) span.Begin(absl::StrCat("compile ", request.num_kernels, " kernels"));
  DYNACC_ASSIGN_OR_RETURN(const std::string binary, request.compile());
  Count(ThreadStats().kernels_compiled, request.num_kernels);
  const absl::Duration taken = absl::Trunc(absl::Now() - start, absl::Microseconds(100));
  LogModule(request, absl::StrCat("compiled in ", absl::FormatDuration(taken)));
  DYNACC_ASSIGN_OR_RETURN(ModulePointer module, request.load(binary));
  if (const KernelDirectory* directory = Directory()) {
    const absl::Status stored = directory->Store(request.key, binary, request.source);
    if (!stored.ok()) WarnDisk(path_, stored);
  }
  return module;
}

}  // namespace dynacc::cache
