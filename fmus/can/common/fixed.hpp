#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace fmus::can {

/// Values whose number is known once and whose places then stay, also when a saved state is put back over them: a
/// unit's variables lie in them.
template <class T>
class Fixed {
public:
    Fixed() = default;
    explicit Fixed(std::vector<T> items) : items_(std::move(items)) {}
    Fixed(const Fixed&) = default;
    Fixed(Fixed&&) noexcept = default;
    Fixed& operator=(const Fixed& other) {
        if (other.size() == size())
            std::copy(other.items_.begin(), other.items_.end(), items_.begin());
        else
            items_ = other.items_;
        return *this;
    }
    Fixed& operator=(Fixed&&) noexcept = default;
    ~Fixed() = default;

    [[nodiscard]] std::size_t size() const { return items_.size(); }
    [[nodiscard]] T* data() { return items_.data(); }
    [[nodiscard]] auto begin() { return items_.begin(); }
    [[nodiscard]] auto end() { return items_.end(); }
    [[nodiscard]] T& operator[](std::size_t i) { return items_[i]; }
    [[nodiscard]] const T& operator[](std::size_t i) const { return items_[i]; }

private:
    std::vector<T> items_;
};

}  // namespace fmus::can
