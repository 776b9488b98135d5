#include "master/analysis/mutation/faulty_unit.hpp"

#include <deque>
#include <limits>
#include <utility>

namespace master::analysis {
namespace {

/// Another unit, one of whose outputs lies.
class FaultyUnit final : public core::Unit {
public:
    struct Place {
        core::Group group;
        std::uint32_t offset = 0;  // in the slice of reals
    };
    FaultyUnit(std::unique_ptr<core::Unit> unit, Place place, const Fault& fault, base::Time now)
        : unit_(std::move(unit)), place_(place), fault_(fault), now_(now) {}

    [[nodiscard]] const core::UnitInfo& info() const override { return unit_->info(); }
    void configure(const core::Values& structural) override { unit_->configure(structural); }
    void bind(const core::Ports& ports) override { unit_->bind(ports); }
    void set_up(const core::RunWindow& run) override { unit_->set_up(run); }
    void set_start(const core::Values& values) override { unit_->set_start(values); }
    void enter_initialization() override { unit_->enter_initialization(); }
    [[nodiscard]] std::optional<core::Value> value_of(std::uint32_t variable) override {
        return unit_->value_of(variable);
    }
    void write_one(std::size_t input, const core::ConstBlock& inputs) override { unit_->write_one(input, inputs); }
    void read_one(std::size_t output, const core::Block& outputs) override { unit_->read_one(output, outputs); }
    void exit_initialization() override { unit_->exit_initialization(); }
    void write(core::Group group, const core::ConstBlock& inputs) override { unit_->write(group, inputs); }
    [[nodiscard]] core::StepResult step(base::Time t, base::Duration h) override {
        const core::StepResult result = unit_->step(t, h);
        now_ = result.reached;
        return result;
    }
    void read(core::Group group, const core::Block& outputs) override {
        unit_->read(group, outputs);
        if (group.index == place_.group.index) outputs.reals[place_.offset] = late(told(outputs.reals[place_.offset]));
    }
    core::EventUnit* events() override { return unit_->events(); }
    [[nodiscard]] const core::Foresight* foresight() const override { return unit_->foresight(); }
    std::unique_ptr<core::Snapshot> save() override { return unit_->save(); }
    void restore(const core::Snapshot& snapshot) override { unit_->restore(snapshot); }
    void terminate() override { unit_->terminate(); }
    [[nodiscard]] bool takes_slope(std::uint32_t variable) const override { return unit_->takes_slope(variable); }
    [[nodiscard]] bool can_follow(std::uint32_t variable) const override { return unit_->can_follow(variable); }
    void follow(std::uint32_t offset, const core::ForeseenSignal& signal) override { unit_->follow(offset, signal); }
    [[nodiscard]] std::string last_message() const override { return unit_->last_message(); }
    [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> statistics() const override {
        return unit_->statistics();
    }

private:
    [[nodiscard]] double told(double value) const { return fault_.gain * value + fault_.offset; }

    /// The youngest value that is old enough; the first one until there is any.
    double late(double value) {
        if (fault_.delay.ticks == 0) return value;
        if (!past_.empty() && past_.back().first == now_)
            past_.back().second = value;
        else
            past_.emplace_back(now_, value);
        while (past_.size() > 1 && past_[1].first <= now_ - fault_.delay) past_.pop_front();
        return past_.front().second;
    }

    std::unique_ptr<core::Unit> unit_;
    Place place_;
    Fault fault_;
    base::Time now_;
    std::deque<std::pair<base::Time, double>> past_;
};

}  // namespace

void seed(core::System& system, const build::LocatedSignal& output, std::uint32_t element, const Fault& fault) {
    core::Node& node = system.nodes()[output.unit];
    const core::SignalRef ref = output.first.element(element);
    const FaultyUnit::Place place{.group = core::group_of(node.unit->info(), *output.variable),
                                  .offset = ref.index - node.output_base[core::index_of(core::Type::real)]};
    node.unit = std::make_unique<FaultyUnit>(std::move(node.unit), place, fault, node.end);
    // The short way leads past the fault.
    node.fast.write = nullptr;
    node.fast.read = nullptr;
    node.fast.exchange_and_step = nullptr;
    node.fast.plain_until = -std::numeric_limits<double>::infinity();
    node.unit->read(place.group, node.output_block);
}

}  // namespace master::analysis
