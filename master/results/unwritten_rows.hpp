#pragma once

#include "master/base/block_file.hpp"
#include "master/base/shared_block.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace master::results {

/// The rows of a recorder that are not in its file yet. They lie in memory that this process shares with the one that
/// forked it, so that they outlive whatever happens to the recorder's process; see `complete_result`.
class UnwrittenRows {
public:
    /// Rows of one kind, of which the buffers of one or several blocks hold those from `written` to `total`. One store
    /// makes a row count, and one store makes it safe: a process may be killed between any two instructions.
    struct Count {
        std::uint64_t written = 0;  // are in the file, also when this process dies
        std::uint64_t total = 0;
        [[nodiscard]] std::size_t waiting() const { return static_cast<std::size_t>(total - written); }
    };
    enum class Element : std::uint8_t { byte, real, integer, natural };
    struct Block {
        std::array<char, 1024> name{};  // of the dataset, where the file has several
        Count* count = nullptr;
        std::byte* rows = nullptr;
        std::size_t capacity = 0;  // rows
        std::size_t width = 1;     // elements per row
        Element element = Element::byte;

        [[nodiscard]] std::size_t row_bytes() const { return width * (element == Element::byte ? 1 : 8); }
        [[nodiscard]] std::span<const std::byte> waiting() const { return {rows, count->waiting() * row_bytes()}; }
    };

    UnwrittenRows();

    /// A recorder begins a file of that name.
    void begin(const std::filesystem::path& file);
    /// It has made the file; another one that gets the name is none of its own.
    void created(const base::FileIdentity& identity) { header_->identity = identity; }
    [[nodiscard]] Count& add_count();
    /// Throws `Error` where the memory does not hold that many rows. No capacity: all that is left.
    Block& add_block(Count& count, const std::string& name, Element element, std::size_t width, std::size_t capacity);
    /// Everything from `begin` on is in place: from now on the blocks count.
    void ready() { header_->state.store(State::ready, std::memory_order_release); }
    /// The recorder has finished its file, or has none.
    void end() { header_->state.store(State::none, std::memory_order_release); }

    /// The file, empty without one.
    [[nodiscard]] std::filesystem::path file() const;
    [[nodiscard]] bool is_ready() const { return header_->state.load(std::memory_order_acquire) == State::ready; }
    /// The name stands for the file that the recorder made.
    [[nodiscard]] bool is_made(const std::filesystem::path& file) const;
    [[nodiscard]] std::span<const Block> blocks() const;

private:
    static constexpr std::size_t most_blocks = 4096;
    enum class State : std::uint8_t { none, begun, ready };
    struct Header {
        std::atomic<State> state;
        std::array<char, 4096> file;
        base::FileIdentity identity;
        std::uint32_t blocks;
    };

    [[nodiscard]] std::byte* take(std::size_t bytes);

    base::SharedBlock memory_;
    Header* header_ = nullptr;
    Block* blocks_ = nullptr;
    std::size_t begin_ = 0, used_ = 0;  // of what is handed out
};

}  // namespace master::results
