#include "fmus/common/declaring/facts.hpp"
#include "fmus/common/description/hash.hpp"
#include "fmus/common/state/instance.hpp"

#include <stdexcept>

namespace fmus {

namespace {

/// Stands before a serialized state: of which unit it is, and that its bytes are whole.
struct Seal {
    std::uint64_t unit = 0, content = 0;
};

std::uint64_t hash_of_unit() { return hash(std::string(build_facts().identifier) + ' ' + build_facts().version); }

std::string_view text_of(std::span<const std::uint8_t> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Instance::Saved* Instance::save(const Saved* reuse) {
    kit_.time = time_;
    auto state = std::make_unique<Saved>();
    state->kit = kit_;
    state->model = copy_model();
    if (reuse != nullptr) release(reuse);
    return saved_.emplace_back(std::move(state)).get();
}

const Instance::Saved& Instance::own(const Saved* state) const {
    for (const auto& candidate : saved_)
        if (candidate.get() == state) return *candidate;
    throw std::runtime_error("this state was not saved by this instance, or has been freed");
}

void Instance::restore(const Saved* state) {
    const Saved& saved = own(state);
    restore_model(*saved.model);
    kit_ = saved.kit;
    time_ = kit_.time;
    sloped_ = false;
    prepare_step();
}

void Instance::release(const Saved* state) {
    static_cast<void>(own(state));
    std::erase_if(saved_, [&](const auto& candidate) { return candidate.get() == state; });
}

std::vector<std::uint8_t> Instance::serialize(const Saved* state) const {
    const Saved& saved = own(state);
    ByteWriter content;
    KitState kit = saved.kit;
    content.put(kit);
    write_copy(*saved.model, content);
    const std::vector<std::uint8_t> body = content.take();
    Seal seal{hash_of_unit(), hash(text_of(body))};
    ByteWriter sealed;
    sealed.put(seal);
    std::vector<std::uint8_t> bytes = sealed.take();
    bytes.insert(bytes.end(), body.begin(), body.end());
    return bytes;
}

const Instance::Saved* Instance::deserialize(std::span<const std::uint8_t> bytes) {
    ByteReader reader(bytes.data(), bytes.size());
    Seal seal;
    reader.take(seal);
    if (seal.unit != hash_of_unit()) throw std::runtime_error("the serialized state is of another unit");
    if (seal.content != hash(text_of(bytes.subspan(sizeof(Seal)))))
        throw std::runtime_error("the serialized state is damaged");
    auto state = std::make_unique<Saved>();
    reader.take(state->kit);
    state->model = read_copy(reader);
    if (reader.left() != 0) throw std::runtime_error("the serialized state is longer than expected");
    return saved_.emplace_back(std::move(state)).get();
}

}  // namespace fmus
