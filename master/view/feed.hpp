#pragma once

#include "master/view/client_message.hpp"
#include "master/view/frames.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace master::view {

/// One connected page, as those see it who have something to show. All on the server's thread.
class Client {
public:
    explicit Client(std::uint32_t id) : id_(id) {}
    virtual ~Client() = default;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    [[nodiscard]] std::uint32_t id() const { return id_; }
    /// What is not sent yet is replaced by what comes later into the same slot.
    virtual void show(std::uint32_t slot, Frame frame) = 0;
    /// In order, after each other, and before what is only shown.
    virtual void tell(Frame frame) = 0;

    std::size_t budget = 20'000;  // points of a cloud

private:
    std::uint32_t id_;
};

/// What a server serves beside the files of the page: a run, or a recording. All on the server's thread.
class Feed {
public:
    virtual ~Feed() = default;

    /// Nothing: not yet.
    [[nodiscard]] virtual std::optional<std::string> system_json() = 0;
    /// Null: there is none of that name.
    [[nodiscard]] virtual const std::string* file(std::string_view name) = 0;
    /// Nothing: bad question, or there is no history.
    [[nodiscard]] virtual std::optional<std::string> history(std::string_view /*query*/) { return std::nullopt; }

    virtual void join(Client& client) = 0;
    virtual void leave(Client& client) = 0;
    virtual void hear(Client& client, const ClientMessage& message) = 0;

    /// Something to wait for beside clients; -1: none.
    [[nodiscard]] virtual int descriptor() const { return -1; }
    virtual void awake() {}
    /// Thirty times a second.
    virtual void tick(double now) = 0;
};

}  // namespace master::view
