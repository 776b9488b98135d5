#include "master/results/mcap/mcap_recorder.hpp"

#include "interfaces/foxglove/rows.hpp"
#include "interfaces/mcap/mcap.hpp"
#include "interfaces/point_cloud/point_cloud.hpp"
#include "master/base/block_file.hpp"
#include "master/base/error.hpp"
#include "master/base/printable.hpp"
#include "master/base/pulse.hpp"
#include "master/results/mcap/mcap_result.hpp"
#include "master/results/stream/mapped_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace master::results {
namespace {

namespace foxglove = interfaces::foxglove;
namespace mcap = interfaces::mcap;
using interfaces::protobuf::Bytes;

constexpr std::size_t usual_row_bytes = 1 << 16;
constexpr const char* encoding = "protobuf";

std::span<const char> as_text(std::span<const std::uint8_t> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The values of a row, as `foxglove::put_row` asks for them.
struct RowSource {
    const std::vector<core::SignalRef>& refs;
    const core::Signals& signals;
    std::string& replaced;  // of a text that is no UTF-8
    AlteredValues& altered;

    [[nodiscard]] double real(std::size_t i) const { return refs[i].lanes(signals).reals[refs[i].index]; }
    [[nodiscard]] std::int64_t integer(std::size_t i) const { return refs[i].lanes(signals).integers[refs[i].index]; }
    [[nodiscard]] std::uint64_t natural(std::size_t i) const { return refs[i].lanes(signals).naturals[refs[i].index]; }
    [[nodiscard]] bool boolean(std::size_t i) const { return core::number(refs[i], signals) != 0; }
    [[nodiscard]] std::string_view text(std::size_t i) const {
        const std::string& text = refs[i].lanes(signals).strings[refs[i].index];
        if (base::is_utf8(text)) return text;
        altered.add(i);
        return replaced = base::valid_utf8(text);
    }
};

class Mcap final : public core::Tap {
public:
    explicit Mcap(const Recording& recording)
        : signals_(signals_of(recording.columns)),
          scene_(recording.scene),
          timebase_(recording.timebase),
          schedule_(recording.timebase, recording.interval),
          growing_(recording, "results.mcap"),
          file_(base::BlockFile::create(growing_.path())),
          last_clouds_(recording.scene.clouds.size()),
          altered_(recording),
          bytes_(growing_.rows().add_count()),
          block_(growing_.rows().add_block(bytes_, "", UnwrittenRows::Element::byte, 1, 0)) {
        row_.reserve(usual_row_bytes);
        message_.reserve(usual_row_bytes);
        growing_.created();
        write_beginning(recording.columns);
        growing_.rows().ready();
    }

    ~Mcap() override {
        try {
            finish();
        } catch (...) {
            // A run that is being unwound already reports its own error.
        }
    }

    void after_step(base::Time t, const core::Signals& signals) override {
        if (schedule_.due(t)) record(t, signals);
    }

    void after_last_step(base::Time t, const core::Signals& signals) override {
        if (schedule_.lacks(t)) record(t, signals);
    }

    void finish() override {
        if (!file_.is_open()) return;
        if (!failed_) {
            write_chunk();
            Bytes end;
            writer_.end(end);
            failed_ = true;  // until all of it is there
            file_.write(as_text(end));
            failed_ = false;
        }
        file_.close();
        if (failed_) complete_mcap(growing_.path(), nullptr);
        growing_.complete();
        altered_.tell(growing_.name(), no_utf8);
    }

private:
    void record(base::Time t, const core::Signals& signals) {
        make_row(timebase_.seconds(t), signals);
        if (row_.size() > block_.capacity - bytes_.waiting()) write_chunk();
        if (row_.size() > block_.capacity)
            throw base::Error("memory", growing_.path().string(),
                              "a row of this length cannot be recorded; --record selects others", base::Exit::failed);
        std::memcpy(block_.rows + bytes_.waiting(), row_.data(), row_.size());
        bytes_.total += row_.size();
        if (bytes_.waiting() >= block_bytes || flush_.due()) write_chunk();
    }

    void write_beginning(const std::vector<Column>& columns) {
        Bytes out;
        writer_.begin(out, fmt::format("tandem {}", TANDEM_VERSION));
        std::uint16_t id = 0;
        const auto add = [&](const foxglove::Schema& schema, const std::string& topic, std::string described) {
            ++id;
            writer_.add(out, mcap::Schema{id, schema.name, encoding, schema.data});
            mcap::Channel channel{.id = id, .schema = id, .topic = topic, .encoding = encoding};
            if (!described.empty()) channel.metadata.emplace_back(columns_key, std::move(described));
            writer_.add(out, channel);
        };
        rows_ = foxglove::rows_of(described_signals(columns));
        // Ids have 16 bits.
        constexpr std::size_t most = 60'000;
        if (rows_.size() > most)
            throw base::Error(
                "usage", "--format",
                fmt::format("mcap holds at most {} components, found {}; --record selects fewer", most, rows_.size()));
        for (const foxglove::Row& row : rows_) add(foxglove::schema_of(row), row.topic, described(row, columns));
        for (const RecordedScene::Frames& frames : scene_.frames) add(foxglove::transforms_schema(), frames.topic, {});
        for (const RecordedScene::Cloud& cloud : scene_.clouds) add(foxglove::cloud_schema(), cloud.topic, {});
        file_.write(as_text(out));
    }

    void make_row(double t, const core::Signals& signals) {
        row_.clear();
        if (sequence_ == 0) origin_ = std::min(0.0, t);
        const auto time = std::llround((t - origin_) * 1e9);
        mcap::MessageHead head{.channel = 0, .sequence = sequence_++, .time = static_cast<std::uint64_t>(time)};
        const auto put = [&] {
            mcap::put_message(row_, head, message_);
            message_.clear();
        };
        for (const foxglove::Row& row : rows_) {
            ++head.channel;
            foxglove::put_row(message_, row, t, RowSource{signals_, signals, replaced_, altered_});
            put();
        }
        for (const RecordedScene::Frames& frames : scene_.frames) {
            ++head.channel;
            const std::span<const double> reals(frames.poses.lanes(signals).reals);
            foxglove::put_transforms(message_, time, "world", frames.names,
                                     reals.subspan(frames.poses.index, 7 * frames.names.size()));
            put();
        }
        for (std::size_t i = 0; i < scene_.clouds.size(); ++i) {
            ++head.channel;
            const core::SignalRef& points = scene_.clouds[i].points;
            const core::Bytes bytes = points.lanes(signals).bytes[points.index];
            if (is_new(last_clouds_[i], {bytes.data, bytes.size}) &&
                foxglove::put_cloud(message_, time, scene_.clouds[i].frame, {bytes.data, bytes.size}))
                put();
        }
    }

    /// A cloud stays for many rows.
    struct LastCloud {
        bool any = false;
        interfaces::point_cloud::Header header;
    };
    static bool is_new(LastCloud& last, std::span<const std::uint8_t> bytes) {
        const auto cloud = interfaces::point_cloud::View::parse(bytes);
        if (!cloud) return false;
        const interfaces::point_cloud::Header& now = cloud->header();
        if (last.any && now.sequence == last.header.sequence && now.time == last.header.time) return false;
        last = {true, now};
        return true;
    }

    void write_chunk() {
        if (bytes_.waiting() == 0) return;
        const std::span<const std::uint8_t> messages{reinterpret_cast<const std::uint8_t*>(block_.rows),
                                                     bytes_.waiting()};
        const mcap::Writer::Chunk& chunk = writer_.chunk(messages);
        try {
            file_.write(as_text(chunk.before));
            file_.write(as_text(messages));
            file_.write(as_text(chunk.behind));
        } catch (const base::Error&) {
            failed_ = true;
            bytes_.total = bytes_.written;
            throw;
        }
        bytes_.written = bytes_.total;
    }

    std::vector<core::SignalRef> signals_;
    RecordedScene scene_;
    base::Timebase timebase_;
    RowSchedule schedule_;
    GrowingFile growing_;
    base::BlockFile file_;
    mcap::Writer writer_;
    std::vector<foxglove::Row> rows_;
    std::vector<LastCloud> last_clouds_;
    Bytes row_, message_;
    std::string replaced_;
    AlteredValues altered_;
    double origin_ = 0;  // s
    std::uint32_t sequence_ = 0;
    UnwrittenRows::Count& bytes_;  // of messages
    UnwrittenRows::Block& block_;
    bool failed_ = false;
    base::Pulse flush_{flush_period};
};

/// The messages that waited and are in no chunk: the recorder may have died after it wrote them and before it said so.
std::span<const std::uint8_t> unwritten(const UnwrittenRows& rows, std::uint64_t message_bytes) {
    const UnwrittenRows::Block& block = rows.blocks().front();
    const auto waiting = block.waiting();
    const std::uint64_t there = message_bytes - std::min(message_bytes, block.count->written);
    const auto left = waiting.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(there, waiting.size())));
    return {reinterpret_cast<const std::uint8_t*>(left.data()), left.size()};
}

}  // namespace

void complete_mcap(const std::filesystem::path& file, const UnwrittenRows* rows) {
    mcap::Writer writer;
    std::optional<mcap::Writer::Held> held;
    {
        const MappedFile mapped(file);
        held = writer.resume(mapped.bytes());
    }
    if (!held) throw base::Error("bad-result", file.string(), "there is nothing in it yet", base::Exit::failed);
    base::BlockFile out = base::BlockFile::append_to(file);
    out.truncate(held->bytes);
    out.write(as_text(held->missing));
    if (rows != nullptr) {
        const std::uint64_t whole = out.size();
        const auto messages = unwritten(*rows, held->message_bytes);
        mcap::Writer longer = writer;
        const mcap::Writer::Chunk& chunk = longer.chunk(messages);
        try {
            if (!messages.empty())
                for (const std::span<const std::uint8_t> piece : {std::span<const std::uint8_t>(chunk.before), messages,
                                                                  std::span<const std::uint8_t>(chunk.behind)})
                    out.write(as_text(piece));
            if (!messages.empty()) writer = std::move(longer);
        } catch (const base::Error&) {
            out.truncate(whole);  // as many rows as there are
        }
    }
    Bytes end;
    writer.end(end);
    const std::uint64_t whole = out.size();
    try {
        out.write(as_text(end));
    } catch (const base::Error&) {
        out.truncate(whole);  // readers find the messages without a summary too
    }
}

std::unique_ptr<core::Tap> make_mcap(const Recording& recording) { return std::make_unique<Mcap>(recording); }

}  // namespace master::results
