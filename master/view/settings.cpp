#include "master/view/settings.hpp"

#include "master/base/diagnostics.hpp"
#include "master/base/error.hpp"
#include "master/base/xml/values.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace master::view {
namespace {

constexpr std::string_view first_words = "tandem settings 1, ticks per second ";

class Player final : public core::Tap {
public:
    struct Move {
        base::Time t;
        double value = 0;
        std::vector<build::LocatedSignal> targets;
    };
    explicit Player(std::vector<Move> moves) : moves_(std::move(moves)) {}

    void before_step(base::Time t, core::Lanes& free_inputs) override {
        for (; next_ < moves_.size() && moves_[next_].t <= t; ++next_)
            for (const build::LocatedSignal& target : moves_[next_].targets)
                build::set_number(target, moves_[next_].value, free_inputs);
    }

private:
    std::vector<Move> moves_;
    std::size_t next_ = 0;
};

}  // namespace

SettingsJournal::SettingsJournal(std::filesystem::path file, base::Timebase timebase)
    : path_(std::move(file)), timebase_(timebase) {
    std::string line;
    if (std::ifstream before(path_); std::getline(before, line) && line.starts_with(first_words))
        std::filesystem::remove(path_);
}

void SettingsJournal::add(base::Time t, std::string_view name, double value) {
    if (!file_.is_open()) {
        file_.open(path_, std::ios::trunc);
        file_ << fmt::format("{}{}\n", first_words, timebase_.ticks_per_second);
    }
    file_ << fmt::format("{} {} {}\n", t.ticks, value, name) << std::flush;
    if (!file_)
        throw base::Error("write-failed", path_.string(),
                          std::string("what was set cannot be kept: ") + std::strerror(errno), base::Exit::failed);
}

std::vector<Setting> read_settings(const std::filesystem::path& file, base::Timebase timebase) {
    std::ifstream stream(file);
    std::string line;
    int number = 1;
    const auto refuse = [&](const std::string& text) {
        throw base::Error("bad-record", fmt::format("{}:{}", file.string(), number), text);
    };
    const std::string expected = fmt::format("{}{}", first_words, timebase.ticks_per_second);
    if (!std::getline(stream, line) || line != expected)
        refuse(fmt::format("is no journal of this run: expected '{}', found '{}'", expected, line.substr(0, 80)));
    std::vector<Setting> settings;
    while (std::getline(stream, line)) {
        ++number;
        std::string_view rest = line;
        const auto ticks = base::parse_integer(rest.substr(0, rest.find(' ')));
        rest.remove_prefix(std::min(rest.size(), rest.find(' ')));
        rest = base::trimmed(rest);
        const auto value = base::parse_double(rest.substr(0, rest.find(' ')));
        rest.remove_prefix(std::min(rest.size(), rest.find(' ')));
        const std::string name(base::trimmed(rest));
        if (!ticks || !value || !std::isfinite(*value) || name.empty())
            refuse("expected 'TICKS VALUE NAME', found '" + line.substr(0, 80) + "'");
        if (!settings.empty() && settings.back().t.ticks > *ticks)
            refuse("its time lies before that of the line above");
        settings.push_back({{*ticks}, name, *value});
    }
    return settings;
}

std::unique_ptr<core::Tap> play_settings(const std::vector<Setting>& settings,
                                         const std::vector<build::OpenInput>& inputs, const std::string& where) {
    std::vector<Player::Move> moves;
    for (const Setting& setting : settings) {
        const auto input = std::ranges::find(inputs, setting.name, &build::OpenInput::name);
        if (input == inputs.end()) {
            std::vector<std::string> names;
            names.reserve(inputs.size());
            for (const build::OpenInput& each : inputs) names.push_back(each.name);
            throw base::Error("unknown-name", where,
                              fmt::format("'{}' is no free input or tunable parameter of the system{}", setting.name,
                                          base::did_you_mean(setting.name, names)));
        }
        moves.push_back({setting.t, setting.value, input->targets});
    }
    return std::make_unique<Player>(std::move(moves));
}

}  // namespace master::view
