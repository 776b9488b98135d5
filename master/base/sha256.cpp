#include "master/base/sha256.hpp"

#include "master/base/error.hpp"

#include <array>
#include <fstream>
#include <memory>
#include <openssl/evp.h>
#include <string_view>
#include <vector>

namespace master::base {
namespace {

class Hash {
public:
    Hash() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
        check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
    }

    void add(const char* data, std::size_t size) { check(EVP_DigestUpdate(context_.get(), data, size) == 1); }

    [[nodiscard]] std::string hexadecimal() {
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
        unsigned int size = 0;
        check(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
        constexpr std::string_view digits = "0123456789abcdef";
        std::string text;
        for (unsigned int i = 0; i < size; ++i) {
            text += digits[digest[i] >> 4U];
            text += digits[digest[i] & 15U];
        }
        return text;
    }

private:
    static void check(bool done) {
        if (!done) throw Error("internal", "", "the cryptography library offers no SHA-256", Exit::failed);
    }

    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256_of(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw Error("missing-file", file.string(), "cannot be opened for reading");
    Hash hash;
    std::vector<char> block(1U << 16U);
    while (stream) {
        stream.read(block.data(), static_cast<std::streamsize>(block.size()));
        hash.add(block.data(), static_cast<std::size_t>(stream.gcount()));
    }
    if (stream.bad()) throw Error("missing-file", file.string(), "cannot be read to its end");
    return hash.hexadecimal();
}

}  // namespace master::base
