#include "fmus/common/state/bytes.hpp"

#include <cstring>
#include <stdexcept>

namespace fmus {

void ByteWriter::put_bytes(const void* first, std::size_t count) {
    const auto* byte = static_cast<const std::uint8_t*>(first);
    bytes_.insert(bytes_.end(), byte, byte + count);
}

void ByteReader::take_bytes(void* first, std::size_t count) {
    need(count);
    if (count > 0) std::memcpy(first, at_, count);  // an empty place may be null
    at_ += count;
    left_ -= count;
}

void ByteReader::need(std::size_t count) const {
    if (count > left_) throw std::runtime_error("the serialized state ends too early");
}

void ByteReader::require_size(std::size_t found, std::size_t expected) {
    if (found != expected) throw std::runtime_error("a serialized array has another size");
}

}  // namespace fmus
