// An HTTP/1.1 server on Boost.Beast: connections, their limits and their times. What is answered is
// a handler's affair.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "serve/http/body_parts.h"

namespace dynacc::http {

struct HttpRequest {
  std::string method;
  std::string target;  // as it was sent: "/v2/models/a%20b?x=1"
  std::vector<std::pair<std::string, std::string>> headers;
  std::shared_ptr<const std::string> body;

  // The header of that name, whatever its case; null if there is none.
  const std::string* Header(absl::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::shared_ptr<BodyParts> parts;  // if there are any, they are the body
};

// Called on an I/O thread, and must not make it wait; requests with large bodies, which take time
// to be read, come on a thread of their own. `reply` is to be called once, from any thread.
using Reply = std::function<void(HttpResponse)>;
using Handler = std::function<void(HttpRequest, Reply)>;

struct HttpOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8000;  // 0: any
  int threads = 2;
  int64_t max_connections = 1000;
  uint64_t max_body = uint64_t{64} << 20;
  uint64_t max_bodies = uint64_t{1} << 30;  // of all requests that are being read or answered
  uint32_t max_header = 16 << 10;
  std::chrono::milliseconds idle_timeout{60'000};     // for the next request to begin
  std::chrono::milliseconds request_timeout{30'000};  // for all of it to arrive
  std::chrono::milliseconds write_timeout{30'000};    // for the answer to be taken
};

class HttpServer {
 public:
  // UNAVAILABLE if the address cannot be had. `on_connections` is told how many are open.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(
      const HttpOptions& options, Handler handler, std::function<void(int64_t)> on_connections);
  ~HttpServer();

  uint16_t port() const;
  // Accepts nothing more, closes connections that are idle, and the others after their answer. A
  // request that is still arriving has a second for the rest of it; then it is refused with 503.
  void BeginDrain();
  // Whether all connections were closed by then.
  bool WaitUntilClosed(std::chrono::steady_clock::time_point deadline);

 private:
  struct Impl;
  explicit HttpServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  const std::shared_ptr<Impl> impl_;
};

}  // namespace dynacc::http
