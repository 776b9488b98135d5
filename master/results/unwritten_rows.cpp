#include "master/results/unwritten_rows.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace master::results {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30U, least_bytes = std::size_t{1} << 24U;
constexpr std::size_t alignment = 64;

/// Address space only: what is not used costs nothing. Where even that is limited, less of it.
base::SharedBlock reserve() {
    for (std::size_t bytes = most_bytes; bytes > least_bytes; bytes /= 2) {
        try {
            return base::SharedBlock(bytes);
        } catch (const std::bad_alloc&) {
            continue;
        }
    }
    return base::SharedBlock(least_bytes);
}

}  // namespace

UnwrittenRows::UnwrittenRows() : memory_(reserve()) {
    header_ = new (take(sizeof(Header))) Header;
    blocks_ = reinterpret_cast<Block*>(take(most_blocks * sizeof(Block)));
    begin_ = used_;
}

std::byte* UnwrittenRows::take(std::size_t bytes) {
    if (bytes > memory_.size() - used_)
        throw base::Error(
            "memory", "",
            fmt::format("rows of {:.3g} GB are too large to be recorded", static_cast<double>(bytes) / 1e9),
            base::Exit::failed);
    std::byte* const found = memory_.data() + used_;
    used_ = std::min(memory_.size(), (used_ + bytes + alignment - 1) / alignment * alignment);
    return found;
}

void UnwrittenRows::begin(const std::filesystem::path& file) {
    end();
    used_ = begin_;
    header_->blocks = 0;
    const std::string name = std::filesystem::absolute(file).string();
    const std::size_t length = std::min(name.size(), header_->file.size() - 1);
    name.copy(header_->file.data(), length);
    header_->file[length] = '\0';
    header_->identity = {};
    header_->state.store(State::begun, std::memory_order_release);
}

UnwrittenRows::Count& UnwrittenRows::add_count() { return *new (take(sizeof(Count))) Count; }

UnwrittenRows::Block& UnwrittenRows::add_block(Count& count, const std::string& name, Element element,
                                               std::size_t width, std::size_t capacity) {
    if (header_->blocks == most_blocks)
        throw base::Error("memory", name, fmt::format("more than {} datasets cannot be recorded", most_blocks),
                          base::Exit::failed);
    Block& block = *new (blocks_ + header_->blocks) Block;
    name.copy(block.name.data(), block.name.size() - 1);
    block.count = &count;
    block.element = element;
    block.width = width;
    block.capacity = capacity != 0 ? capacity : (memory_.size() - used_) / block.row_bytes();
    block.rows = take(block.capacity * block.row_bytes());
    ++header_->blocks;
    return block;
}

std::filesystem::path UnwrittenRows::file() const {
    if (header_->state.load(std::memory_order_acquire) == State::none) return {};
    return std::string(header_->file.data(), ::strnlen(header_->file.data(), header_->file.size()));
}

bool UnwrittenRows::is_made(const std::filesystem::path& file) const {
    return base::FileIdentity::of(file) == header_->identity;
}

std::span<const UnwrittenRows::Block> UnwrittenRows::blocks() const {
    return {blocks_, std::min<std::size_t>(header_->blocks, most_blocks)};
}

}  // namespace master::results
