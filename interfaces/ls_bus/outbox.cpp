#include "interfaces/ls_bus/outbox.hpp"

namespace interfaces::ls_bus {

void Outbox::put(const Operation& operation) {
    Bytes& to = waiting_.empty() ? data : waiting_;
    const std::size_t before = to.size();
    append(to, operation);
    if (&to == &data) {
        if (data.size() <= most_bytes || before == 0) return;
        waiting_.assign(data.begin() + static_cast<std::ptrdiff_t>(before), data.end());
        data.resize(before);
    } else if (waiting_.size() > most_waiting) {
        waiting_.resize(before);
        ++dropped_;
    }
}

void Outbox::handed_over() {
    data.clear();
    Reader reader(waiting_);
    std::size_t taken = 0;
    while (const auto operation = reader.next()) {
        if (taken > 0 && taken + operation->size() > most_bytes) break;
        taken += operation->size();
    }
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(taken);
    data.assign(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
}

}  // namespace interfaces::ls_bus
