#include "models/sensing/edge/edge.hpp"

#include "models/parameter_check.hpp"
#include "models/sensing/edge/highest_point.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace models::edge {

namespace {

constexpr ParameterCheck edge_check("edge");

constexpr std::uint64_t most_cells = 50'000'000;  // 100 MB
constexpr std::uint32_t cells_per_word = 64;

constexpr std::uint64_t bit_of(std::uint32_t cell) { return std::uint64_t{1} << (cell % cells_per_word); }

void check_count(const char* name, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
    if (value < least || value > most)
        edge_check.refuse(name, static_cast<double>(value), std::to_string(least) + " to " + std::to_string(most));
}

void check(const Edge::Parameters& p) {
    check_count("edge.bins", p.bins, 1, 100'000);
    if (!std::isfinite(p.start)) edge_check.refuse("edge.start", p.start, "a finite number");
    edge_check.positive("edge.span", p.span);
    edge_check.positive("edge.radius", p.radius);
    edge_check.positive("edge.cell", p.cell);
    edge_check.positive("edge.window", p.window);
    edge_check.positive("edge.depth", p.depth);
    edge_check.positive("edge.gap", p.gap);
    edge_check.not_negative("edge.noise", p.noise);
    edge_check.not_negative("edge.reach", p.reach);
    edge_check.not_negative("edge.agreement", p.agreement);
    edge_check.not_negative("edge.margin", p.margin);
    if (!(p.step >= p.agreement)) edge_check.refuse("edge.step", p.step, "at least 'edge.agreement'");
    if (!std::isfinite(p.lowest)) edge_check.refuse("edge.lowest", p.lowest, "a finite number");
    if (!(p.highest > p.lowest) || !std::isfinite(p.highest))
        edge_check.refuse("edge.highest", p.highest, "a finite number above 'edge.lowest'");
    if ((p.highest - p.lowest) / p.cell * static_cast<double>(p.bins) > static_cast<double>(most_cells))
        edge_check.refuse("edge.cell", p.cell, "at most " + std::to_string(most_cells) + " cells in all bins");
    check_count("edge.rank", p.rank, 1, 1000);
    check_count("edge.least_support", p.least_support, 2, 10'000);
    check_count("edge.support", p.support, p.least_support, 10'000);
    check_count("edge.capacity", p.capacity, 1, 100'000'000);
}

}  // namespace

Edge::Edge(const Parameters& parameters) : parameters_(parameters) {
    check(parameters_);
    cells_ = static_cast<std::uint64_t>(std::ceil((parameters_.highest - parameters_.lowest) / parameters_.cell));
    pooled_ = static_cast<std::uint64_t>(
        std::min(std::round(parameters_.reach / bin_width()), static_cast<double>(parameters_.bins)));
    const double middle = parameters_.start + parameters_.span / 2;
    const double bins_per_angle = static_cast<double>(parameters_.bins) / parameters_.span;
    // Azimuths of points go from -pi to pi, and the span must not reach beyond that.
    const bool within = std::fabs(parameters_.start) + parameters_.span < 3;
    middle_ = {.cosine = std::cos(middle),
               .sine = std::sin(middle),
               .bin = static_cast<double>(parameters_.bins) / 2,
               .bins_per_angle = bins_per_angle,
               .unsure = 1e-8 * bins_per_angle + 1e-9,
               .widest = within ? 0.2 : 0.0};
    words_ = (cells_ + cells_per_word - 1) / cells_per_word;
    state_.counts.resize(parameters_.bins * cells_);
    state_.occupied.resize(parameters_.bins * words_);
    state_.entries.resize(parameters_.capacity);
    state_.ceilings.assign(parameters_.bins, std::numeric_limits<double>::infinity());
    clear();
}

void Edge::clear() {
    std::fill(state_.counts.begin(), state_.counts.end(), std::uint16_t{0});
    std::fill(state_.occupied.begin(), state_.occupied.end(), std::uint64_t{0});
    state_.top.assign(parameters_.bins, 0);
    state_.oldest = state_.count = 0;
    state_.windows.assign(parameters_.bins, {});
    state_.heights.assign(parameters_.bins, 0);
    state_.valid.assign(parameters_.bins, 0);
}

double Edge::bin_width() const { return parameters_.radius * parameters_.span / static_cast<double>(parameters_.bins); }

double Edge::azimuth(std::size_t bin) const {
    return parameters_.start +
           (static_cast<double>(bin) + 0.5) * parameters_.span / static_cast<double>(parameters_.bins);
}

bool Edge::add(const Sample& sample) {
    const double along =
        (sample.azimuth - parameters_.start) / parameters_.span * static_cast<double>(parameters_.bins);
    return count(along, sample.height, sample.time);
}

bool Edge::add_at(const Place& place) {
    // From the middle of the span, where the series of the arc tangent is short; the rest of it is below 2e-9 rad.
    const double ahead = middle_.cosine * place.x + middle_.sine * place.y;
    const double aside = middle_.cosine * place.y - middle_.sine * place.x;
    if (std::fabs(aside) < middle_.widest * ahead) {
        const double t = aside / ahead, u = t * t;
        const double angle = t * (1 - u * (1.0 / 3 - u * (1.0 / 5 - u * (1.0 / 7 - u * (1.0 / 9)))));
        const double along = angle * middle_.bins_per_angle + middle_.bin, into_bin = along - std::floor(along);
        if (into_bin > middle_.unsure && into_bin < 1 - middle_.unsure) return count(along, place.height, place.time);
    }
    return add({.azimuth = std::atan2(place.y, place.x), .height = place.height, .time = place.time});
}

bool Edge::count(double along, double height, double time) {
    const double up = (height - parameters_.lowest) / parameters_.cell;
    // Written so that what is not a number is left out as well.
    if (!(along >= 0 && along < static_cast<double>(parameters_.bins))) return false;
    if (!(up >= 0 && up < static_cast<double>(cells_))) return false;
    const Entry entry{static_cast<std::uint32_t>(along), static_cast<std::uint32_t>(up), time};
    std::uint16_t& points = state_.counts[entry.bin * cells_ + entry.cell];
    if (points == std::numeric_limits<std::uint16_t>::max()) return false;
    if (state_.count == state_.entries.size()) drop_oldest();
    std::size_t end = state_.oldest + state_.count;
    if (end >= state_.entries.size()) end -= state_.entries.size();
    state_.entries[end] = entry;
    ++state_.count;
    ++points;
    state_.occupied[entry.bin * words_ + entry.cell / cells_per_word] |= bit_of(entry.cell);
    state_.top[entry.bin] = std::max(state_.top[entry.bin], entry.cell + 1);
    return true;
}

void Edge::drop_oldest() {
    const Entry& entry = state_.entries[state_.oldest];
    if (--state_.counts[entry.bin * cells_ + entry.cell] == 0)
        state_.occupied[entry.bin * words_ + entry.cell / cells_per_word] &= ~bit_of(entry.cell);
    if (++state_.oldest == state_.entries.size()) state_.oldest = 0;
    --state_.count;
}

void Edge::update(double time) {
    while (state_.count > 0 && state_.entries[state_.oldest].time < time - parameters_.window) drop_oldest();
    for (std::size_t bin = 0; bin < parameters_.bins; ++bin)
        state_.top[bin] = Descent(*this, {bin, bin}, state_.top[bin]).next();
    for (std::size_t bin = 0; bin < parameters_.bins; ++bin) state_.windows[bin] = window_around(bin);
    for (std::size_t bin = 0; bin < parameters_.bins; ++bin) {
        const Estimate result = combined(bin);
        state_.heights[bin] = result.height;
        state_.valid[bin] = result.valid ? 1 : 0;
    }
}

std::uint64_t Edge::points_in(const Window& window, std::uint32_t cell) const {
    std::uint64_t sum = 0;
    for (std::size_t bin = window.first; bin <= window.last; ++bin) sum += state_.counts[bin * cells_ + cell];
    return sum;
}

Edge::Descent::Descent(const Edge& edge, const Window& window, std::uint32_t end)
    : first_(&edge.state_.occupied[window.first * edge.words_]),
      words_(edge.words_),
      bins_(window.last - window.first + 1) {
    if (end == 0) return;
    word_ = (end - 1) / cells_per_word;
    read();
    // The cells from `end` on do not count.
    cells_ &= ~std::uint64_t{0} >> (cells_per_word - 1 - (end - 1) % cells_per_word);
}

inline void Edge::Descent::read() {
    cells_ = 0;
    for (std::size_t bin = 0; bin < bins_; ++bin) cells_ |= first_[bin * words_ + word_];
}

inline std::uint32_t Edge::Descent::next() {
    while (cells_ == 0) {
        if (word_ == 0) return 0;
        --word_;
        read();
    }
    const auto cell = cells_per_word - 1 - static_cast<std::uint32_t>(std::countl_zero(cells_));
    cells_ &= ~bit_of(cell);
    return word_ * cells_per_word + cell + 1;
}

Edge::Estimate Edge::window_around(std::size_t bin) const {
    const Window window{.first = bin - std::min<std::size_t>(bin, pooled_),
                        .last = std::min<std::size_t>(parameters_.bins - 1, bin + pooled_)};
    std::uint32_t top = 0;
    for (std::size_t i = window.first; i <= window.last; ++i) top = std::max(top, state_.top[i]);
    const auto gap = static_cast<std::uint32_t>(parameters_.gap / parameters_.cell);
    std::uint64_t seen = 0;
    std::uint32_t ranked = 0, end = 0;  // end: of the next cell with points below the ranked one
    // From a stray point on to the next one.
    Descent from_highest(*this, window, top), descent = from_highest;
    for (std::uint32_t highest = from_highest.next(); highest > 0; highest = from_highest.next()) {
        seen = 0;
        descent = from_highest;
        for (end = highest; end > 0 && highest - end <= gap && seen < parameters_.rank; end = descent.next()) {
            ranked = end - 1;
            seen += points_in(window, ranked);
        }
        if (seen >= parameters_.rank) break;
    }
    if (seen < parameters_.rank) return {};
    const auto depth = static_cast<std::uint32_t>(std::min<double>(ranked, parameters_.depth / parameters_.cell));
    std::uint64_t below = seen - parameters_.rank;
    std::uint32_t cell = ranked;
    for (; below < parameters_.support && cell > ranked - depth; end = descent.next()) {
        cell = std::max(end, ranked - depth + 1) - 1;
        if (end > ranked - depth) below += points_in(window, cell);
    }
    if (below < parameters_.least_support) return {};

    // If the distance to the n-th point below was measured, (n - 1) / distance is the unbiased estimate of the points
    // per metre; if points were counted down to a given depth, n / depth.
    const double distance = std::max(1.0, static_cast<double>(ranked - cell)) * parameters_.cell;
    const bool measured = below >= parameters_.support;
    const double per_metre = static_cast<double>(measured ? below - 1 : below) / distance;
    const double width = bin_width() * static_cast<double>(window.last - window.first + 1);
    const double correction =
        median_error({.density = per_metre / width, .width = width, .noise = parameters_.noise}, parameters_.rank);
    const double height = parameters_.lowest + (static_cast<double>(ranked) + 0.5) * parameters_.cell;
    return {.height = height - correction, .valid = true};
}

Edge::Estimate Edge::combined(std::size_t bin) const {
    if (!state_.windows[bin].valid) return {};
    double sum = 0, lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    int count = 0;
    for (const int side : {-1, 0, 1}) {
        const auto at = static_cast<std::int64_t>(bin) + side * static_cast<std::int64_t>(pooled_);
        if (at < 0 || at >= static_cast<std::int64_t>(parameters_.bins)) continue;
        const Estimate& window = state_.windows[static_cast<std::size_t>(at)];
        if (!window.valid) continue;
        sum += window.height;
        lowest = std::min(lowest, window.height);
        highest = std::max(highest, window.height);
        ++count;
    }
    const double spread = highest - lowest;
    if (spread > parameters_.agreement && spread < parameters_.step) return {};
    const double height = spread < parameters_.step ? sum / count : lowest;
    if (height > state_.ceilings[bin] - parameters_.margin) return {};
    return {.height = height, .valid = true};
}

}  // namespace models::edge
