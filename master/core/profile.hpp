#pragma once

#include "master/base/time.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace master::core {

/// Wall time spent in each unit's steps; a run has one only when statistics or a trace are asked for.
class Profile {
public:
    struct Entry {
        std::uint64_t steps = 0;
        std::chrono::nanoseconds spent{};
    };
    struct Slice {
        std::uint32_t node = 0;
        base::Time simulated;
        std::chrono::steady_clock::time_point begin, end;
    };

    explicit Profile(std::size_t nodes, std::size_t most_slices = 0) : entries_(nodes), slices_(most_slices) {}

    class Scope {
    public:
        Scope(Profile& profile, std::size_t node, base::Time simulated)
            : profile_(profile), node_(node), simulated_(simulated), begin_(std::chrono::steady_clock::now()) {}
        ~Scope() { profile_.add(node_, simulated_, begin_, std::chrono::steady_clock::now()); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        Profile& profile_;
        std::size_t node_;
        base::Time simulated_;
        std::chrono::steady_clock::time_point begin_;
    };

    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    [[nodiscard]] std::span<const Slice> slices() const {
        return {slices_.data(), std::min<std::size_t>(used_, slices_.size())};
    }

private:
    void add(std::size_t node, base::Time simulated, std::chrono::steady_clock::time_point begin,
             std::chrono::steady_clock::time_point end) {
        ++entries_[node].steps;
        entries_[node].spent += end - begin;
        if (slices_.empty()) return;
        const std::size_t slot = used_++;
        if (slot < slices_.size()) slices_[slot] = {static_cast<std::uint32_t>(node), simulated, begin, end};
    }

    std::vector<Entry> entries_;
    std::vector<Slice> slices_;
    std::atomic<std::size_t> used_{0};  // nodes may be stepped on several threads
};

}  // namespace master::core
