#pragma once

#include "master/view/frames.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

namespace master::view {

/// What waits for a client: messages that are told in order, and before them nothing; frames that are shown, of which
/// the newest of a slot counts.
class Outbox {
public:
    struct Message {
        Frame bytes;
        bool text = false;
    };

    /// False: it takes too little.
    [[nodiscard]] bool tell(Message message) {
        if (told_.size() >= most_told) return false;
        told_.push_back(std::move(message));
        return true;
    }
    void show(std::uint32_t slot, Frame frame) { shown_[slot] = std::move(frame); }
    void forget_shown() { shown_.clear(); }

    /// False: nothing waits.
    [[nodiscard]] bool next(Message& message) {
        if (!told_.empty()) {
            message = std::move(told_.front());
            told_.pop_front();
            return true;
        }
        if (shown_.empty()) return false;
        // Slots in turn, so that a large one does not shut out the others.
        auto chosen = shown_.upper_bound(last_slot_);
        if (chosen == shown_.end()) chosen = shown_.begin();
        last_slot_ = chosen->first;
        message = {std::move(chosen->second), false};
        shown_.erase(chosen);
        return true;
    }

private:
    static constexpr std::size_t most_told = 4096;

    std::deque<Message> told_;
    std::map<std::uint32_t, Frame> shown_;
    std::uint32_t last_slot_ = 0;
};

}  // namespace master::view
