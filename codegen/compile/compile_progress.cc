#include "codegen/compile/compile_progress.h"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "runtime/base/log.h"
#include "runtime/platform/blocked_signals.h"

namespace dynacc::compile {
namespace {

constexpr std::chrono::seconds kTick(1);

void Show(const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

// A thread that waits for the end, or for the next second.
class CompileProgress::Watch {
 public:
  explicit Watch(std::string label) : label_(std::move(label)) {
    const platform::BlockedSignals blocked;
    has_thread_ = pthread_create(&thread_, nullptr, &Watch::Main, this) == 0;
  }
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_one();
    if (has_thread_) pthread_join(thread_, nullptr);
  }

 private:
  static void* Main(void* self) {
    static_cast<Watch*>(self)->Run();
    return nullptr;
  }

  void Run() {
    std::unique_lock lock(mutex_);
    for (int seconds = 1; !changed_.wait_for(lock, kTick, [this] { return done_; }); ++seconds) {
      Show(absl::StrCat("\r\033[Kdynacc: compiling ", label_, ", ", seconds, " s"));
      shown_ = true;
    }
    if (shown_) Show("\r\033[K");
  }

  const std::string label_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  bool shown_ = false;
  bool has_thread_ = false;  // without one the compile goes on unseen
  pthread_t thread_;
};

CompileProgress::CompileProgress(const std::string& label) {
  if (isatty(STDERR_FILENO) == 0 || HasLogSink()) return;
  watch_ = std::make_unique<Watch>(label);
}

CompileProgress::~CompileProgress() = default;

}  // namespace dynacc::compile
