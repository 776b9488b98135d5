#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace fmus {

/// Appends values to a byte string; the layout is that of this machine, as saved states never leave it.
class ByteWriter {
public:
    template <class T>
    void put(T& value) {
        if constexpr (std::is_trivially_copyable_v<T>) {
            const auto* first = reinterpret_cast<const std::uint8_t*>(&value);
            bytes_.insert(bytes_.end(), first, first + sizeof(T));
        } else if constexpr (requires { value.members(); }) {
            std::apply([this](auto&... member) { (put(member), ...); }, value.members());
        } else {
            std::size_t count = value.size();
            put(count);
            for (auto& element : value) put(element);
        }
    }
    [[nodiscard]] std::vector<std::uint8_t> take() { return std::move(bytes_); }

private:
    std::vector<std::uint8_t> bytes_;
};

/// Takes values back in the order they were put; throws std::runtime_error when the bytes end too early.
class ByteReader {
public:
    ByteReader(const std::uint8_t* data, std::size_t size) : at_(data), left_(size) {}

    template <class T>
    void take(T& value) {
        if constexpr (std::is_trivially_copyable_v<T>) {
            need(sizeof(T));
            std::memcpy(&value, at_, sizeof(T));
            at_ += sizeof(T);
            left_ -= sizeof(T);
        } else if constexpr (requires { value.members(); }) {
            std::apply([this](auto&... member) { (take(member), ...); }, value.members());
        } else {
            std::size_t count = 0;
            take(count);
            need(count);
            value.resize(count);
            for (auto& element : value) take(element);
        }
    }
    [[nodiscard]] std::size_t left() const { return left_; }

private:
    void need(std::size_t bytes) const {
        if (bytes > left_) throw std::runtime_error("the serialized state ends too early");
    }
    const std::uint8_t* at_;
    std::size_t left_;
};

}  // namespace fmus
