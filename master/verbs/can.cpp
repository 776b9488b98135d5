#include "interfaces/can/socketcan.hpp"
#include "interfaces/can/transport.hpp"
#include "interfaces/can_log/log_file.hpp"
#include "interfaces/can_traffic/traffic.hpp"
#include "interfaces/dbc/read.hpp"
#include "master/base/atomic_file.hpp"
#include "master/base/block_file.hpp"
#include "master/base/diagnostics.hpp"
#include "master/base/error.hpp"
#include "master/runs/interrupt.hpp"
#include "master/verbs/verb.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <poll.h>
#include <set>
#include <unistd.h>

namespace master::verbs {
namespace {

namespace can = interfaces::can;
namespace dbc = interfaces::dbc;
using interfaces::can_log::Entry;
using interfaces::can_traffic::MessageTraffic;
using interfaces::can_traffic::SignalTraffic;
using interfaces::can_traffic::Traffic;

struct CanOptions {
    std::string source, out, interface;
    std::vector<std::string> databases;
    bool overwrite = false;
    double time = 0, bit_rate = 250e3, data_rate = 2e6;
};

/// All files as one: the first one that describes an identifier counts.
dbc::Database read_databases(const CanOptions& options) {
    dbc::Database all;
    for (const std::string& path : options.databases) {
        try {
            dbc::Database one = dbc::read_file(path);
            for (const dbc::Remark& remark : one.remarks)
                fmt::print(stderr, "warning: {}:{}: {}\n", path, remark.line, remark.text);
            std::move(one.messages.begin(), one.messages.end(), std::back_inserter(all.messages));
        } catch (const dbc::Error& error) {
            throw base::Error("bad-dbc", "", error.what());
        }
    }
    return all;
}

/// Writes what comes along as a log, ASC or candump by the file's ending. The log has another name until it is whole,
/// so that what was there stays if anything goes wrong.
class Recording {
public:
    explicit Recording(const CanOptions& options) {
        if (options.out.empty()) return;
        std::vector<std::filesystem::path> inputs(options.databases.begin(), options.databases.end());
        inputs.emplace_back(options.source);
        base::refuse_to_replace_input(options.out, inputs);
        std::error_code unknown;
        const std::filesystem::file_status status = std::filesystem::status(options.out, unknown);
        if (std::filesystem::is_regular_file(status) && !options.overwrite)
            throw base::Error("overwrite", options.out, "is there already; -o names another file, or --overwrite");
        target_ = options.out;
        if (std::filesystem::is_regular_file(status)) target_ = std::filesystem::canonical(target_);
        asc_ = target_.extension() == ".asc";
        // A pipe or a device has no name to be given.
        const bool is_new = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
        if (is_new) draft_ = base::draft_name(target_);
        file_ = is_new ? base::BlockFile::create_new(draft_) : base::BlockFile::create(target_);
    }
    ~Recording() {
        std::error_code ignored;
        if (!draft_.empty()) std::filesystem::remove(draft_, ignored);
    }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    void take(const Entry& entry) {
        if (!file_.is_open()) return;
        if (asc_ && !begun_) {
            start_ = entry.nanoseconds / 1'000'000'000 * 1'000'000'000;
            interfaces::can_log::write_asc_head(start_ / 1'000'000'000, text_);
        }
        begun_ = true;
        if (asc_) {
            Entry shifted = entry;
            shifted.nanoseconds -= start_;
            interfaces::can_log::write_asc(shifted, text_);
        } else {
            interfaces::can_log::write_candump(entry, text_);
        }
        if (text_.size() >= block) write();
    }

    void end() {
        if (!file_.is_open()) return;
        if (asc_ && begun_) interfaces::can_log::write_asc_end(text_);
        write();
        file_.close();
        if (draft_.empty()) return;
        std::error_code problem;
        std::filesystem::rename(draft_, target_, problem);
        if (problem) throw base::Error("write-failed", target_.string(), problem.message(), base::Exit::failed);
        draft_.clear();
    }

private:
    static constexpr std::size_t block = 65536;

    void write() {
        file_.write(text_);
        text_.clear();
    }

    bool asc_ = false, begun_ = false;
    std::int64_t start_ = 0;
    std::filesystem::path target_, draft_;
    base::BlockFile file_;
    std::string text_;
};

std::string identifier_of(const Traffic::Key& key) {
    return key.second ? fmt::format("{:08X}", key.first) : fmt::format("{:03X}", key.first);
}

std::string data_of(const can::Frame& frame) {
    if (frame.remote) return "remote";
    std::string text;
    constexpr std::size_t shown = 16;
    for (const std::uint8_t byte : frame.bytes().first(std::min(shown, frame.bytes().size())))
        text += fmt::format("{:02X} ", byte);
    return frame.size > shown ? text + "..." : text;
}

std::string name_of_value(const dbc::Signal& signal, double value) {
    for (const dbc::ValueName& name : signal.values)
        if (static_cast<double>(name.value) * signal.factor + signal.offset == value) return " " + name.name;
    return "";
}

void print_signals(const dbc::Message& message, const MessageTraffic& row) {
    for (std::size_t i = 0; i < row.signals.size(); ++i) {
        const SignalTraffic& signal = row.signals[i];
        const dbc::Signal& about = message.signals[i];
        if (!signal.seen) continue;
        fmt::print("{:10}{:32} {:>14.6g} {}{}  [{:.6g} .. {:.6g}]\n", "", about.name, signal.last, about.unit,
                   name_of_value(about, signal.last), signal.least, signal.most);
    }
}

void print_rows(const Traffic& traffic, const dbc::Database& database) {
    fmt::print("{:<9} {:<32} {:<14} {:>8} {:>9} {:>9} {:>9}  {}\n", "id", "message", "sender", "frames", "rate Hz",
               "least ms", "most ms", "last data");
    for (const auto& [key, row] : traffic.messages()) {
        const dbc::Message* message = row.message == dbc::Plans::none ? nullptr : &database.messages[row.message];
        fmt::print("{:<9} {:<32} {:<14} {:>8} {:>9.2f} {:>9.3f} {:>9.3f}  {}\n", identifier_of(key),
                   message ? message->name : "-", message && !message->sender.empty() ? message->sender : "-",
                   row.count, row.rate(), static_cast<double>(row.least_gap) * 1e-6,
                   static_cast<double>(row.most_gap) * 1e-6, data_of(row.frame));
        if (row.too_short > 0)
            fmt::print("{:10}{} frames have fewer than the {} bytes of the message\n", "", row.too_short,
                       message->size);
        if (message) print_signals(*message, row);
    }
}

std::string load_of(const Traffic& traffic, const CanOptions& options) {
    if (!(traffic.duration() > 0)) return "bus load unknown, there is no time between them";
    return fmt::format("bus load {:.1f} % at {:.0f} bit/s from the end of the first to that of the last",
                       100 * traffic.load(options.bit_rate, options.data_rate), options.bit_rate);
}

void print_table(const std::string& interface, const Traffic& traffic, const dbc::Database& database,
                 const CanOptions& options) {
    print_rows(traffic, database);
    fmt::print("{}: {} messages, {} frames in {:.3f} s, {}, {} error frames\n", interface, traffic.messages().size(),
               traffic.frames(), traffic.duration(), load_of(traffic, options), traffic.error_frames());
    if (traffic.beyond() > 0) fmt::print("{} frames with further identifiers are not listed\n", traffic.beyond());
}

/// The traffic of a log, each interface by itself: equal identifiers on two buses are two messages.
class LogTraffic {
public:
    explicit LogTraffic(const dbc::Database& database) : database_(database) {}

    void take(const Entry& entry) {
        auto found = interfaces_.find(entry.channel);
        if (found == interfaces_.end()) {
            if (interfaces_.size() == most_interfaces) {
                ++beyond_;
                return;
            }
            found = interfaces_.try_emplace(entry.channel, &database_).first;
        }
        found->second.take(entry.nanoseconds, entry.frame);
    }

    void print(const CanOptions& options) const {
        for (const auto& [interface, traffic] : interfaces_) {
            if (interface != interfaces_.begin()->first) fmt::print("\n");
            print_table(interface, traffic, database_, options);
            if (traffic.out_of_order() > 0)
                fmt::print(stderr,
                           "warning: {}: {} frames of '{}' are older than one before them; gaps to them count as 0\n",
                           options.source, traffic.out_of_order(), interface);
        }
        if (interfaces_.empty()) fmt::print("no frames\n");
        if (beyond_ > 0)
            fmt::print(stderr, "warning: {}: {} frames of more than {} interfaces are not listed\n", options.source,
                       beyond_, most_interfaces);
    }

private:
    static constexpr std::size_t most_interfaces = 64;

    const dbc::Database& database_;
    std::map<std::string, Traffic> interfaces_;
    std::uint64_t beyond_ = 0;
};

/// The interfaces of a log without a frame of the one that was asked for.
[[noreturn]] void refuse_interface(const CanOptions& options, const std::set<std::string>& others) {
    const std::vector<std::string> names(others.begin(), others.end());
    throw base::Error("bad-log", options.source,
                      fmt::format("has no frame of the interface '{}', expected one of: {}{}", options.interface,
                                  fmt::join(names, ", "), base::did_you_mean(options.interface, names)));
}

int show_log(const CanOptions& options, const dbc::Database& database) {
    LogTraffic traffic(database);
    try {
        interfaces::can_log::LogFile log(options.source);
        Recording recording(options);
        constexpr std::size_t most_named = 16;
        std::set<std::string> others;
        bool found = options.interface.empty();
        while (const std::optional<Entry> entry = log.next()) {
            if (!options.interface.empty() && entry->channel != options.interface) {
                if (others.size() < most_named) others.insert(entry->channel);
                continue;
            }
            found = true;
            traffic.take(*entry);
            recording.take(*entry);
        }
        if (!found) refuse_interface(options, others);
        if (log.malformed() > 0)
            fmt::print(stderr, "warning: {}:{}: {} lines are no frames, this is the first\n", options.source,
                       log.first_malformed_line(), log.malformed());
        recording.end();
    } catch (const can::Error& error) {
        throw base::Error("bad-log", "", error.what());
    }
    traffic.print(options);
    return static_cast<int>(base::Exit::ok);
}

std::unique_ptr<can::Transport> open_bus(const CanOptions& options) {
    try {
        return can::open_transport(options.source, {.bit_rate = static_cast<std::uint32_t>(options.bit_rate)});
    } catch (const can::Error& error) {
        throw base::Error("bus", "", error.what());
    }
}

/// Until the time is over, the bus has gone, or Ctrl-C; on a terminal the table is drawn anew every second.
int show_bus(const CanOptions& options, const dbc::Database& database) {
    using Clock = std::chrono::steady_clock;
    const runs::InterruptGuard guard;
    const auto bus = open_bus(options);
    fmt::print("{}\n", bus->name());
    std::fflush(stdout);
    Recording recording(options);
    Traffic traffic(&database);
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    const auto start = Clock::now();
    auto drawn = start;
    const auto over = [&] {
        return options.time > 0 && std::chrono::duration<double>(Clock::now() - start).count() >= options.time;
    };
    while (!over() && !runs::InterruptGuard::interrupted() && bus->problem().empty()) {
        ::pollfd wait{.fd = bus->descriptor(), .events = POLLIN, .revents = 0};
        constexpr int period_ms = 20;
        ::poll(&wait, 1, period_ms);
        if (wait.revents != 0 && (wait.revents & POLLIN) == 0) ::poll(nullptr, 0, period_ms);  // a line without a peer
        while (const auto received = bus->receive()) {
            traffic.take(received->nanoseconds, received->frame);
            recording.take({received->nanoseconds, "can0", received->frame, received->own});
            if (received->frame.error)
                fmt::print(stderr, "warning: {}: {}\n", bus->name(), can::description_of_error(received->frame));
        }
        if (!terminal || Clock::now() - drawn < std::chrono::seconds(1)) continue;
        drawn = Clock::now();
        fmt::print("\033[H\033[2J");
        print_table(bus->name(), traffic, database, options);
        std::fflush(stdout);
    }
    recording.end();
    print_table(bus->name(), traffic, database, options);
    const can::Counters counters = bus->counters();
    if (counters.lost + counters.malformed > 0)
        fmt::print(stderr, "warning: {}: {} frames were lost for want of room, {} were no frames\n", bus->name(),
                   counters.lost, counters.malformed);
    if (!bus->problem().empty()) throw base::Error("bus", "", bus->problem(), base::Exit::failed);
    return static_cast<int>(runs::InterruptGuard::interrupted() ? base::Exit::interrupted : base::Exit::ok);
}

int show(const CanOptions& options) {
    if (!options.interface.empty() && can::is_transport_address(options.source))
        throw base::Error("usage", "--interface", "selects frames of a log; a bus is one interface");
    const dbc::Database database = read_databases(options);
    return can::is_transport_address(options.source) ? show_bus(options, database) : show_log(options, database);
}

}  // namespace

void add_can(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<CanOptions>();
    CLI::App* verb = app.add_subcommand("can", "Bus traffic, from a log or live, as a table with rates and values");
    verb->add_option("source", options->source,
                     "A log of candump -L or ASC, or a bus: socketcan:INTERFACE, udp:[GROUP][:PORT][@INTERFACE], "
                     "slcan:DEVICE, slcan-tcp:HOST:PORT, slcan-pty:[LINK], slcan-server:[HOST:]PORT")
        ->required()
        ->type_name("FILE|BUS");
    verb->add_option("--dbc", options->databases, "Names and signals of the messages; may be given more than once")
        ->type_name("FILE.dbc");
    verb->add_option("--interface", options->interface, "Only the frames of this interface or channel of a log")
        ->type_name("NAME");
    verb->add_option("--time", options->time, "Seconds to listen to a bus (until Ctrl-C without it)")
        ->check(CLI::PositiveNumber);
    verb->add_option("--bit-rate", options->bit_rate, "bit/s, for the load and for adapters (default 250000)")
        ->check(CLI::PositiveNumber);
    verb->add_option("--data-rate", options->data_rate, "bit/s of FD frames that switch (default 2000000)")
        ->check(CLI::PositiveNumber);
    verb->add_option("-o,--out", options->out, "Also write the frames: FILE.asc, or as candump does")
        ->type_name("FILE");
    verb->add_flag("--overwrite", options->overwrite, "Replace a file that is there already");
    verb->footer(
        "Example: tandem can traffic.log --dbc config/can/control.dbc\n"
        "         tandem can udp: --dbc config/can/control.dbc --time 10 -o traffic.asc");
    verb->callback([options, &chosen] { chosen = [options](const auto&) { return show(*options); }; });
}

}  // namespace master::verbs
