// BodyParts: the body of a response that comes in parts, between what makes it and its connection.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

#include "absl/strings/string_view.h"

namespace dynacc::http {

class BodyParts {
 public:
  // For what makes the body, from any thread. Send is false if the client is gone, or takes so
  // little that more than kMostWaiting bytes wait for it. Whoever sends must then not go on. End is
  // to be called in any case.
  static constexpr size_t kMostWaiting = 1 << 20;
  bool Send(absl::string_view part);
  void End();

  // For the connection. `wake` is called when there is something to take, perhaps at once, from any
  // thread.
  void Connect(std::function<void()> wake);
  // The client is gone.
  void Disconnect();
  struct Taken {
    std::string bytes;       // of all parts that were sent and not taken
    bool has_ended = false;  // nothing follows
  };
  Taken Take();

 private:
  void Wake();

  std::mutex mutex_;
  std::string bytes_;
  std::function<void()> wake_;
  bool has_ended_ = false;
  bool is_disconnected_ = false;
};

}  // namespace dynacc::http
