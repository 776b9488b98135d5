// How units that tell their states answer to small changes: asked for where they say it themselves, else by
// differences.
#include "master/base/error.hpp"
#include "master/core/checked_slopes.hpp"
#include "master/fmi/unit/fmu_unit.hpp"
#include "master/fmi/unit/me_unit.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace master::fmi {
namespace places {  // named: lambdas of the templates below hold them

constexpr double not_told = std::numeric_limits<double>::quiet_NaN();

/// One real of a unit: its variable, the element of it, and its row or column of the model.
struct Place {
    std::uint32_t variable = 0;
    std::size_t element = 0;
    std::size_t index = 0;
};

static std::vector<Place> places_of(const core::UnitInfo& info, const std::vector<std::uint32_t>& variables) {
    std::vector<Place> all;
    for (const std::uint32_t variable : variables) {
        for (std::size_t e = 0; e < info.variables[variable].size; ++e) all.push_back({variable, e, all.size()});
    }
    return all;
}

/// The unclocked reals of a slice that are of that causality.
static std::vector<Place> places_of(const core::UnitInfo& info, const core::Layout& layout, core::Causality causality,
                                    std::size_t first) {
    std::vector<Place> all;
    for (const core::Layout::Slot& slot : layout.slots) {
        const core::Variable& variable = info.variables[slot.variable];
        if (slot.type != core::Type::real || slot.group.index != 0 || variable.causality != causality) continue;
        for (std::size_t e = 0; e < slot.count; ++e) all.push_back({slot.variable, e, first + slot.offset + e});
    }
    return all;
}

static std::string name_of(const core::UnitInfo& info, const Place& place) {
    const core::Variable& variable = info.variables[place.variable];
    return variable.size == 1 ? variable.name : fmt::format("{}[{}]", variable.name, place.element + 1);
}

}  // namespace places

using places::name_of;
using places::not_told;
using places::Place;
using places::places_of;

template <class Calls>
core::LocalModel FmuUnit<Calls>::blank_model() const {
    core::LocalModel model;
    const std::vector<Place> states = places_of(info(), description().states);
    for (const Place& state : states) model.states.push_back(name_of(info(), state));
    model.inputs = inputs_.layout().counts[core::index_of(core::Type::real)];
    model.outputs = outputs_.layout().counts[core::index_of(core::Type::real)];
    model.slopes.assign((states.size() + model.outputs) * model.columns(), 0);
    // Outputs that are states are known whatever the unit tells; the others are filled in.
    for (const core::Layout::Slot& slot : outputs_.layout().slots) {
        if (slot.type != core::Type::real) continue;
        for (std::uint32_t e = 0; e < slot.count; ++e) {
            const std::size_t row = states.size() + slot.offset + e;
            const auto same = std::ranges::find_if(states, [&](const Place& state) {
                return state.element == e &&
                       description().references[state.variable] == description().references[slot.variable];
            });
            if (same != states.end()) {
                model.slope(row, same->index) = 1;
            } else {
                std::fill_n(model.slopes.begin() + static_cast<std::ptrdiff_t>(row * model.columns()), model.columns(),
                            not_told);
            }
        }
    }
    return model;
}

template <class Calls>
std::optional<core::LocalModel> FmuUnit<Calls>::local_model() {
    const std::vector<std::uint32_t>& rates = description().derivatives;
    if (!info().can.directional_derivatives || mode_ != Mode::step || rates.size() != description().states.size())
        return std::nullopt;
    core::LocalModel model = blank_model();
    model.origin = "directional derivatives";
    const std::size_t states = model.states.size();
    std::vector<Place> unknowns = places_of(info(), rates);
    std::vector<Place> knowns = places_of(info(), description().states);
    std::ranges::copy(places_of(info(), outputs_.layout(), core::Causality::output, states),
                      std::back_inserter(unknowns));
    std::ranges::copy(places_of(info(), inputs_.layout(), core::Causality::input, states), std::back_inserter(knowns));
    std::vector<typename Calls::Reference> asked;
    for (const Place& place : unknowns)
        if (place.element == 0) asked.push_back(description().references[place.variable]);
    for (const Place& row : unknowns)
        for (std::size_t c = 0; c < model.columns(); ++c) model.slope(row.index, c) = 0;
    std::vector<double> sensitivity(unknowns.size());
    for (const Place& known : knowns) {
        std::vector<double> seed(info().variables[known.variable].size, 0);
        seed[known.element] = 1;
        const typename Calls::Reference reference = description().references[known.variable];
        const char* name = "GetDirectionalDerivative";
        int status = Status::ok;
        if constexpr (Calls::version == Version::fmi2) {
            status = library().template require<fmi2GetDirectionalDerivativeTYPE>(name)(
                instance_, asked.data(), asked.size(), &reference, 1, seed.data(), sensitivity.data());
        } else {
            status = library().template require<fmi3GetDirectionalDerivativeTYPE>(name)(
                instance_, asked.data(), asked.size(), &reference, 1, seed.data(), seed.size(), sensitivity.data(),
                sensitivity.size());
        }
        check(name, status);
        for (std::size_t i = 0; i < unknowns.size(); ++i) model.slope(unknowns[i].index, known.index) = sensitivity[i];
    }
    return model;
}

/// States and continuous inputs are moved one by one, with the time where it is.
template <class Calls>
std::optional<core::LocalModel> ModelExchangeUnit<Calls>::local_model() {
    if (info().can.directional_derivatives) return Base::local_model();
    const ModelDescription& description = this->description();
    if (mode_ != Mode::step || places_of(info(), description.states).size() != state_count_) return std::nullopt;
    core::LocalModel model = this->blank_model();
    model.origin = "finite differences";
    const std::vector<Place> outputs =
        places_of(info(), outputs_.layout(), core::Causality::output, model.states.size());
    for (const Place& row : outputs)
        for (std::size_t c = 0; c < model.columns(); ++c) model.slope(row.index, c) = 0;
    const std::vector<double> states(integrator_->states().begin(), integrator_->states().end());
    const auto values = [&](const std::vector<double>& at) {
        if (state_count_ > 0) check("SetContinuousStates", calls_.set_states(instance_, at.data(), state_count_));
        std::vector<double> all(state_count_);
        if (state_count_ > 0) check(calls_.derivatives_name, calls_.get_derivatives(instance_, all.data(), all.size()));
        for (const Place& output : outputs)
            all.push_back(std::get<std::vector<double>>(*this->value_of(output.variable))[output.element]);
        return all;
    };
    const auto keep = [&](std::size_t column, const core::CheckedSlopes& found, const std::string& name) {
        if (!found.smooth)
            throw base::Error("singular", fmt::format("unit '{}' at t = {}", relay_.unit(), at_),
                              fmt::format("the slopes by '{}' differ to both sides, or are infinite; expected a point "
                                          "around which the unit is smooth",
                                          name));
        for (std::size_t i = 0; i < found.slopes.size(); ++i) {
            const std::size_t row = i < state_count_ ? i : outputs[i - state_count_].index;
            model.slope(row, column) = found.slopes[i];
        }
        model.doubt = std::max(model.doubt, found.doubt);
    };
    std::vector<double> nominals(state_count_, 1);
    if (state_count_ > 0)
        check("GetNominalsOfContinuousStates", calls_.get_nominals(instance_, nominals.data(), state_count_));
    for (std::size_t s = 0; s < state_count_; ++s) {
        const auto moved = [&](double distance) {
            std::vector<double> at = states;
            at[s] += distance;
            return values(at);
        };
        keep(s, core::checked_slopes(moved, std::max(std::fabs(states[s]), std::fabs(nominals[s]))), model.states[s]);
    }
    for (const Place& input : places_of(info(), inputs_.layout(), core::Causality::input, state_count_)) {
        if (this->event_only_[input.variable]) continue;
        const core::Variable& variable = info().variables[input.variable];
        const auto now = std::get<std::vector<double>>(*this->value_of(input.variable));
        const auto set = [&](double distance) {
            auto at = now;
            at[input.element] += distance;
            check("Set of inputs", inputs_.set_value(instance_, input.variable, at));
        };
        const auto moved = [&](double distance) {
            set(distance);
            return values(states);
        };
        const double scale = std::max(std::fabs(now[input.element]), std::fabs(variable.nominal.value_or(1)));
        keep(input.index, core::checked_slopes(moved, scale), variable.name);
        set(0);
    }
    static_cast<void>(values(states));
    return model;
}

template core::LocalModel FmuUnit<Calls2>::blank_model() const;
template core::LocalModel FmuUnit<Calls3>::blank_model() const;
template std::optional<core::LocalModel> FmuUnit<Calls2>::local_model();
template std::optional<core::LocalModel> FmuUnit<Calls3>::local_model();
template std::optional<core::LocalModel> ModelExchangeUnit<Calls2>::local_model();
template std::optional<core::LocalModel> ModelExchangeUnit<Calls3>::local_model();

}  // namespace master::fmi
