#pragma once

#include "master/core/signals.hpp"
#include "master/core/unit.hpp"
#include "master/fmi/library/log_relay.hpp"
#include "master/fmi/unit/calls.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace master::fmi {

enum class Direction : std::uint8_t { to_fmu, from_fmu };

/// One FMI call: all variables of one native type and clock group.
template <class Calls>
struct Transfer {
    NumberedFunction function;
    const typename Calls::Reference* references = nullptr;
    std::size_t reference_count = 0;
    std::size_t element_count = 0;
    std::uint32_t offset = 0;      // of the first element in its lane
    std::uint32_t conversion = 0;  // index, when not direct
    Native native = Native::float64;
    bool direct = false;       // the lane has the native type and the elements lie side by side: no copy
    bool enumeration = false;  // some of the elements are checked to be items
};

/// The buffers of a transfer whose lane differs from the FMU's type: elements are gathered from `runs` of the lane.
struct Conversion {
    struct Run {
        std::uint32_t lane = 0;
        std::uint32_t count = 0;
    };
    std::vector<Run> runs;
    std::vector<std::uint64_t> values;  // raw storage, aligned for every native type
    std::vector<const char*> pointers;
    std::vector<std::string> strings;
    std::vector<std::size_t> sizes;
    std::vector<const std::uint8_t*> data;
    std::vector<core::ByteString> staged;  // binary inputs that wait for Event Mode
    std::vector<std::size_t> max_bytes;
    /// Elements of the lane that may have only the values of an enumeration's items.
    struct Items {
        std::uint32_t lane = 0, count = 0;
        std::uint32_t variable = 0;
        std::vector<std::int64_t> values;
    };
    std::vector<Items> items;
    std::vector<bool> told_null;  // strings that were null pointers, and said to be
    bool keep = false;            // the values outlive the call: they are sent later
};

/// Moves values between a unit's slices and its FMU: made once by `bind`, then one FMI call per transfer and nothing
/// else for doubles. Inputs that may be set only in Event Mode can be staged and sent later.
template <class Calls>
class Exchange {
public:
    using Instance = typename Calls::Instance;
    using Reference = typename Calls::Reference;

    Exchange(Direction direction, const ModelDescription& description, const Library& library, LogRelay& relay)
        : direction_(direction), description_(&description), library_(library), relay_(relay) {}

    /// Structural parameters may have changed the sizes: the description of the configured unit.
    void use(const ModelDescription& description) { description_ = &description; }

    /// `event_only[variable]`: may be set only in Event Mode (empty: none).
    void bind(core::Layout layout, const std::vector<bool>& event_only);

    [[nodiscard]] const core::Layout& layout() const { return layout_; }
    [[nodiscard]] std::uint64_t buffer_growths() const { return growths_; }

    /// The one call that moves everything unclocked, when that is doubles only: the common case, kept short.
    struct OnlyReals {
        AnyFunction call = nullptr;  // null: not the case
        const Reference* references = nullptr;
        std::size_t reference_count = 0;
        std::size_t element_count = 0;
    };
    [[nodiscard]] OnlyReals only_reals() const;

    /// The transfer that failed (see `status`), or null.
    [[nodiscard]] const Transfer<Calls>* write(Instance instance, core::Group group, const core::ConstBlock& inputs) {
        const Range range = range_of(group);
        return write_range(instance, range.begin, range.end, inputs);
    }
    /// The same without what may be set only in Event Mode.
    [[nodiscard]] const Transfer<Calls>* write_continuous(Instance instance, core::Group group,
                                                          const core::ConstBlock& inputs) {
        const Range range = range_of(group);
        return write_range(instance, range.begin, range.event_only, inputs);
    }
    [[nodiscard]] const Transfer<Calls>* read(Instance instance, core::Group group, const core::Block& outputs) {
        const Range range = range_of(group);
        for (std::uint32_t i = range.begin; i < range.end; ++i) {
            const Transfer<Calls>& transfer = transfers_[i];
            const int status = transfer.direct && transfer.native == Native::float64
                                   ? Calls::template get<double>(
                                         transfer.function, instance, transfer.references, transfer.reference_count,
                                         outputs.reals + transfer.offset, transfer.element_count)
                                   : get_other(instance, transfer, conversions_[transfer.conversion], outputs);
            if (status != Status::ok && is_failure(transfer, status)) [[unlikely]]
                return &transfer;
            if (transfer.enumeration) look_at_items(conversions_[transfer.conversion], outputs);
        }
        return nullptr;
    }

    /// Takes the values that may be set only in Event Mode; true when one differs from what was sent last.
    [[nodiscard]] bool stage(core::Group group, const core::ConstBlock& inputs);
    /// Sends what `stage` took.
    [[nodiscard]] const Transfer<Calls>* send_staged(Instance instance, core::Group group);
    [[nodiscard]] bool has_event_only(core::Group group) const {
        const Range range = range_of(group);
        return range.event_only != range.end;
    }

    /// One slot of the layout, outside the step; returns the status.
    [[nodiscard]] int write_one(Instance instance, std::size_t slot, const core::ConstBlock& inputs);
    [[nodiscard]] int read_one(Instance instance, std::size_t slot, const core::Block& outputs);
    /// True where the unit refuses to give what is bound only to be looked at: it is left out from now on. Before the
    /// first step.
    [[nodiscard]] bool can_leave_out(std::size_t slot, int status);
    [[nodiscard]] const std::vector<std::uint32_t>& left_out() const { return left_out_; }  // variables
    /// One variable from a value; returns the status.
    [[nodiscard]] int set_value(Instance instance, std::uint32_t variable, const core::Value& value);
    /// One variable's value; none where the unit refuses to tell.
    [[nodiscard]] std::optional<core::Value> value_of(Instance instance, std::uint32_t variable);

    [[nodiscard]] int status() const { return status_; }
    /// "fmi2SetReal of 'u', 'v'", for messages.
    [[nodiscard]] std::string describe(const Transfer<Calls>& transfer) const;
    [[nodiscard]] std::string describe(std::uint32_t variable) const;
    /// Of the one call of `only_reals`.
    [[nodiscard]] std::string describe_first() const { return describe(transfers_[range_of({}).begin]); }

private:
    struct Range {
        std::uint32_t begin = 0, event_only = 0, end = 0;
    };

    [[nodiscard]] Range range_of(core::Group group) const {
        return group.index < ranges_.size() ? ranges_[group.index] : Range{};
    }
    [[nodiscard]] const Transfer<Calls>* write_range(Instance instance, std::uint32_t begin, std::uint32_t end,
                                                     const core::ConstBlock& inputs) {
        for (std::uint32_t i = begin; i < end; ++i) {
            const Transfer<Calls>& transfer = transfers_[i];
            const int status = transfer.direct && transfer.native == Native::float64
                                   ? Calls::template set<double>(transfer.function, instance, transfer.references,
                                                                 transfer.reference_count,
                                                                 inputs.reals + transfer.offset, transfer.element_count)
                                   : set_other(instance, transfer, conversions_[transfer.conversion], inputs);
            if (status != Status::ok && is_failure(transfer, status)) [[unlikely]]
                return &transfer;
        }
        return nullptr;
    }
    /// Whether the run cannot go on after a status that is not ok; a warning is counted.
    [[nodiscard, gnu::cold]] bool is_failure(const Transfer<Calls>& transfer, int status);

    /// No wire begins there: an output that is bound for another reason than to be recorded is a promise.
    [[nodiscard]] bool only_looked_at(std::uint32_t variable) const;
    /// Of everything in the layout that is not left out.
    void make_transfers(const std::vector<bool>& event_only);
    [[nodiscard]] Transfer<Calls> make(std::span<const core::Layout::Slot> slots, std::vector<Reference>& references,
                                       Conversion& conversion, bool event_only) const;
    /// The enumerations among a transfer's variables.
    [[nodiscard]] std::vector<Conversion::Items> items_among(std::span<const core::Layout::Slot> slots) const;
    /// An input that would be given another value ends the run, an output that has one is named once.
    void check_items(const Conversion& conversion, const core::ConstBlock& inputs) const;
    void look_at_items(Conversion& conversion, const core::Block& outputs);
    [[gnu::cold]] void tell_null(const Transfer<Calls>& transfer, Conversion& conversion, std::size_t element);
    [[nodiscard]] int set_other(Instance instance, const Transfer<Calls>& transfer, Conversion& conversion,
                                const core::ConstBlock& inputs);
    [[nodiscard]] int get_other(Instance instance, const Transfer<Calls>& transfer, Conversion& conversion,
                                const core::Block& outputs);
    [[nodiscard]] bool take(const Transfer<Calls>& transfer, Conversion& conversion,
                            const core::ConstBlock& inputs) const;
    [[nodiscard]] int send(Instance instance, const Transfer<Calls>& transfer, Conversion& conversion) const;
    [[nodiscard]] int fetch(Instance instance, const Transfer<Calls>& transfer, Conversion& conversion,
                            const core::Block& outputs);
    void keep_binary(const Conversion& conversion, const core::Block& outputs);
    [[nodiscard]] std::optional<core::Value> bytes_of(Instance instance, const Transfer<Calls>& transfer) const;

    Direction direction_;
    const ModelDescription* description_;
    const Library& library_;
    LogRelay& relay_;
    core::Layout layout_;
    std::vector<Transfer<Calls>> transfers_;          // by group; within a group what may be set at any time first
    std::vector<Range> ranges_;                       // by group
    std::vector<std::vector<Reference>> references_;  // of each transfer; elements do not move
    std::vector<Conversion> conversions_;
    std::vector<core::ByteString> bytes_;  // the unit's own binary outputs, as the lane has them
    std::vector<std::uint32_t> left_out_;
    std::uint64_t growths_ = 0;
    int status_ = 0;
};

extern template class Exchange<Calls2>;
extern template class Exchange<Calls3>;

}  // namespace master::fmi
