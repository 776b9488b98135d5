#include "master/view/server.hpp"

#include "interfaces/bytes/bytes.hpp"
#include "master/base/error.hpp"
#include "master/view/clock.hpp"
#include "master/view/foxglove/foxglove.hpp"
#include "master/view/http.hpp"
#include "master/view/outbox.hpp"

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <list>
#include <optional>
#include <thread>
#include <unistd.h>
#include <utility>

namespace master::view {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using std::chrono::seconds;

constexpr std::size_t most_connections = 64;
constexpr std::size_t most_clients = 16;
constexpr std::size_t most_header_bytes = 8192;
constexpr std::size_t most_messages = 100;  // of a client, per tick
constexpr seconds request_patience{10};     // for a request, and for a client to take a frame
constexpr std::chrono::microseconds tick_period{33'333};
constexpr std::chrono::milliseconds accept_again{100};
constexpr const char* subprotocol = "tandem.view.1";
constexpr std::array foxglove_protocols{"foxglove.sdk.v1", "foxglove.websocket.v1"};

std::string_view as_view(beast::string_view text) { return {text.data(), text.size()}; }

bool offers(beast::string_view list, std::string_view wanted) {
    for (const auto& protocol : http::token_list(list))
        if (as_view(protocol) == wanted) return true;
    return false;
}

}  // namespace

class Server::Body {
public:
    Body(ServerOptions options, Feed& feed) : options_(std::move(options)), feed_(feed) { listen(); }
    ~Body() { stop(); }
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;

    [[nodiscard]] std::string address(std::string_view page) const {
        const bool six = endpoint_.address().is_v6();
        return fmt::format("http://{}{}{}:{}/{}{}", six ? "[" : "", endpoint_.address().to_string(), six ? "]" : "",
                           endpoint_.port(), page, admission_.token.empty() ? "" : "?token=" + admission_.token);
    }

    void start() {
        io_.restart();
        thread_ = std::thread([this] { io_.run(); });
    }
    void stop() {
        if (!thread_.joinable()) return;
        io_.stop();
        thread_.join();
    }
    void post(std::function<void()> work) { asio::post(io_, std::move(work)); }
    void abandon();

    class Connection;
    void remove(const Connection& connection);

    ServerOptions options_;
    Feed& feed_;
    Admission admission_;
    std::size_t clients_ = 0;
    std::uint32_t last_client_ = 0;
    const std::string session_ = make_token();  // tells one start of the server from another

private:
    void listen();
    void accept();
    void wait_for_tick();
    void wait_for_feed();

    asio::io_context io_{1};
    tcp::endpoint endpoint_;
    tcp::acceptor acceptor_{io_};
    asio::steady_timer timer_{io_}, retry_{io_};
    std::optional<asio::posix::stream_descriptor> events_;
    std::list<std::unique_ptr<Connection>> connections_;
    std::thread thread_;
};

/// One connection: requests one after the other, until one of them makes a WebSocket of it. It lives as long as
/// operations of it are under way.
class Server::Body::Connection final : public Client {
public:
    Connection(Body& server, tcp::socket socket, std::uint32_t id)
        : Client(id), server_(server), stream_(std::move(socket)) {
        read_request();
    }

    void show(std::uint32_t slot, Frame frame) override {
        if (foxglove_) return show_translated(slot, std::move(frame));
        outbox_.show(slot, std::move(frame));
        write_next();
    }
    void tell(Frame frame) override {
        if (!foxglove_) put({std::move(frame), false});
    }

    /// Those who take nothing are let go.
    void look(double now) {
        heard_ = 0;
        if (writing_since_ && now - *writing_since_ > static_cast<double>(request_patience.count())) drop();
    }

    [[nodiscard]] int handle() {
        tcp::socket& socket = lowest().socket();
        return socket.is_open() ? socket.native_handle() : -1;
    }

private:
    using Stream = beast::tcp_stream;

    Stream& lowest() { return socket_ ? beast::get_lowest_layer(*socket_) : stream_; }

    /// Counts the operation; the last one that ends takes a closed connection with it.
    template <class Then>
    auto operation(Then then) {
        ++under_way_;
        return [this, then = std::move(then)](beast::error_code error, auto&&... rest) {
            then(error, std::forward<decltype(rest)>(rest)...);
            if (--under_way_ == 0) server_.remove(*this);
        };
    }

    void drop() {
        leave();
        cut();
    }

    /// What is under way ends with an error, and then the client leaves.
    void cut() {
        beast::error_code ignored;
        lowest().socket().shutdown(tcp::socket::shutdown_both, ignored);
        lowest().close();
    }

    void leave() {
        if (!std::exchange(joined_, false)) return;
        --server_.clients_;
        server_.feed_.leave(*this);
    }

    // Requests.

    void read_request() {
        parser_.emplace();
        parser_->header_limit(most_header_bytes);
        parser_->body_limit(0);
        stream_.expires_after(request_patience);
        http::async_read(stream_, buffer_, *parser_,
                         operation([this](beast::error_code error, std::size_t) { take_request(error); }));
    }

    void take_request(beast::error_code error) {
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
                                      server_.admission_);
        if (verdict == Verdict::no_host) return refuse(http::status::bad_request, reason_of(verdict));
        if (verdict != Verdict::welcome) return refuse(http::status::forbidden, reason_of(verdict));
        if (websocket::is_upgrade(request)) return upgrade(*target);
        if (request.method() != http::verb::get && !head_only_)
            return refuse(http::status::method_not_allowed, "only GET and HEAD");
        answer(*target);
    }

    void answer(const Target& target) {
        if (target.path == "/system.json") {
            std::optional<std::string> json = server_.feed_.system_json();
            if (json) return respond(http::status::ok, std::move(*json), "application/json");
            return refuse(http::status::service_unavailable, "the run is being prepared");
        }
        if (target.path == "/history") {
            std::optional<std::string> history = server_.feed_.history(target.query);
            if (history) return respond(http::status::ok, std::move(*history), "application/octet-stream");
            return refuse(http::status::not_found, "there is no such history");
        }
        constexpr std::string_view files = "/files/";
        if (target.path.starts_with(files)) {
            const std::string name = target.path.substr(files.size());
            if (const std::string* content = server_.feed_.file(name))
                return respond(http::status::ok, *content, content_type(name));
            return refuse(http::status::not_found, "the view names no such file");
        }
        if (std::optional<PageFile> file = page_file(server_.options_.page, target.path))
            return respond(http::status::ok, std::move(file->content), file->type);
        if (target.path == "/") return respond(http::status::ok, page_missing(), "text/html; charset=utf-8");
        refuse(http::status::not_found, "there is no such page");
    }

    void refuse(http::status status, const std::string& text) {
        keep_alive_ = false;
        respond(status, text + "\n", "text/plain; charset=utf-8");
    }

    void respond(http::status status, std::string content, const char* type) {
        const std::size_t size = content.size();
        if (head_only_) content.clear();
        response_ = http::response<http::string_body>(status, 11);
        response_.set(http::field::content_type, type);
        response_.set(http::field::cache_control, "no-cache");
        response_.set("X-Content-Type-Options", "nosniff");
        response_.set("X-Frame-Options", "SAMEORIGIN");
        response_.set("Referrer-Policy", "no-referrer");
        response_.set("Content-Security-Policy",
                      "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
                      "worker-src 'self' blob:; connect-src 'self'");
        if (status == http::status::service_unavailable) response_.set(http::field::retry_after, "1");
        if (!server_.admission_.token.empty() && status == http::status::ok)
            response_.set(http::field::set_cookie, fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/",
                                                               server_.admission_.cookie, server_.admission_.token));
        response_.keep_alive(keep_alive_);
        response_.body() = std::move(content);
        response_.content_length(size);
        serializer_.emplace(response_);
        serializer_->split(false);
        stream_.expires_after(request_patience);
        const auto done = [this](beast::error_code error, std::size_t) {
            if (error) return drop();
            if (keep_alive_) return read_request();
            beast::error_code ignored;
            stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
            stream_.close();
        };
        if (head_only_) {
            http::async_write_header(stream_, *serializer_, operation(done));
        } else {
            http::async_write(stream_, *serializer_, operation(done));
        }
    }

    // WebSocket.

    /// The protocol to speak of those that the client offers; null: none.
    [[nodiscard]] static const char* protocol_for(const Target& target, beast::string_view offered) {
        if (target.path == "/live" && offers(offered, subprotocol)) return subprotocol;
        for (const char* protocol : foxglove_protocols)
            if (offers(offered, protocol)) return protocol;
        return nullptr;
    }

    void upgrade(const Target& target) {
        const auto& request = parser_->get();
        const char* const protocol = protocol_for(target, request[http::field::sec_websocket_protocol]);
        if (protocol == nullptr)
            return refuse(http::status::bad_request,
                          fmt::format("expected the WebSocket /live with the subprotocol {}, or any with {}",
                                      subprotocol, fmt::join(foxglove_protocols, " or ")));
        if (server_.clients_ >= most_clients)
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
        ++server_.clients_;
        joined_ = true;
        socket_->async_accept(request, operation([this](beast::error_code error) {
                                  if (error) {
                                      joined_ = false;
                                      --server_.clients_;
                                      return drop();
                                  }
                                  accepted_ = true;
                                  parser_.reset();
                                  buffer_.clear();
                                  if (foxglove_) put_text(Foxglove::server_info(server_.session_));
                                  server_.feed_.join(*this);
                                  read_message();
                                  write_next();
                              }));
    }

    void read_message() {
        socket_->async_read(buffer_, operation([this](beast::error_code error, std::size_t) {
                                if (error) return drop();
                                take_message();
                            }));
    }

    void take_message() {
        if (!joined_) return;
        if (!socket_->got_text()) return close(websocket::close_code::unknown_data, "messages are JSON text");
        if (++heard_ > most_messages) return close(websocket::close_code::policy_error, "too many messages");
        const auto bytes = buffer_.cdata();
        if (!understand({static_cast<const char*>(bytes.data()), bytes.size()}))
            return close(websocket::close_code::policy_error, "this is no message of the protocol");
        buffer_.clear();
        read_message();
    }

    bool understand(std::string_view text) {
        if (foxglove_) {
            std::optional<std::vector<Foxglove::Message>> answer = foxglove_->hear(text);
            if (!answer) return false;
            const bool subscribed = !answer->empty();
            show_messages(std::move(*answer));
            // A recording plays for those who cannot say so; a run takes this from nobody who does not hold control.
            ClientMessage play;
            play.what = ClientMessage::Do::go;
            if (subscribed) server_.feed_.hear(*this, play);
            return true;
        }
        const std::optional<ClientMessage> message = parse_client_message(text);
        if (message) server_.feed_.hear(*this, *message);
        return message.has_value();
    }

    /// What there is to subscribe to is known once the run is prepared, and anew when it begins again.
    void show_translated(std::uint32_t slot, Frame frame) {
        const auto run = interfaces::bytes::take<std::uint32_t>(frame.data() + 16);
        if (run != advertised_run_) {
            const std::optional<std::string> system = server_.feed_.system_json();
            if (!system) return;
            advertised_run_ = run;
            outbox_.forget_shown();
            put_text(foxglove_->unadvertise());
            put_text(foxglove_->advertise(*system));
        }
        show_messages(foxglove_->show(slot, std::move(frame)));
    }
    void show_messages(std::vector<Foxglove::Message> messages) {
        for (Foxglove::Message& message : messages) outbox_.show(message.slot, std::move(message.bytes));
        write_next();
    }

    void put_text(const std::optional<std::string>& text) {
        if (text) put({Frame(text->begin(), text->end()), true});
    }
    void put(Outbox::Message message) {
        if (!outbox_.tell(std::move(message))) return cut();
        write_next();
    }

    void close(websocket::close_code code, const char* reason) {
        leave();
        socket_->async_close({code, reason}, operation([this](beast::error_code) { drop(); }));
    }

    void write_next() {
        if (!accepted_ || !joined_ || writing_since_ || !outbox_.next(writing_)) return;
        socket_->text(writing_.text);
        writing_since_ = steady_seconds();
        socket_->async_write(asio::buffer(writing_.bytes), operation([this](beast::error_code error, std::size_t) {
                                 writing_since_.reset();
                                 if (error) return drop();
                                 write_next();
                             }));
    }

    Body& server_;
    Stream stream_;
    std::optional<websocket::stream<Stream, false>> socket_;  // nothing is compressed
    beast::flat_buffer buffer_;
    std::optional<http::request_parser<http::empty_body>> parser_;
    http::response<http::string_body> response_;
    std::optional<http::response_serializer<http::string_body>> serializer_;
    bool keep_alive_ = false, head_only_ = false;
    bool joined_ = false, accepted_ = false;
    std::size_t under_way_ = 0, heard_ = 0;
    std::optional<Foxglove> foxglove_;  // none: a page of ours
    std::uint32_t advertised_run_ = 0;
    Outbox outbox_;
    Outbox::Message writing_;
    std::optional<double> writing_since_;
};

void Server::Body::listen() {
    beast::error_code error;
    const auto refuse = [&](const std::string& text) {
        throw base::Error("view", fmt::format("--view={}", options_.port), text);
    };
    const asio::ip::address address = asio::ip::make_address(options_.host, error);
    if (error)
        refuse(fmt::format("'{}' is no address of this machine, expected one like 127.0.0.1 or 0.0.0.0 (--view-host)",
                           options_.host));
    endpoint_ = {address, options_.port};
    acceptor_.open(endpoint_.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint_, error);
    if (error == asio::error::address_in_use)
        refuse(fmt::format("port {} of {} is in use; --view=PORT takes another one, --view=0 any that is free",
                           options_.port, options_.host));
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) refuse(fmt::format("{} port {} cannot be served: {}", options_.host, options_.port, error.message()));
    endpoint_ = acceptor_.local_endpoint();
    admission_ = {.loopback = address.is_loopback(),
                  .token = address.is_loopback() ? std::string{} : make_token(),
                  .cookie = fmt::format("tandem_token_{}", endpoint_.port()),
                  .origins = options_.origins};
    accept();
    wait_for_tick();
    if (feed_.descriptor() >= 0) {
        events_.emplace(io_, ::dup(feed_.descriptor()));
        wait_for_feed();
    }
}

void Server::Body::accept() {
    acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
        if (error == asio::error::operation_aborted) return;
        if (!error && connections_.size() < most_connections) {
            beast::error_code ignored;
            socket.set_option(tcp::no_delay(true), ignored);
            connections_.push_back(std::make_unique<Connection>(*this, std::move(socket), ++last_client_));
        }
        if (!error) return accept();
        // No descriptor is left, for example: not again at once.
        retry_.expires_after(accept_again);
        retry_.async_wait([this](beast::error_code) { accept(); });
    });
}

void Server::Body::wait_for_tick() {
    timer_.expires_after(tick_period);
    timer_.async_wait([this](beast::error_code error) {
        if (error) return;
        const double now = steady_seconds();
        feed_.tick(now);
        for (const auto& connection : connections_) connection->look(now);
        wait_for_tick();
    });
}

void Server::Body::wait_for_feed() {
    events_->async_wait(asio::posix::stream_descriptor::wait_read, [this](beast::error_code error) {
        if (error) return;
        feed_.awake();
        wait_for_feed();
    });
}

void Server::Body::remove(const Connection& connection) {
    std::erase_if(connections_, [&](const auto& each) { return each.get() == &connection; });
}

void Server::Body::abandon() {
    ::close(acceptor_.native_handle());
    for (const auto& connection : connections_)
        if (const int handle = connection->handle(); handle >= 0) ::close(handle);
}

Server::Server(ServerOptions options, Feed& feed) : body_(std::make_unique<Body>(std::move(options), feed)) {}
Server::~Server() = default;

std::string Server::address(std::string_view page) const { return body_->address(page); }
void Server::start() { body_->start(); }
void Server::stop() { body_->stop(); }
void Server::post(std::function<void()> work) { body_->post(std::move(work)); }
void Server::abandon() { body_->abandon(); }

}  // namespace master::view
