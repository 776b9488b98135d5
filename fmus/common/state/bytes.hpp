#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace fmus {

/// Appends values to a byte string; the layout is that of this machine, as saved states never leave it.
class ByteWriter {
public:
    template <class T>
    void put(T& value) {
        if constexpr (std::is_trivially_copyable_v<T>) {
            put_bytes(&value, sizeof(T));
        } else if constexpr (requires { value.members(); }) {
            std::apply([this](auto&... member) { (this->put(member), ...); }, value.members());
        } else {
            std::size_t count = value.size();
            put(count);
            using Element = std::remove_reference_t<decltype(*value.data())>;
            if constexpr (std::is_trivially_copyable_v<Element>)
                put_bytes(value.data(), count * sizeof(Element));
            else
                for (auto& element : value) put(element);
        }
    }
    [[nodiscard]] std::vector<std::uint8_t> take() { return std::move(bytes_); }

private:
    void put_bytes(const void* first, std::size_t count);

    std::vector<std::uint8_t> bytes_;
};

/// Takes values back in the order they were put; throws std::runtime_error when the bytes end too early.
class ByteReader {
public:
    ByteReader(const std::uint8_t* data, std::size_t size) : at_(data), left_(size) {}

    template <class T>
    void take(T& value) {
        if constexpr (std::is_trivially_copyable_v<T>) {
            take_bytes(&value, sizeof(T));
        } else if constexpr (requires { value.members(); }) {
            std::apply([this](auto&... member) { (this->take(member), ...); }, value.members());
        } else {
            std::size_t count = 0;
            take(count);
            need(count);
            if constexpr (requires { value.resize(count); })
                value.resize(count);
            else
                require_size(count, value.size());
            using Element = std::remove_reference_t<decltype(*value.data())>;
            if constexpr (std::is_trivially_copyable_v<Element>)
                take_bytes(value.data(), count * sizeof(Element));
            else
                for (auto& element : value) take(element);
        }
    }
    [[nodiscard]] std::size_t left() const { return left_; }

private:
    void take_bytes(void* first, std::size_t count);
    void need(std::size_t count) const;
    static void require_size(std::size_t found, std::size_t expected);

    const std::uint8_t* at_;
    std::size_t left_;
};

}  // namespace fmus
