#include "fmus/can/can_bridge/outside.hpp"

#include "fmus/can/can_bridge/journal.hpp"

#include <fstream>
#include <stdexcept>
#include <vector>

namespace fmus::can {

namespace {

using interfaces::can::Endpoint;
using interfaces::can::Frame;

class RealBus final : public Outside {
public:
    RealBus(const std::string& transport, const interfaces::can::TransportOptions& options, const std::string& journal)
        : endpoint_(transport, options) {
        if (journal.empty()) return;
        file_.open(journal, std::ios::binary);
        if (!file_) throw std::runtime_error("cannot write the journal '" + journal + "' (parameter 'journal')");
        file_ << journal_head;
    }
    void send(const Frame& frame) override { given_.push_back(frame); }
    void begin_step() override {
        for (const Frame& frame : given_) endpoint_.send(frame);
        given_.clear();
    }
    std::optional<Arrival> next(Nanoseconds point) override {
        std::optional<Arrival> arrival;
        if (const auto report = endpoint_.report())
            arrival = *report;
        else if (const auto refused = endpoint_.refused())
            arrival = Refused{*refused};
        else if (const auto received = endpoint_.receive())
            arrival = *received;
        if (arrival && file_.is_open()) append_journal(point, *arrival, lines_);
        return arrival;
    }
    void finish_point() override {
        if (lines_.empty()) return;
        if (!file_.write(lines_.data(), static_cast<std::streamsize>(lines_.size())).flush())
            throw std::runtime_error("the journal cannot be written any more: what came from outside would be lost");
        lines_.clear();
    }

private:
    Endpoint endpoint_;
    std::vector<Frame> given_;
    std::ofstream file_;
    std::string lines_;
};

class Replay final : public Outside {
public:
    explicit Replay(const std::string& path) : path_(path), file_(path, std::ios::binary) {
        if (!file_) throw std::runtime_error("cannot read the journal '" + path + "' (parameter 'replay')");
        read();
    }
    void send(const Frame&) override {}
    void begin_step() override {}
    std::optional<Arrival> next(Nanoseconds point) override {
        if (!next_ || next_->point > point) return std::nullopt;
        std::optional<Arrival> arrival = next_->arrival;
        read();
        return arrival;
    }
    void finish_point() override {}

private:
    void read() {
        next_.reset();
        std::string line;
        while (!next_ && std::getline(file_, line)) {
            ++number_;
            if (line.empty() || line.starts_with('#')) continue;
            next_ = read_journal(line);
            if (!next_)
                throw std::runtime_error(path_ + ':' + std::to_string(number_) + ": '" + line.substr(0, 80) +
                                         "' is no line of a journal of can_bridge");
        }
    }

    std::string path_;
    std::ifstream file_;
    std::size_t number_ = 0;
    std::optional<JournalEntry> next_;
};

}  // namespace

std::unique_ptr<Outside> open_outside(const std::string& transport, const interfaces::can::TransportOptions& options,
                                      const std::string& journal) {
    return std::make_unique<RealBus>(transport, options, journal);
}

std::unique_ptr<Outside> replay_outside(const std::string& journal) { return std::make_unique<Replay>(journal); }

}  // namespace fmus::can
