#pragma once

#include "master/time.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace master {

/// Wall time spent in each unit's steps; a run has one only when statistics or a trace are asked for.
class Profile {
public:
    struct Entry {
        std::uint64_t steps = 0;
        std::chrono::nanoseconds spent{};
    };
    struct Slice {
        std::uint32_t node = 0;
        Time simulated;
        std::chrono::steady_clock::time_point begin, end;
    };

    explicit Profile(std::size_t nodes, std::size_t most_slices = 0) : entries_(nodes), most_slices_(most_slices) {
        slices_.reserve(most_slices);
    }

    class Scope {
    public:
        Scope(Profile& profile, std::size_t node, Time simulated)
            : profile_(profile), node_(node), simulated_(simulated), begin_(std::chrono::steady_clock::now()) {}
        ~Scope() { profile_.add(node_, simulated_, begin_, std::chrono::steady_clock::now()); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        Profile& profile_;
        std::size_t node_;
        Time simulated_;
        std::chrono::steady_clock::time_point begin_;
    };

    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    [[nodiscard]] const std::vector<Slice>& slices() const { return slices_; }

private:
    void add(std::size_t node, Time simulated, std::chrono::steady_clock::time_point begin,
             std::chrono::steady_clock::time_point end) {
        ++entries_[node].steps;
        entries_[node].spent += end - begin;
        if (slices_.size() < most_slices_) {
            slices_.push_back({static_cast<std::uint32_t>(node), simulated, begin, end});
        }
    }

    std::vector<Entry> entries_;
    std::vector<Slice> slices_;
    std::size_t most_slices_;
};

}  // namespace master
