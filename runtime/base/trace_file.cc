#include "runtime/base/trace_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"

namespace dynacc {

std::atomic<int> trace_internal::level{0};

namespace {

struct File {
  std::mutex mutex;
  int descriptor = -1;
  off_t end = 0;   // where the array's closing bracket is
  off_t most = 0;  // bytes that it may have
  int serial = 0;  // of the files opened; a thread names itself once in each
};

File& TheFile() {
  static File& file = *new File;
  return file;
}

// Times are in microseconds, to the nanosecond.
std::string Event(char phase, absl::string_view category, absl::string_view name,
                  const Json& arguments) {
  Json event = {{"ph", std::string(1, phase)},
                {"ts", static_cast<double>(NowNanoseconds()) * 1e-3},
                {"pid", getpid()},
                {"tid", gettid()},
                {"cat", std::string(category)},
                {"name", std::string(name)}};
  if (phase == 'i') event["s"] = "t";
  event["args"] = arguments;
  return JsonText(event);
}

std::string ThreadName() {
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof(name));
  return Event('M', "", "thread_name", {{"name", name}});
}

// The closing bracket is overwritten, by one write that ends in the new one.
void Append(File& file, absl::string_view event) {
  const std::string text = absl::StrCat(file.end == 0 ? "[\n" : ",\n", event, "\n]\n");
  if (file.end + static_cast<off_t>(text.size()) > file.most) {
    WarnOnce("trace limit", "the file of DYNACC_TRACE is full (DYNACC_TRACE_LIMIT): tracing ends");
    trace_internal::level = 0;
    return;
  }
  const ssize_t written = pwrite(file.descriptor, text.data(), text.size(), file.end);
  if (written == static_cast<ssize_t>(text.size())) {
    file.end += written - 3;
  } else {
    trace_internal::level = 0;  // a full disk: what is there can be read but for its end
  }
}

void Write(absl::string_view event) {
  File& file = TheFile();
  thread_local int named_in = 0;
  const std::lock_guard lock(file.mutex);
  if (file.descriptor < 0) return;
  if (named_in != file.serial) Append(file, ThreadName());
  named_in = file.serial;
  Append(file, event);
}

void HoldOverFork() {
  static const bool once = [] {
    pthread_atfork([] { TheFile().mutex.lock(); }, [] { TheFile().mutex.unlock(); },
                   [] {
                     trace_internal::level = 0;
                     TheFile().mutex.unlock();
                   });
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace

absl::Status OpenTrace(const std::string& path, TraceLevel level, int64_t most_bytes) {
  CloseTrace();
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("DYNACC_TRACE: cannot write ", path));
  }
  if (pwrite(descriptor, "[]\n", 3, 0) != 3) {
    close(descriptor);
    return absl::UnavailableError(absl::StrCat("DYNACC_TRACE: ", path, " is no ordinary file"));
  }
  HoldOverFork();
  File& file = TheFile();
  const std::lock_guard lock(file.mutex);
  file.descriptor = descriptor;
  file.end = 0;
  file.most = most_bytes;
  ++file.serial;
  trace_internal::level = static_cast<int>(level);
  return absl::OkStatus();
}

void CloseTrace() {
  trace_internal::level = 0;
  File& file = TheFile();
  const std::lock_guard lock(file.mutex);
  if (file.descriptor >= 0) close(file.descriptor);
  file.descriptor = -1;
}

void TraceMoment(absl::string_view category, absl::string_view name) {
  TraceMoment(category, name, Json::object());
}

void TraceMoment(absl::string_view category, absl::string_view name, const Json& arguments) {
  if (Tracing()) Write(Event('i', category, name, arguments));
}

void TraceSpan::Begin(absl::string_view name) {
  name_ = std::string(name);
  begun_ = true;
  Write(Event('B', category_, name_, Json::object()));
}

void TraceSpan::SetArguments(const Json& arguments) {
  arguments_ = std::make_shared<const Json>(arguments);
}

void TraceSpan::End() {
  if (!Tracing()) return;
  Write(Event('E', category_, name_, arguments_ == nullptr ? Json::object() : *arguments_));
}

}  // namespace dynacc
