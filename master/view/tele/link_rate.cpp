#include "master/view/tele/link_rate.hpp"

namespace master::view {
namespace {

constexpr double window = 3;        // s
constexpr double silent_after = 1;  // s: what comes less often than that has ceased

}  // namespace

void LinkRate::arrived(double now, std::size_t kind, Sizes sizes) { arrivals_[kind].push_back({now, sizes}); }

LinkRate::Rates LinkRate::rates(double now) {
    Rates all;
    for (auto& [kind, arrivals] : arrivals_) {
        while (!arrivals.empty() && arrivals.front().time < now - window) arrivals.pop_front();
        if (arrivals.empty() || arrivals.back().time < now - silent_after) continue;
        const double duration = arrivals.back().time - arrivals.front().time;
        if (!(duration > 0)) continue;
        // The first one came for the time before it.
        Sizes sum;
        for (auto each = arrivals.begin() + 1; each != arrivals.end(); ++each) {
            sum.bytes += each->sizes.bytes;
            sum.content += each->sizes.content;
        }
        all.bits += 8 * static_cast<double>(sum.bytes) / duration;
        all.content += 8 * static_cast<double>(sum.content) / duration;
    }
    return all;
}

}  // namespace master::view
