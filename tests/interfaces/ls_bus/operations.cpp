#include "interfaces/ls_bus/operations.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace interfaces::ls_bus;
using interfaces::can::Frame;

namespace {

Bytes bytes_of(const Operation& operation) {
    Bytes bytes;
    append(bytes, operation);
    return bytes;
}

Frame frame_of(std::uint32_t id, const Bytes& data) {
    Frame frame{.id = id, .size = static_cast<std::uint8_t>(data.size())};
    std::copy(data.begin(), data.end(), frame.data.begin());
    return frame;
}

const Bytes four{1, 2, 3, 4};
// The example of the standard: identifier 1, four bytes.
const Bytes example{0x10, 0, 0, 0, 0x14, 0, 0, 0, 1, 0, 0, 0, 0, 0, 4, 0, 1, 2, 3, 4};

/// One of each, with every argument different from its default.
std::vector<Bytes> samples() {
    Frame extended = frame_of(0x1ABCDEF0, {0xFF, 0, 0x55});
    extended.extended = true;
    Frame remote{.id = 0x7FF, .remote = true, .size = 8};
    Frame fd = frame_of(0x123, Bytes(12, 0xA5));
    fd.fd = fd.bit_rate_switch = fd.error_state = true;
    return {bytes_of(FormatError{four}),
            bytes_of(Transmit{frame_of(1, four)}),
            bytes_of(Transmit{extended}),
            bytes_of(Transmit{remote}),
            bytes_of(Transmit{fd}),
            bytes_of(TransmitXl{.id = 5,
                                .simple_extended_content = true,
                                .sdu_type = 3,
                                .virtual_network = 7,
                                .acceptance_field = 0x01020304,
                                .data = four}),
            bytes_of(Confirm{0x321}),
            bytes_of(ArbitrationLost{0x321}),
            bytes_of(BusError{.id = 2, .code = ErrorCode::crc, .primary = true, .is_sender = true}),
            bytes_of(Configuration{ConfigurationKind::bit_rate, 250'000}),
            bytes_of(Configuration{ConfigurationKind::fd_bit_rate, 2'000'000}),
            bytes_of(Configuration{ConfigurationKind::arbitration_lost, 2}),
            bytes_of(Status{NodeState::bus_off}),
            bytes_of(Wakeup{})};
}

}  // namespace

TEST_CASE("operations have the bytes of the standard") {
    CHECK(bytes_of(Transmit{frame_of(1, four)}) == example);
    CHECK(bytes_of(FormatError{four}) == Bytes{1, 0, 0, 0, 14, 0, 0, 0, 4, 0, 1, 2, 3, 4});
    CHECK(bytes_of(Confirm{0x321}) == Bytes{0x20, 0, 0, 0, 12, 0, 0, 0, 0x21, 3, 0, 0});
    CHECK(bytes_of(ArbitrationLost{0x321}) == Bytes{0x30, 0, 0, 0, 12, 0, 0, 0, 0x21, 3, 0, 0});
    CHECK(bytes_of(BusError{.id = 2, .code = ErrorCode::crc, .primary = true, .is_sender = false}) ==
          Bytes{0x31, 0, 0, 0, 15, 0, 0, 0, 2, 0, 0, 0, 4, 1, 0});
    CHECK(bytes_of(Configuration{ConfigurationKind::bit_rate, 250'000}) ==
          Bytes{0x40, 0, 0, 0, 13, 0, 0, 0, 1, 0x90, 0xD0, 3, 0});
    CHECK(bytes_of(Configuration{ConfigurationKind::arbitration_lost, 1}) == Bytes{0x40, 0, 0, 0, 10, 0, 0, 0, 4, 1});
    CHECK(bytes_of(Status{NodeState::error_passive}) == Bytes{0x41, 0, 0, 0, 9, 0, 0, 0, 2});
    CHECK(bytes_of(Wakeup{}) == Bytes{0x42, 0, 0, 0, 8, 0, 0, 0});
    Frame fd = frame_of(0x123, {9});
    fd.fd = fd.bit_rate_switch = true;
    CHECK(bytes_of(Transmit{fd}) == Bytes{0x11, 0, 0, 0, 18, 0, 0, 0, 0x23, 1, 0, 0, 0, 1, 0, 1, 0, 9});
    CHECK(bytes_of(TransmitXl{.id = 5, .sdu_type = 3, .acceptance_field = 4, .data = View(four).first(1)}) ==
          Bytes{0x12, 0, 0, 0, 23, 0, 0, 0, 5, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 1, 0, 1});
}

TEST_CASE("every operation comes back from its bytes") {
    for (const Bytes& bytes : samples()) {
        const auto operation = decode(bytes);
        REQUIRE(operation);
        CHECK(bytes_of(*operation) == bytes);
    }
    const auto transmit = decode(example);
    CHECK(std::get<Transmit>(*transmit).frame == frame_of(1, four));
    const auto error = decode(samples()[8]);
    CHECK(std::get<BusError>(*error).code == ErrorCode::crc);
    CHECK(std::get<BusError>(*error).primary);
}

TEST_CASE("an operation one byte shorter or longer than it says is none") {
    for (const Bytes& bytes : samples()) {
        for (std::size_t size = 0; size < bytes.size(); ++size) CHECK_FALSE(decode(View(bytes).first(size)));
        Bytes longer = bytes;
        longer.push_back(0);
        CHECK_FALSE(decode(longer));
        longer[4] += 1;  // the header agrees, the arguments do not
        CHECK_FALSE(decode(longer));
    }
}

TEST_CASE("arguments without a meaning make no operation") {
    const auto spoilt = [](Bytes bytes, std::size_t at, std::uint8_t value) {
        bytes[at] = value;
        return decode(bytes).has_value();
    };
    CHECK(spoilt(example, 8, 2));            // another identifier
    CHECK_FALSE(spoilt(example, 0, 0x13));   // an unknown code
    CHECK_FALSE(spoilt(example, 1, 1));      // in its second byte
    CHECK_FALSE(spoilt(example, 9, 0x08));   // identifier 0x801 of 11 bits
    CHECK_FALSE(spoilt(example, 12, 2));     // a Boolean that is neither
    CHECK_FALSE(spoilt(example, 13, 0xFF));  // remote
    CHECK_FALSE(spoilt(example, 14, 3));     // fewer data than there are
    CHECK_FALSE(spoilt(example, 14, 5));     // more
    CHECK_FALSE(spoilt(example, 15, 0xFF));  // many more
    const Bytes status = bytes_of(Status{});
    CHECK_FALSE(spoilt(status, 8, 0));
    CHECK_FALSE(spoilt(status, 8, 4));
    const Bytes rate = bytes_of(Configuration{ConfigurationKind::bit_rate, 1});
    CHECK_FALSE(spoilt(rate, 9, 0));  // 0 bit/s
    CHECK_FALSE(spoilt(rate, 8, 4));  // a behaviour of four bytes
    CHECK_FALSE(spoilt(rate, 8, 5));
    CHECK_FALSE(decode(bytes_of(Transmit{frame_of(1, Bytes(9, 0))})));  // classic, nine bytes
    Frame fd = frame_of(1, Bytes(10, 0));                               // no length of CAN FD
    fd.fd = true;
    CHECK_FALSE(decode(bytes_of(Transmit{fd})));
    CHECK_FALSE(decode(bytes_of(TransmitXl{.data = {}})));
}

TEST_CASE("a value holds any number of operations, none among them") {
    CHECK_FALSE(Reader(View{}).next());
    Bytes bytes = example;
    append(bytes, Wakeup{});
    Reader reader(bytes);
    const auto first = reader.next();
    REQUIRE(first);
    CHECK(Bytes(first->begin(), first->end()) == example);
    const auto second = reader.next();
    REQUIRE(second);
    CHECK(std::holds_alternative<Wakeup>(*decode(*second)));
    CHECK_FALSE(reader.next());
}

TEST_CASE("behind a length that cannot be believed all is one piece") {
    for (const int length : {0, 7, 21, 255}) {
        Bytes bytes = example;
        bytes[4] = static_cast<std::uint8_t>(length);
        Reader reader(bytes);
        const auto piece = reader.next();
        REQUIRE(piece);
        CHECK(piece->size() == bytes.size());
        CHECK_FALSE(decode(*piece));
        CHECK(deserves_format_error(*piece));
        CHECK_FALSE(reader.next());
    }
}

TEST_CASE("a broken Format Error is not answered by one") {
    Bytes error = bytes_of(FormatError{four});
    CHECK(decode(error));
    error[8] = 9;
    CHECK_FALSE(decode(error));
    CHECK_FALSE(deserves_format_error(error));
    CHECK_FALSE(deserves_format_error(View(error).first(5)));
}

TEST_CASE("the answer to nonsense fits a binary value") {
    const Bytes nonsense(10'000, 0xEE);
    const Bytes answer = bytes_of(FormatError{nonsense});
    CHECK(answer.size() == most_bytes);
    REQUIRE(decode(answer));
    CHECK(std::get<FormatError>(*decode(answer)).operation.size() == most_bytes - 10);
}

TEST_CASE("damaged operations are refused or are what their bytes say") {
    std::mt19937 random(20260117);
    const auto below = [&](std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
    };
    const auto all = samples();
    std::size_t understood = 0;
    for (int round = 0; round < 200'000; ++round) {
        Bytes bytes;
        for (std::size_t i = 1 + below(3); i > 0; --i) {
            const Bytes& sample = all[below(all.size())];
            bytes.insert(bytes.end(), sample.begin(), sample.end());
        }
        for (std::size_t i = below(4); i > 0; --i) bytes[below(bytes.size())] = static_cast<std::uint8_t>(below(256));
        bytes.resize(bytes.size() - below(std::min<std::size_t>(bytes.size(), 3)));
        std::size_t read = 0;
        Reader reader(bytes);
        while (const auto piece = reader.next()) {
            read += piece->size();
            const auto operation = decode(*piece);
            if (!operation) continue;
            ++understood;
            // Of a remote frame only the length counts.
            const auto* transmit = std::get_if<Transmit>(&*operation);
            const bool remote = transmit != nullptr && transmit->frame.remote;
            if (!remote && bytes_of(*operation) != Bytes(piece->begin(), piece->end())) FAIL("other bytes");
        }
        if (read != bytes.size()) FAIL("bytes were left");
    }
    CHECK(understood > 100'000);
}
