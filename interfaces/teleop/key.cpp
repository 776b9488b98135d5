#include "interfaces/teleop/key.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdexcept>
#include <string>

namespace interfaces::teleop {

Key::Key(std::string_view secret) : secret_(secret.begin(), secret.end()) {
    if (secret.size() < shortest)
        throw std::invalid_argument("teleoperation: a key of " + std::to_string(secret.size()) +
                                    " bytes, expected at least " + std::to_string(shortest));
}

std::array<std::uint8_t, Key::tag_size> Key::tag(std::span<const std::uint8_t> bytes) const {
    std::array<std::uint8_t, EVP_MAX_MD_SIZE> whole{};
    unsigned size = 0;
    if (HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()), bytes.data(), bytes.size(), whole.data(),
             &size) == nullptr ||
        size < tag_size)
        throw std::runtime_error("teleoperation: HMAC-SHA256 is not to be had from libcrypto");
    std::array<std::uint8_t, tag_size> result{};
    std::copy_n(whole.begin(), tag_size, result.begin());
    return result;
}

bool Key::matches(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> given) const {
    const auto expected = tag(bytes);
    return given.size() == tag_size && CRYPTO_memcmp(expected.data(), given.data(), tag_size) == 0;
}

Key read_key(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read the key '" + path + "'");
    std::string secret{std::istreambuf_iterator<char>(file), {}};
    while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r')) secret.pop_back();
    return Key(secret);
}

std::uint32_t random_id() {
    std::uint32_t id = 0;
    while (id == 0) {
        if (RAND_bytes(reinterpret_cast<unsigned char*>(&id), sizeof id) != 1)
            throw std::runtime_error("teleoperation: libcrypto has no random numbers");
    }
    return id;
}

}  // namespace interfaces::teleop
