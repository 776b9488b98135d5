#include "master/view/connection.hpp"

#include "interfaces/bytes/bytes.hpp"
#include "master/view/clock.hpp"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <utility>

namespace master::view {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using std::chrono::seconds;

constexpr std::size_t most_clients = 16;
constexpr std::size_t most_header_bytes = 8192;
constexpr std::size_t most_messages = 100;  // of a client, per tick
constexpr seconds request_patience{10};     // for a request, and for a client to take a frame
constexpr const char* subprotocol = "tandem.view.1";
constexpr std::array foxglove_protocols{"foxglove.sdk.v1", "foxglove.websocket.v1"};

std::string_view as_view(beast::string_view text) { return {text.data(), text.size()}; }

bool offers(beast::string_view list, std::string_view wanted) {
    for (const auto& protocol : http::token_list(list))
        if (as_view(protocol) == wanted) return true;
    return false;
}

/// The protocol to speak of those that the client offers; null: none.
const char* protocol_for(const Target& target, beast::string_view offered) {
    if (target.path == "/live" && offers(offered, subprotocol)) return subprotocol;
    for (const char* protocol : foxglove_protocols)
        if (offers(offered, protocol)) return protocol;
    return nullptr;
}

}  // namespace

Connection::Connection(Reception& reception, Socket socket, std::uint32_t id)
    : Client(id), reception_(reception), stream_(std::move(socket)) {
    read_request();
}

void Connection::show(std::uint32_t slot, Frame frame) {
    if (foxglove_) return show_translated(slot, std::move(frame));
    outbox_.show(slot, std::move(frame));
    write_next();
}

void Connection::tell(Frame frame) {
    if (!foxglove_) put({std::move(frame), false});
}

void Connection::look(double now) {
    heard_ = 0;
    if (writing_since_ && now - *writing_since_ > static_cast<double>(request_patience.count())) drop();
}

int Connection::handle() {
    Socket& socket = lowest().socket();
    return socket.is_open() ? socket.native_handle() : -1;
}

/// Counts the operation; the last one that ends takes a closed connection with it.
template <class Then>
auto Connection::operation(Then then) {
    ++under_way_;
    return [this, then = std::move(then)](Error error, auto&&... rest) {
        then(error, std::forward<decltype(rest)>(rest)...);
        if (--under_way_ == 0) reception_.remove(*this);
    };
}

void Connection::drop() {
    leave();
    cut();
}

void Connection::cut() {
    cut_ = true;
    owes_since_.reset();
    Error ignored;
    lowest().socket().shutdown(Socket::shutdown_both, ignored);
    lowest().close();
}

void Connection::leave() {
    if (!std::exchange(joined_, false)) return;
    --reception_.clients;
    reception_.feed.leave(*this);
}

// Requests.

void Connection::read_request() {
    parser_.emplace();
    parser_->header_limit(most_header_bytes);
    parser_->body_limit(0);
    owes_since_ = steady_seconds();
    stream_.expires_after(request_patience);
    http::async_read(stream_, buffer_, *parser_, operation([this](Error error, std::size_t) { take_request(error); }));
}

void Connection::take_request(Error error) {
    owes_since_.reset();
    if (error == http::error::header_limit)
        return refuse(http::status::request_header_fields_too_large, "the request is too long");
    if (error == http::error::body_limit || error == http::error::unexpected_body)
        return refuse(http::status::payload_too_large, "requests have no body here");
    if (error.category() == make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message)
        return refuse(http::status::bad_request, "this is no HTTP request");
    if (error) return drop();
    const auto& request = parser_->get();
    keep_alive_ = request.keep_alive();
    head_only_ = request.method() == http::verb::head;
    const std::optional<Target> target = parse_target(as_view(request.target()));
    if (!target) return refuse(http::status::bad_request, "the path is none");
    const Verdict verdict = judge({.host = as_view(request[http::field::host]),
                                   .origin = as_view(request[http::field::origin]),
                                   .query = target->query,
                                   .cookies = as_view(request[http::field::cookie])},
                                  reception_.admission);
    if (verdict == Verdict::no_host) return refuse(http::status::bad_request, reason_of(verdict));
    if (verdict != Verdict::welcome) return refuse(http::status::forbidden, reason_of(verdict));
    if (websocket::is_upgrade(request)) return upgrade(*target);
    if (request.method() != http::verb::get && !head_only_)
        return refuse(http::status::method_not_allowed, "only GET and HEAD");
    answer(*target);
}

void Connection::answer(const Target& target) {
    if (target.path == "/system.json") {
        const std::optional<std::string> json = reception_.feed.system_json();
        if (json) return respond(http::status::ok, *json, "application/json");
        return refuse(http::status::service_unavailable, "the run is being prepared");
    }
    if (target.path == "/history") {
        const std::optional<std::string> history = reception_.feed.history(target.query);
        if (history) return respond(http::status::ok, *history, "application/octet-stream");
        return refuse(http::status::not_found, "there is no such history");
    }
    constexpr std::string_view files = "/files/";
    if (target.path.starts_with(files)) {
        const std::string name = target.path.substr(files.size());
        if (const std::string* content = reception_.feed.file(name))
            return respond(http::status::ok, *content, content_type(name));
        return refuse(http::status::not_found, "the view names no such file");
    }
    if (const std::optional<PageFile> file = page_file(reception_.page, target.path))
        return respond(http::status::ok, file->content, file->type);
    if (target.path == "/") return respond(http::status::ok, page_missing(), "text/html; charset=utf-8");
    refuse(http::status::not_found, "there is no such page");
}

void Connection::refuse(Status status, const std::string& text) {
    keep_alive_ = false;
    respond(status, text + "\n", "text/plain; charset=utf-8");
}

void Connection::respond(Status status, const std::string& content, const char* type) {
    http::response<http::empty_body> response(status, 11);
    response.set(http::field::content_type, type);
    response.set(http::field::cache_control, "no-cache");
    response.set("X-Content-Type-Options", "nosniff");
    response.set("X-Frame-Options", "SAMEORIGIN");
    response.set("Referrer-Policy", "no-referrer");
    response.set("Content-Security-Policy",
                 "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
                 "worker-src 'self' blob:; connect-src 'self'");
    if (status == http::status::service_unavailable) response.set(http::field::retry_after, "1");
    if (!reception_.admission.token.empty() && status == http::status::ok)
        response.set(http::field::set_cookie, fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/",
                                                          reception_.admission.cookie, reception_.admission.token));
    response.keep_alive(keep_alive_);
    response.content_length(content.size());
    std::ostringstream head;
    head << response.base();
    reply_ = std::move(head).str();
    if (!head_only_) reply_ += content;
    stream_.expires_after(request_patience);
    asio::async_write(stream_, asio::buffer(reply_), operation([this](Error error, std::size_t) {
                          if (error) return drop();
                          if (keep_alive_) return read_request();
                          Error ignored;
                          stream_.socket().shutdown(Socket::shutdown_send, ignored);
                          stream_.close();
                      }));
}

// WebSocket.

void Connection::upgrade(const Target& target) {
    const auto& request = parser_->get();
    const char* const protocol = protocol_for(target, request[http::field::sec_websocket_protocol]);
    if (protocol == nullptr)
        return refuse(http::status::bad_request,
                      fmt::format("expected the WebSocket /live with the subprotocol {}, or any with {}", subprotocol,
                                  fmt::join(foxglove_protocols, " or ")));
    if (reception_.clients >= most_clients)
        return refuse(http::status::service_unavailable,
                      fmt::format("{} pages are connected, and no more may be", most_clients));
    stream_.expires_never();
    socket_.emplace(std::move(stream_));
    socket_->set_option(websocket::stream_base::timeout{
        .handshake_timeout = request_patience, .idle_timeout = seconds(20), .keep_alive_pings = true});
    socket_->set_option(websocket::stream_base::decorator([protocol](websocket::response_type& response) {
        response.set(http::field::sec_websocket_protocol, protocol);
    }));
    if (protocol != subprotocol) foxglove_.emplace();
    socket_->read_message_max(foxglove_ ? Foxglove::most_bytes : ClientMessage::most_bytes);
    socket_->auto_fragment(false);
    ++reception_.clients;
    joined_ = true;
    socket_->async_accept(request, operation([this](Error error) {
                              if (error) {
                                  joined_ = false;
                                  --reception_.clients;
                                  return drop();
                              }
                              accepted_ = true;
                              parser_.reset();
                              buffer_.clear();
                              if (foxglove_) put_text(Foxglove::server_info(reception_.session));
                              reception_.feed.join(*this);
                              read_message();
                              write_next();
                          }));
}

void Connection::read_message() {
    socket_->async_read(buffer_, operation([this](Error error, std::size_t) {
                            if (error) return drop();
                            take_message();
                        }));
}

void Connection::take_message() {
    if (!joined_) return;
    if (!socket_->got_text()) return close(websocket::close_code::unknown_data, "messages are JSON text");
    if (++heard_ > most_messages) return close(websocket::close_code::policy_error, "too many messages");
    const auto bytes = buffer_.cdata();
    if (!understand({static_cast<const char*>(bytes.data()), bytes.size()}))
        return close(websocket::close_code::policy_error, "this is no message of the protocol");
    buffer_.clear();
    read_message();
}

bool Connection::understand(std::string_view text) {
    if (foxglove_) {
        std::optional<std::vector<Foxglove::Message>> answer = foxglove_->hear(text);
        if (!answer) return false;
        const bool subscribed = !answer->empty();
        show_messages(std::move(*answer));
        // A recording plays for those who cannot say so; a run takes this from nobody who does not hold control.
        ClientMessage play;
        play.what = ClientMessage::Do::go;
        if (subscribed) reception_.feed.hear(*this, play);
        return true;
    }
    const std::optional<ClientMessage> message = parse_client_message(text);
    if (message) reception_.feed.hear(*this, *message);
    return message.has_value();
}

/// What there is to subscribe to is known once the run is prepared, and anew when it begins again.
void Connection::show_translated(std::uint32_t slot, Frame frame) {
    const auto run = interfaces::bytes::take<std::uint32_t>(frame.data() + 16);
    if (run != advertised_run_) {
        const std::optional<std::string> system = reception_.feed.system_json();
        if (!system) return;
        advertised_run_ = run;
        outbox_.forget_shown();
        put_text(foxglove_->unadvertise());
        put_text(foxglove_->advertise(*system));
    }
    show_messages(foxglove_->show(slot, std::move(frame)));
}

void Connection::show_messages(std::vector<Foxglove::Message> messages) {
    for (Foxglove::Message& message : messages) outbox_.show(message.slot, std::move(message.bytes));
    write_next();
}

void Connection::put_text(const std::optional<std::string>& text) {
    if (text) put({Frame(text->begin(), text->end()), true});
}

void Connection::put(Outbox::Message message) {
    if (!outbox_.tell(std::move(message))) return cut();
    write_next();
}

void Connection::close(websocket::close_code code, const char* reason) {
    leave();
    socket_->async_close({code, reason}, operation([this](Error) { drop(); }));
}

void Connection::write_next() {
    if (!accepted_ || !joined_ || writing_since_ || !outbox_.next(writing_)) return;
    socket_->text(writing_.text);
    writing_since_ = steady_seconds();
    socket_->async_write(asio::buffer(writing_.bytes), operation([this](Error error, std::size_t) {
                             writing_since_.reset();
                             if (error) return drop();
                             write_next();
                         }));
}

}  // namespace master::view
