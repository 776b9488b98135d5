#include "interfaces/can_traffic/traffic.hpp"

#include "interfaces/can/timing.hpp"

#include <algorithm>
#include <cmath>

namespace interfaces::can_traffic {

double MessageTraffic::rate() const {
    return last > first ? static_cast<double>(count - 1) / (static_cast<double>(last - first) * 1e-9) : 0;
}

Traffic::Traffic(const dbc::Database* database) : database_(database) {
    if (!database) return;
    plans_.emplace(*database);
    std::size_t most = 0;
    for (const dbc::Message& message : database->messages) most = std::max(most, message.signals.size());
    raws_.resize(most);
}

void Traffic::take(std::int64_t nanoseconds, const can::Frame& frame) {
    const bool is_first = frames_ + error_frames_ == 0;
    if (is_first) first_ = last_ = nanoseconds;
    if (nanoseconds < last_) ++out_of_order_;
    first_ = std::min(first_, nanoseconds);
    last_ = std::max(last_, nanoseconds);
    if (frame.error) {
        ++error_frames_;
        return;
    }
    ++frames_;
    if (!is_first) {
        const can::BitCount bits = can::bit_counts(frame);
        nominal_bits_ += bits.nominal + can::interframe_bits;
        data_bits_ += bits.data;
    }
    const Key key{frame.id, frame.extended};
    auto found = messages_.find(key);
    if (found == messages_.end()) {
        if (messages_.size() == most_messages) {
            ++beyond_;
            return;
        }
        found = messages_.emplace(key, MessageTraffic{.first = nanoseconds, .last = nanoseconds}).first;
        if (plans_) found->second.message = plans_->find(frame);
        if (found->second.message != dbc::Plans::none)
            found->second.signals.resize((*plans_)[found->second.message].signal_count());
    }
    MessageTraffic& row = found->second;
    if (row.count > 0) {
        const std::int64_t gap = std::max<std::int64_t>(nanoseconds - row.last, 0);
        row.least_gap = row.count == 1 ? gap : std::min(row.least_gap, gap);
        row.most_gap = std::max(row.most_gap, gap);
    }
    ++row.count;
    row.first = std::min(row.first, nanoseconds);
    row.last = std::max(row.last, nanoseconds);
    row.frame = frame;
    if (row.message != dbc::Plans::none && !frame.remote) decode(row, frame);
}

void Traffic::decode(MessageTraffic& row, const can::Frame& frame) {
    const dbc::MessagePlan& plan = (*plans_)[row.message];
    if (!plan.decode_raw(frame.bytes(), raws_)) {
        ++row.too_short;
        return;
    }
    for (std::size_t i = 0; i < row.signals.size(); ++i) {
        if (!raws_[i].present) continue;
        SignalTraffic& signal = row.signals[i];
        const double value = plan.physical(i, raws_[i].bits);
        // A first number replaces what was none.
        const bool fresh = !signal.seen || std::isnan(signal.least);
        signal.least = fresh ? value : std::fmin(signal.least, value);
        signal.most = fresh ? value : std::fmax(signal.most, value);
        signal.last = value;
        signal.seen = true;
    }
}

double Traffic::load(double nominal_rate, double data_rate) const {
    const double time = duration();
    if (!(time > 0)) return 0;
    return (static_cast<double>(nominal_bits_) / nominal_rate + static_cast<double>(data_bits_) / data_rate) / time;
}

}  // namespace interfaces::can_traffic
