#pragma once

#include "master/view/feed.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace master::view {

struct ServerOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;  // 0: any that is free
    std::filesystem::path page;
    std::vector<std::string> origins = {};  // that may connect beside the page's own
};

/// HTTP and WebSocket on one port, on a thread of its own. On a loopback address it serves whoever is on this machine;
/// on any other one only those who know the token.
class Server {
public:
    /// Binds; throws `Error` where that is not possible.
    Server(ServerOptions options, Feed& feed);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Where a page is (none: the first one), with the token if there is one.
    [[nodiscard]] std::string address(std::string_view page = "") const;

    void start();
    /// Clients stay connected, unserved until the next `start`.
    void stop();
    /// On the server's thread.
    void post(std::function<void()> work);
    /// In a process that was forked from this one: it has nothing to do with the connections.
    void abandon();

private:
    class Body;
    std::unique_ptr<Body> body_;
};

}  // namespace master::view
