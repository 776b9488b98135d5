#include "interfaces/can/in_process_bus.hpp"

#include <algorithm>

namespace interfaces::can {

class InProcessBus::Place final : public Transport {
public:
    Place(InProcessBus& bus, std::string name, TransportOptions options, std::size_t capacity)
        : bus_(bus),
          name_(std::move(name)),
          options_(std::move(options)),
          waiting_(std::max<std::size_t>(capacity, 1)) {
        bus_.places_.push_back(this);
    }
    ~Place() override { std::erase(bus_.places_, this); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    bool send(const Frame& frame) override {
        if (!is_valid(frame)) {
            ++counters_.refused;
            return false;
        }
        ++counters_.sent;
        for (Place* place : bus_.places_)
            if (place != this || options_.echo) place->put({frame, bus_.nanoseconds_, place == this});
        return true;
    }
    std::optional<Received> receive() override {
        if (count_ == 0) return std::nullopt;
        const Received received = waiting_[first_];
        first_ = (first_ + 1) % waiting_.size();
        --count_;
        ++counters_.received;
        return received;
    }
    BusState state() const override { return BusState::error_active; }
    Counters counters() const override { return counters_; }
    int descriptor() const override { return -1; }
    const std::string& name() const override { return name_; }
    const std::string& problem() const override { return problem_; }

private:
    void put(const Received& received) {
        if (!passes(options_.filters, received.frame)) return;
        if (count_ == waiting_.size()) {
            ++counters_.lost;
            return;
        }
        waiting_[(first_ + count_++) % waiting_.size()] = received;
    }

    InProcessBus& bus_;
    std::string name_, problem_;
    TransportOptions options_;
    std::vector<Received> waiting_;
    std::size_t first_ = 0, count_ = 0;
    Counters counters_;
};

std::unique_ptr<Transport> InProcessBus::attach(std::string name, const TransportOptions& options,
                                                std::size_t capacity) {
    return std::make_unique<Place>(*this, std::move(name), options, capacity);
}

}  // namespace interfaces::can
