#pragma once

#include "interfaces/can/descriptor.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace interfaces::can {

/// A stream of bytes in both directions that never blocks: serial line, pseudo terminal, TCP. Opening throws `Error`.
class ByteLink {
public:
    /// A serial line, set to raw bytes; its speed is left as it is.
    [[nodiscard]] static ByteLink serial(const std::string& device);
    /// A new pseudo terminal, whose other end is `name()`. A link to it is made at `link`, unless empty.
    [[nodiscard]] static ByteLink pseudo_terminal(const std::string& link);
    [[nodiscard]] static ByteLink connect(const std::string& host, std::uint16_t port);
    /// Serves one peer at a time.
    [[nodiscard]] static ByteLink listen(const std::string& host, std::uint16_t port);

    /// Bytes that are there; 0 where none are.
    [[nodiscard]] std::size_t read(std::span<char> buffer);
    /// Queues the bytes and writes what can be written; false, and nothing queued, where too many wait already.
    [[nodiscard]] bool write(std::string_view bytes);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] int descriptor() const { return stream_ ? stream_.get() : listener_.get(); }
    /// Somebody may be at the other end.
    [[nodiscard]] bool connected() const { return stream_ && !deserted_; }
    /// Counts the peers; a change means that another one is there.
    [[nodiscard]] std::uint32_t peer() const { return peer_; }
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    /// A symbolic link that goes with its owner.
    struct Link {
        explicit Link(std::string at) : path(std::move(at)) {}
        Link(const Link&) = delete;
        Link& operator=(const Link&) = delete;
        ~Link() { ::unlink(path.c_str()); }
        std::string path;
    };

    ByteLink() = default;
    void flush();
    void accept();
    void end(const std::string& problem);
    void desert();

    std::string name_, problem_, waiting_;
    std::unique_ptr<Link> link_;
    Descriptor stream_, listener_;
    bool socket_ = false;    // closed by the peer where it ends; a terminal is not
    bool pseudo_ = false;    // a terminal whose other end programs open and close
    bool deserted_ = false;  // nobody has it open
    std::uint32_t peer_ = 0;
};

}  // namespace interfaces::can
