#include "interfaces/can/slcan_transport.hpp"

#include "interfaces/can/kernel_message.hpp"
#include "interfaces/can/slcan.hpp"

#include <array>
#include <deque>

namespace interfaces::can {

namespace {

/// What both ends of the line have in common: bytes one by one, and echoes of what was written.
class SlcanTransport : public Transport {
public:
    SlcanTransport(ByteLink link, TransportOptions options) : link_(std::move(link)), options_(std::move(options)) {}

    bool send(const Frame& frame) final {
        if (is_valid(frame) && write(frame)) {
            ++counters_.sent;
            if (options_.echo && passes(options_.filters, frame)) echo({frame, time_of_day(), true});
            return true;
        }
        ++counters_.refused;
        return false;
    }

    std::optional<Received> receive() final {
        if (!echoes_.empty()) {
            const Received first = echoes_.front();
            echoes_.pop_front();
            ++counters_.received;
            return first;
        }
        while (true) {
            while (at_ < end_) {
                const std::optional<Frame> frame = take(buffer_[at_++]);
                if (!frame || !passes(options_.filters, *frame)) continue;
                ++counters_.received;
                return Received{*frame, time_of_day(), false};
            }
            at_ = 0;
            end_ = link_.read(buffer_);
            if (peer_ != link_.peer()) {
                peer_ = link_.peer();
                greet();
            }
            if (end_ == 0) return std::nullopt;
        }
    }

    BusState state() const final { return link_.connected() ? BusState::error_active : BusState::down; }
    Counters counters() const final { return counters_; }
    int descriptor() const final { return link_.descriptor(); }
    const std::string& name() const final { return link_.name(); }
    const std::string& problem() const final { return link_.problem(); }

protected:
    /// The line took the frame.
    [[nodiscard]] virtual bool write(const Frame& frame) = 0;
    /// A frame from the other end, where this byte completes one.
    [[nodiscard]] virtual std::optional<Frame> take(char letter) = 0;
    /// Another peer is at the other end.
    virtual void greet() = 0;

    ByteLink link_;
    Counters counters_;

private:
    void echo(const Received& received) {
        if (echoes_.size() == most_echoes) {
            ++counters_.lost;
            return;
        }
        echoes_.push_back(received);
    }

    static constexpr std::size_t most_echoes = 1024;

    TransportOptions options_;
    std::array<char, 4096> buffer_{};
    std::size_t at_ = 0, end_ = 0;
    std::uint32_t peer_ = 0;
    std::deque<Received> echoes_;
};

class SlcanHost final : public SlcanTransport {
public:
    SlcanHost(ByteLink link, const TransportOptions& options) : SlcanTransport(std::move(link), options) {
        const std::optional<char> rate = slcan_rate(options.bit_rate);
        if (!rate)
            throw Error(name() + ": adapters have no bit rate of " + std::to_string(options.bit_rate) +
                        " bit/s, expected 10000, 20000, 50000, 100000, 125000, 250000, 500000, 800000 or 1000000");
        if (!link_.write(std::string("C\rS") + *rate + "\rO\r")) throw Error(name() + ": the line takes no bytes");
    }
    ~SlcanHost() override { static_cast<void>(link_.write("C\r")); }
    SlcanHost(const SlcanHost&) = delete;
    SlcanHost& operator=(const SlcanHost&) = delete;

private:
    bool write(const Frame& frame) override {
        line_ = slcan_line(frame);
        if (line_.empty()) return false;
        line_ += '\r';
        return link_.write(line_);
    }

    std::optional<Frame> take(char letter) override {
        const SlcanLines::Event event = lines_.take(letter);
        if (event == SlcanLines::Event::too_long) ++counters_.malformed;
        if (event == SlcanLines::Event::bell) ++counters_.refused;
        if (event != SlcanLines::Event::line) return std::nullopt;
        std::string_view line = lines_.line();
        if (line.starts_with('z') || line.starts_with('Z')) return std::nullopt;  // a frame was taken
        if (line.empty()) return std::nullopt;
        std::optional<Frame> frame = slcan_frame(line);
        if (!frame) ++counters_.malformed;
        return frame;
    }

    void greet() override {}

    SlcanLines lines_;
    std::string line_;
};

class SlcanServer final : public SlcanTransport {
public:
    using SlcanTransport::SlcanTransport;

private:
    bool write(const Frame& frame) override {
        if (!adapter_.is_open()) return false;
        out_.clear();
        adapter_.append(frame, time_of_day(), out_);
        return !out_.empty() && link_.write(out_);
    }

    std::optional<Frame> take(char letter) override {
        out_.clear();
        const std::uint64_t before = adapter_.malformed();
        std::optional<Frame> frame = adapter_.take(letter, out_);
        counters_.malformed += adapter_.malformed() - before;
        if (!out_.empty()) static_cast<void>(link_.write(out_));  // a host that does not read gets no answers
        return frame;
    }

    void greet() override { adapter_ = SlcanAdapter(); }

    SlcanAdapter adapter_;
    std::string out_;
};

}  // namespace

std::unique_ptr<Transport> open_slcan_host(ByteLink link, const TransportOptions& options) {
    return std::make_unique<SlcanHost>(std::move(link), options);
}

std::unique_ptr<Transport> open_slcan_adapter(ByteLink link, const TransportOptions& options) {
    return std::make_unique<SlcanServer>(std::move(link), options);
}

}  // namespace interfaces::can
