#include "serve/http/http_server.h"

#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "boost/asio/dispatch.hpp"
#include "boost/asio/executor_work_guard.hpp"
#include "boost/asio/io_context.hpp"
#include "boost/asio/ip/tcp.hpp"
#include "boost/asio/post.hpp"
#include "boost/asio/steady_timer.hpp"
#include "boost/asio/strand.hpp"
#include "boost/asio/thread_pool.hpp"
#include "boost/asio/write.hpp"
#include "boost/beast/core/flat_buffer.hpp"
#include "boost/beast/core/tcp_stream.hpp"
#include "boost/beast/http.hpp"
#include "serve/log/log.h"
#include "serve/protocol/json_codec.h"

namespace dynacc::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;

// What a request that is arriving when the drain begins has to arrive in.
constexpr std::chrono::seconds kDrainGrace(1);

constexpr size_t kLargeBody = 64 << 10;  // bytes; smaller ones are read in some microseconds

class Connection;

// What connections share: the limits, and what they are counted by.
struct Shared {
  HttpOptions options;
  Handler handler;
  std::function<void(int64_t)> on_connections;
  asio::io_context io;
  asio::thread_pool large_bodies{1};
  std::atomic<bool> is_draining = false;
  std::atomic<uint64_t> body_bytes = 0;

  std::mutex mutex;
  std::condition_variable closed;
  std::list<std::weak_ptr<Connection>> connections;
  int64_t open = 0;
};

// Bytes of a body that count against `max_bodies`, until the request is answered.
class BodyBytes {
 public:
  BodyBytes() = default;
  BodyBytes(const BodyBytes&) = delete;
  BodyBytes& operator=(const BodyBytes&) = delete;
  ~BodyBytes() { Release(); }

  bool Take(Shared& shared, uint64_t bytes) {
    Release();
    shared_ = &shared;
    bytes_ = bytes;
    return shared.body_bytes.fetch_add(bytes) + bytes <= shared.options.max_bodies;
  }
  void Release() {
    if (shared_ != nullptr) shared_->body_bytes -= bytes_;
    shared_ = nullptr;
  }

 private:
  Shared* shared_ = nullptr;
  uint64_t bytes_ = 0;
};

// One connection: reads a request, has it answered, writes the answer, and begins again. All of it
// happens on the strand of its stream.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket&& socket, std::shared_ptr<Shared> shared)
      : shared_(std::move(shared)), stream_(std::move(socket)) {}

  ~Connection() {
    const std::lock_guard lock(shared_->mutex);
    shared_->connections.erase(place_);
    shared_->on_connections(--shared_->open);
    if (shared_->open == 0) shared_->closed.notify_all();
  }

  void Start() {
    {
      const std::lock_guard lock(shared_->mutex);
      place_ = shared_->connections.insert(shared_->connections.end(), weak_from_this());
    }
    asio::dispatch(stream_.get_executor(), [self = shared_from_this()] { self->ReadHeader(); });
  }

  // From any thread: closes it.
  void ForceClosed() {
    asio::post(stream_.get_executor(), [self = shared_from_this()] { self->Close(); });
  }

  // From any thread: no request is to come any more. One that is arriving has kDrainGrace left.
  void Drain() {
    asio::post(stream_.get_executor(), [self = shared_from_this()] {
      if (self->is_idle_) return self->Close();
      if (self->is_arriving_) self->StartGrace();
    });
  }

 private:
  using StringBody = beast::http::string_body;

  // The first bytes are read apart: a connection may be idle for longer than a request may take.
  void ReadHeader() {
    if (shared_->is_draining && buffer_.size() == 0) return Close();
    parser_.emplace();
    parser_->header_limit(shared_->options.max_header);
    parser_->body_limit(shared_->options.max_body);
    if (buffer_.size() > 0) return ReadRestOfHeader();
    is_idle_ = true;
    stream_.expires_after(shared_->options.idle_timeout);
    constexpr size_t kFirstBytes = 4096;
    stream_.async_read_some(buffer_.prepare(kFirstBytes),
                            [self = shared_from_this()](error_code error, size_t size) {
                              if (error) return self->Close();
                              self->buffer_.commit(size);
                              self->is_idle_ = false;
                              self->ReadRestOfHeader();
                            });
  }

  void StartGrace() {
    grace_.emplace(stream_.get_executor(), kDrainGrace);
    grace_->async_wait([self = shared_from_this()](error_code error) {
      if (error || !self->is_arriving_) return;
      self->is_late_ = true;
      self->stream_.cancel();
    });
  }

  void ReadRestOfHeader() {
    is_arriving_ = true;
    if (shared_->is_draining) StartGrace();
    stream_.expires_after(shared_->options.request_timeout);
    beast::http::async_read_header(stream_, buffer_, *parser_,
                                   [self = shared_from_this()](error_code error, size_t) {
                                     if (error) return self->OnReadError(error);
                                     self->ReadBody();
                                   });
  }

  void ReadBody() {
    const auto length = parser_->content_length();
    const HttpOptions& options = shared_->options;
    if (length && *length > options.max_body) return Refuse(413, TooLarge());
    if (parser_->get().find(beast::http::field::content_encoding) != parser_->get().end()) {
      return Refuse(415, "bodies with a Content-Encoding are not read");
    }
    const uint64_t most = length ? *length : parser_->chunked() ? options.max_body : 0;
    if (!body_bytes_.Take(*shared_, most)) {
      return Refuse(503, "the bodies of other requests take all memory that there is for them");
    }
    if (parser_->is_done()) return Handle();
    if (beast::iequals(parser_->get()["Expect"], "100-continue")) {
      return SendContinue();
    }
    ReadRest();
  }

  void SendContinue() {
    static constexpr absl::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(kContinue.data(), kContinue.size()),
                      [self = shared_from_this()](error_code error, size_t) {
                        if (error) return self->Close();
                        self->ReadRest();
                      });
  }

  void ReadRest() {
    beast::http::async_read(stream_, buffer_, *parser_,
                            [self = shared_from_this()](error_code error, size_t) {
                              if (error) return self->OnReadError(error);
                              self->Handle();
                            });
  }

  std::string TooLarge() const {
    return absl::StrCat("the body has more than ", shared_->options.max_body, " bytes");
  }

  void OnReadError(error_code error) {
    using Error = beast::http::error;
    if (is_late_) return Refuse(503, "the server ends, and the request had not arrived");
    if (error == beast::error::timeout) return Refuse(408, "the request took too long to arrive");
    if (error == Error::header_limit || error == Error::buffer_overflow) {
      return Refuse(
          431, absl::StrCat("the header has more than ", shared_->options.max_header, " bytes"));
    }
    if (error == Error::body_limit) return Refuse(413, TooLarge());
    const bool is_protocol =
        error.category() == beast::http::make_error_code(Error::bad_method).category();
    if (is_protocol && error != Error::end_of_stream) {
      return Refuse(400, absl::StrCat("the request is no HTTP: ", error.message()));
    }
    Close();
  }

  // Answers and closes: what follows on the connection cannot be trusted to be a request.
  void Refuse(int status, std::string message) {
    HasArrived();
    keeps_alive_ = false;
    version_ = 11;
    HttpResponse response;
    response.status = status;
    response.body = protocol::ErrorBody(message);
    Write(std::move(response));
  }

  void HasArrived() {
    is_arriving_ = false;
    grace_.reset();
  }

  void Handle() {
    HasArrived();
    stream_.expires_never();
    auto message = parser_->release();
    HttpRequest request;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    for (const auto& field : message) {
      request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    request.body = std::make_shared<const std::string>(std::move(message.body()));
    keeps_alive_ = message.keep_alive();
    version_ = message.version();
    is_head_ = message.method() == beast::http::verb::head;
    Reply reply = [self = shared_from_this()](HttpResponse response) {
      asio::post(self->stream_.get_executor(), [self, response = std::move(response)]() mutable {
        self->Write(std::move(response));
      });
    };
    if (request.body->size() <= kLargeBody) {
      shared_->handler(std::move(request), std::move(reply));
    } else {
      asio::post(shared_->large_bodies, [shared = shared_.get(), request = std::move(request),
                                         reply = std::move(reply)]() mutable {
        shared->handler(std::move(request), std::move(reply));
      });
    }
  }

  void Write(HttpResponse from) {
    keeps_alive_ = keeps_alive_ && !shared_->is_draining;
    if (from.parts) return WriteParts(std::move(from));
    response_.emplace();
    SetHeader(from, *response_);
    response_->content_length(from.body.size());
    if (!is_head_) response_->body() = std::move(from.body);
    is_head_ = false;
    stream_.expires_after(shared_->options.write_timeout);
    beast::http::async_write(
        stream_, *response_,
        [self = shared_from_this()](error_code error, size_t) { self->OnWritten(error); });
  }

  template <typename Response>
  void SetHeader(const HttpResponse& from, Response& to) const {
    to.version(version_);
    to.result(static_cast<unsigned>(from.status));
    to.set(beast::http::field::content_type, from.content_type);
    to.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : from.headers) to.set(name, value);
    to.keep_alive(keeps_alive_);
  }

  // A body in parts: HTTP/1.1's chunks, or else all bytes until the connection is closed. Parts are
  // written as they come, those that came during a write together.
  void WriteParts(HttpResponse from) {
    is_chunked_ = version_ >= 11;
    keeps_alive_ = keeps_alive_ && is_chunked_;
    parts_ = std::move(from.parts);
    header_.emplace();
    SetHeader(from, *header_);
    header_->chunked(is_chunked_);
    header_writer_.emplace(*header_);
    is_writing_ = true;
    stream_.expires_after(shared_->options.write_timeout);
    beast::http::async_write_header(
        stream_, *header_writer_, [self = shared_from_this()](error_code error, size_t) {
          self->is_writing_ = false;
          if (error) return self->EndParts(error);
          // Until EndParts the parts hold the connection.
          self->parts_->Connect([self] {
            asio::post(self->stream_.get_executor(), [self] { self->WriteNextParts(); });
          });
        });
  }

  void WriteNextParts() {
    if (!parts_ || is_writing_) return;
    BodyParts::Taken taken = parts_->Take();
    if (taken.bytes.empty() && !taken.has_ended) {
      return stream_.expires_never();  // the next part may take its time
    }
    part_ = std::move(taken.bytes);
    if (is_chunked_) {
      part_ = absl::StrCat(part_.empty() ? "" : ChunkOf(part_), taken.has_ended ? "0\r\n\r\n" : "");
    }
    is_writing_ = true;
    stream_.expires_after(shared_->options.write_timeout);
    asio::async_write(
        stream_, asio::buffer(part_),
        [self = shared_from_this(), has_ended = taken.has_ended](error_code error, size_t) {
          self->is_writing_ = false;
          if (error || has_ended) return self->EndParts(error);
          self->WriteNextParts();
        });
  }

  static std::string ChunkOf(const std::string& bytes) {
    return absl::StrCat(absl::Hex(bytes.size()), "\r\n", bytes, "\r\n");
  }

  void EndParts(error_code error) {
    DropParts();
    header_writer_.reset();
    header_.reset();
    OnWritten(error);
  }

  void DropParts() {
    if (const auto parts = std::move(parts_)) parts->Disconnect();
  }

  void OnWritten(error_code error) {
    body_bytes_.Release();
    response_.reset();
    if (error || !keeps_alive_) return ShutDown();
    ReadHeader();
  }

  // Says that nothing more comes, and waits a little for the client to do the same: an answer that
  // refuses a request would be lost if bytes of that request were still on their way.
  void ShutDown() {
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(std::chrono::seconds(1));
    Discard();
  }
  void Discard() {
    stream_.async_read_some(asio::buffer(rest_),
                            [self = shared_from_this()](error_code error, size_t size) {
                              constexpr size_t kMost = 1 << 20;
                              self->discarded_ += size;
                              if (error || self->discarded_ > kMost) return self->Close();
                              self->Discard();
                            });
  }

  void Close() {
    is_idle_ = false;
    HasArrived();
    DropParts();
    error_code ignored;
    stream_.socket().close(ignored);
  }

  const std::shared_ptr<Shared> shared_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{64 << 10};
  std::optional<beast::http::request_parser<StringBody>> parser_;
  std::optional<beast::http::response<StringBody>> response_;
  std::shared_ptr<BodyParts> parts_;  // of the answer, until they have ended
  std::optional<beast::http::response<beast::http::empty_body>> header_;
  std::optional<beast::http::response_serializer<beast::http::empty_body>> header_writer_;
  std::string part_;  // that is being written
  BodyBytes body_bytes_;
  std::list<std::weak_ptr<Connection>>::iterator place_;
  std::optional<asio::steady_timer> grace_;  // of a request that arrives during the drain
  bool is_idle_ = false;                     // no byte of a request has arrived
  bool is_arriving_ = false;                 // a part of one has
  bool is_late_ = false;                     // ... and the rest has not within the grace
  bool keeps_alive_ = false;
  bool is_head_ = false;
  bool is_chunked_ = false;
  bool is_writing_ = false;  // the header or a part
  unsigned version_ = 11;
  char rest_[1024];
  size_t discarded_ = 0;
};

}  // namespace

const std::string* HttpRequest::Header(absl::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (absl::EqualsIgnoreCase(key, name)) return &value;
  }
  return nullptr;
}

struct HttpServer::Impl : public std::enable_shared_from_this<HttpServer::Impl> {
  std::shared_ptr<Shared> shared = std::make_shared<Shared>();
  std::optional<tcp::acceptor> acceptor;
  std::optional<asio::steady_timer> pause;
  uint16_t port = 0;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work;
  std::vector<std::thread> threads;

  std::vector<std::shared_ptr<Connection>> Connections() const {
    std::vector<std::shared_ptr<Connection>> open;
    const std::lock_guard lock(shared->mutex);
    for (const auto& weak : shared->connections) {
      if (auto connection = weak.lock()) open.push_back(std::move(connection));
    }
    return open;
  }

  absl::Status Listen() {
    const HttpOptions& options = shared->options;
    error_code error;
    const auto address = asio::ip::make_address(options.host, error);
    if (error) return absl::InvalidArgumentError(absl::StrCat("no address: ", options.host));
    const tcp::endpoint endpoint(address, options.port);
    acceptor.emplace(asio::make_strand(shared->io));
    pause.emplace(acceptor->get_executor());
    acceptor->open(endpoint.protocol(), error);
    if (!error) acceptor->set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor->bind(endpoint, error);
    if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return absl::UnavailableError(
          absl::StrCat(options.host, ":", options.port, ": ", error.message()));
    }
    port = acceptor->local_endpoint().port();
    return absl::OkStatus();
  }

  void Accept() {
    acceptor->async_accept(asio::make_strand(shared->io),
                           [self = shared_from_this()](error_code error, tcp::socket socket) {
                             self->OnAccepted(error, std::move(socket));
                           });
  }

  void OnAccepted(error_code error, tcp::socket socket) {
    if (shared->is_draining || error == asio::error::operation_aborted) return;
    if (error) {  // no more file descriptors, most likely: they come back
      log::Write(log::Level::kWarning, "cannot accept", {{"reason", error.message()}});
      pause->expires_after(std::chrono::milliseconds(100));
      pause->async_wait([self = shared_from_this()](error_code) { self->Accept(); });
      return;
    }
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    bool is_welcome = false;
    {
      const std::lock_guard lock(shared->mutex);
      is_welcome = shared->open < shared->options.max_connections;
      if (is_welcome) shared->on_connections(++shared->open);
    }
    // Else the socket is closed.
    if (is_welcome) std::make_shared<Connection>(std::move(socket), shared)->Start();
    Accept();
  }
};

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(
    const HttpOptions& options, Handler handler, std::function<void(int64_t)> on_connections) {
  auto impl = std::make_shared<Impl>();
  impl->shared->options = options;
  impl->shared->handler = std::move(handler);
  impl->shared->on_connections = std::move(on_connections);
  if (absl::Status status = impl->Listen(); !status.ok()) return status;
  impl->work.emplace(impl->shared->io.get_executor());
  impl->Accept();
  for (int i = 0; i < options.threads; ++i) {
    impl->threads.emplace_back([shared = impl->shared] { shared->io.run(); });
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::~HttpServer() {
  BeginDrain();
  for (const auto& connection : impl_->Connections()) connection->ForceClosed();
  impl_->work.reset();
  for (std::thread& thread : impl_->threads) thread.join();
  impl_->shared->large_bodies.join();
}

uint16_t HttpServer::port() const { return impl_->port; }

void HttpServer::BeginDrain() {
  impl_->shared->is_draining = true;
  asio::post(impl_->acceptor->get_executor(), [impl = impl_] {
    error_code ignored;
    impl->acceptor->close(ignored);
  });
  for (const auto& connection : impl_->Connections()) connection->Drain();
}

bool HttpServer::WaitUntilClosed(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(impl_->shared->mutex);
  return impl_->shared->closed.wait_until(lock, deadline, [&] { return impl_->shared->open == 0; });
}

}  // namespace dynacc::http
