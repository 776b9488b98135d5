#include "master/view/server.hpp"

#include "master/base/error.hpp"
#include "master/view/clock.hpp"
#include "master/view/connection.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <fmt/format.h>
#include <list>
#include <optional>
#include <thread>
#include <unistd.h>
#include <utility>

namespace master::view {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using Failure = boost::system::error_code;

constexpr std::size_t most_connections = 64;
constexpr std::size_t most_with_closing = 2 * most_connections;  // also those that are cut and not yet gone
constexpr std::chrono::microseconds tick_period{33'333};
constexpr std::chrono::milliseconds accept_again{100};

}  // namespace

class Server::Body {
public:
    Body(ServerOptions options, Feed& feed) : options_(std::move(options)), reception_{feed, options_.page} {
        listen();
    }
    ~Body() { stop(); }
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;

    [[nodiscard]] std::string address(std::string_view page) const {
        const bool six = endpoint_.address().is_v6();
        return fmt::format("http://{}{}{}:{}/{}{}", six ? "[" : "", endpoint_.address().to_string(), six ? "]" : "",
                           endpoint_.port(), page, token().empty() ? "" : "?token=" + token());
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

private:
    [[nodiscard]] const std::string& token() const { return reception_.admission.token; }
    void listen();
    void accept();
    [[nodiscard]] bool make_room();
    void wait_for_tick();
    void wait_for_feed();

    ServerOptions options_;
    Reception reception_;
    std::uint32_t last_client_ = 0;
    asio::io_context io_{1};
    tcp::endpoint endpoint_;
    tcp::acceptor acceptor_{io_};
    asio::steady_timer timer_{io_}, retry_{io_};
    std::optional<asio::posix::stream_descriptor> events_;
    std::list<std::unique_ptr<Connection>> connections_;
    std::thread thread_;
};

void Server::Body::listen() {
    Failure error;
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
    reception_.admission = {.loopback = address.is_loopback(),
                            .token = address.is_loopback() ? std::string{} : make_token(),
                            .cookie = fmt::format("tandem_token_{}", endpoint_.port()),
                            .origins = options_.origins};
    reception_.session = make_token();
    reception_.remove = [this](const Connection& over) {
        std::erase_if(connections_, [&](const auto& each) { return each.get() == &over; });
    };
    accept();
    wait_for_tick();
    if (reception_.feed.descriptor() >= 0) {
        events_.emplace(io_, ::dup(reception_.feed.descriptor()));
        wait_for_feed();
    }
}

void Server::Body::accept() {
    acceptor_.async_accept([this](Failure error, tcp::socket socket) {
        if (error == asio::error::operation_aborted) return;
        if (!error && make_room()) {
            Failure ignored;
            socket.set_option(tcp::no_delay(true), ignored);
            connections_.push_back(std::make_unique<Connection>(reception_, std::move(socket), ++last_client_));
        }
        if (!error) return accept();
        // No descriptor is left, for example: not again at once.
        retry_.expires_after(accept_again);
        retry_.async_wait([this](Failure) { accept(); });
    });
}

/// Whoever has owed a request for longest makes place for a newcomer; those who are being served stay.
bool Server::Body::make_room() {
    if (connections_.size() >= most_with_closing) return false;
    const auto is_open = [](const auto& each) { return !each->is_cut(); };
    if (std::ranges::count_if(connections_, is_open) < static_cast<std::ptrdiff_t>(most_connections)) return true;
    Connection* idlest = nullptr;
    for (const auto& each : connections_)
        if (each->owes_since() && (idlest == nullptr || *each->owes_since() < *idlest->owes_since()))
            idlest = each.get();
    if (idlest != nullptr) idlest->cut();
    return idlest != nullptr;
}

void Server::Body::wait_for_tick() {
    timer_.expires_after(tick_period);
    timer_.async_wait([this](Failure error) {
        if (error) return;
        const double now = steady_seconds();
        reception_.feed.tick(now);
        for (const auto& connection : connections_) connection->look(now);
        wait_for_tick();
    });
}

void Server::Body::wait_for_feed() {
    events_->async_wait(asio::posix::stream_descriptor::wait_read, [this](Failure error) {
        if (error) return;
        reception_.feed.awake();
        wait_for_feed();
    });
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
