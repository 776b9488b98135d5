#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace master::base {

/// The call into foreign code that a thread is in. Written with plain stores before and after each call, so that a
/// process which shares the memory can tell what this one was doing when it died or does not come back.
struct alignas(64) CallSlot {
    struct Call {
        const void* object = nullptr;  // what is called: the instance
        std::uint32_t function = 0;    // a number that means something to whoever calls; 0: no call is under way
    };
    Call call;
    std::uint64_t calls = 0;   // begun so far, those of plain steps aside
    CallSlot* next = nullptr;  // for another thread; null: this one is the last
};

/// Where calls go that nobody watches.
inline CallSlot unwatched_calls;

/// Of this thread.
[[gnu::tls_model("initial-exec")]] inline thread_local constinit CallSlot* call_slot = &unwatched_calls;

/// The slot of the n-th thread that works for this one; the last slot serves all that are left over.
[[nodiscard]] inline CallSlot* call_slot_of_worker(std::size_t n) {
    CallSlot* slot = call_slot;
    while (n-- > 0 && slot->next != nullptr) slot = slot->next;
    return slot;
}

/// Calls `function(object, arguments...)` and says so meanwhile. Deliberately no scope object: a call that is left by
/// unwinding (an exception of the foreign code, pthread_exit) was never finished and stays the one under way.
template <class Function, class Object, class... Arguments>
auto call_watched(std::uint32_t number, Function* function, Object object, Arguments... arguments) {
    CallSlot& slot = *call_slot;
    const CallSlot::Call outer = slot.call;  // calls back into the master may call again
    slot.call = {object, number};
    ++slot.calls;
    if constexpr (std::is_void_v<decltype(function(object, arguments...))>) {
        function(object, arguments...);
        slot.call = outer;
    } else {
        const auto result = function(object, arguments...);
        slot.call = outer;
        return result;
    }
}

/// Addresses of machine code.
struct CodeRange {
    std::uintptr_t begin = 0, end = 0;
    [[nodiscard]] bool holds(std::uintptr_t address) const { return address >= begin && address < end; }
};

/// What a watching process can know of a unit: who is behind the object of a call, and what it said last.
struct WatchedUnit {
    std::array<char, 256> name{};
    std::array<char, 1024> last_message{};
    const void* instance = nullptr;  // the object of its calls
    const void* library = nullptr;   // the object of what concerns the code that it shares with others
    CodeRange code;                  // of that library

    void say(std::string_view text) { put(last_message, text); }

    template <std::size_t size>
    static void put(std::array<char, size>& to, std::string_view text) {
        const std::size_t length = text.size() < size ? text.size() : size - 1;
        text.copy(to.data(), length);
        to[length] = '\0';
    }
};

/// While it lives, what a call handed over by pointer is read: a crash there is the call's.
class ReadingAnswer {
public:
    ReadingAnswer(std::uint32_t number, void* object) : slot_(*call_slot), outer_(slot_.call) {
        slot_.call = {object, number};
    }
    ~ReadingAnswer() { slot_.call = outer_; }
    ReadingAnswer(const ReadingAnswer&) = delete;
    ReadingAnswer& operator=(const ReadingAnswer&) = delete;

private:
    CallSlot& slot_;
    const CallSlot::Call outer_;
};

}  // namespace master::base
