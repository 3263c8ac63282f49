#include "serve/http/body_parts.h"

#include <utility>

namespace dynacc::http {

bool BodyParts::Send(absl::string_view part) {
  {
    const std::lock_guard lock(mutex_);
    if (is_disconnected_ || bytes_.size() > kMostWaiting) return false;
    bytes_.append(part.data(), part.size());
  }
  Wake();
  return true;
}

void BodyParts::End() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  Wake();
}

void BodyParts::Wake() {
  std::function<void()> wake;
  {
    const std::lock_guard lock(mutex_);
    wake = wake_;
  }
  if (wake) wake();
}

void BodyParts::Connect(std::function<void()> wake) {
  {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }
  Wake();
}

void BodyParts::Disconnect() {
  std::function<void()> wake;  // which may hold the connection, and so this
  const std::lock_guard lock(mutex_);
  is_disconnected_ = true;
  bytes_.clear();
  wake.swap(wake_);
}

BodyParts::Taken BodyParts::Take() {
  const std::lock_guard lock(mutex_);
  return {std::exchange(bytes_, {}), has_ended_};
}

}  // namespace dynacc::http
