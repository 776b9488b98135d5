#pragma once

#include "master/view/feed.hpp"
#include "master/view/foxglove/foxglove.hpp"
#include "master/view/http.hpp"
#include "master/view/outbox.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace master::view {

class Connection;

/// What the connections of a server share, on its thread.
struct Reception {
    Feed& feed;
    std::filesystem::path page;
    Admission admission = {};
    std::string session = {};                                 // tells one start of the server from another
    std::size_t clients = 0;                                  // that have a WebSocket
    std::function<void(const Connection& over)> remove = {};  // ends its life
};

/// One connection: requests one after the other, until one of them makes a WebSocket of it. It lives as long as
/// operations of it are under way.
class Connection final : public Client {
public:
    using Socket = boost::asio::ip::tcp::socket;

    Connection(Reception& reception, Socket socket, std::uint32_t id);

    void show(std::uint32_t slot, Frame frame) override;
    void tell(Frame frame) override;

    /// Those who take nothing are let go.
    void look(double now);
    /// Since when it owes a request, in s of the steady clock; nothing where it has made one, or is cut.
    [[nodiscard]] std::optional<double> owes_since() const { return owes_since_; }
    /// What is under way ends with an error, and then the client leaves.
    void cut();
    [[nodiscard]] bool is_cut() const { return cut_; }

    /// -1: none any more.
    [[nodiscard]] int handle();

private:
    using Error = boost::beast::error_code;
    using Stream = boost::beast::tcp_stream;
    using Status = boost::beast::http::status;

    Stream& lowest() { return socket_ ? boost::beast::get_lowest_layer(*socket_) : stream_; }
    template <class Then>
    auto operation(Then then);
    void drop();
    void leave();

    void read_request();
    void take_request(Error error);
    void answer(const Target& target);
    void refuse(Status status, const std::string& text);
    void respond(Status status, const std::string& content, const char* type);

    void upgrade(const Target& target);
    void read_message();
    void take_message();
    bool understand(std::string_view text);
    void show_translated(std::uint32_t slot, Frame frame);
    void show_messages(std::vector<Foxglove::Message> messages);
    void put_text(const std::optional<std::string>& text);
    void put(Outbox::Message message);
    void close(boost::beast::websocket::close_code code, const char* reason);
    void write_next();

    Reception& reception_;
    Stream stream_;
    std::optional<boost::beast::websocket::stream<Stream, false>> socket_;  // nothing is compressed
    boost::beast::flat_buffer buffer_;
    std::optional<boost::beast::http::request_parser<boost::beast::http::empty_body>> parser_;
    std::string reply_;
    std::optional<double> owes_since_;
    bool cut_ = false;
    bool keep_alive_ = false, head_only_ = false;
    bool joined_ = false, accepted_ = false;
    std::size_t under_way_ = 0, heard_ = 0;
    std::optional<Foxglove> foxglove_;  // none: a page of ours
    std::uint32_t advertised_run_ = 0;
    Outbox outbox_;
    Outbox::Message writing_;
    std::optional<double> writing_since_;
};

}  // namespace master::view
