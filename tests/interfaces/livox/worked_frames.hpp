#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tests {

/// "aa 01 .." as bytes.
inline std::vector<std::uint8_t> from_hex(const std::string& text) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i + 1 < text.size(); i += 3)
        bytes.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
    return bytes;
}

/// Frames that the packer of Livox SDK 2.3.0 made and its parser took back; the broadcast code is invented.
namespace worked {
inline const auto advert =
    from_hex("aa 01 22 00 02 00 00 59 7e 00 00 33 47 47 44 4a 36 4b 30 30 32 30 30 31 30 31 00 06 00 00 d8 6a c5 d1");
inline const auto handshake = from_hex("aa 01 19 00 01 02 00 b0 31 00 01 7f 00 00 01 c1 da cd d8 c1 da 39 89 65 a8");
inline const auto handshake_ack = from_hex("aa 01 10 00 01 02 00 d4 60 00 01 00 83 7a fa 4c");
inline const auto heartbeat = from_hex("aa 01 0f 00 00 03 00 6c fd 00 03 4c d4 51 41");
inline const auto heartbeat_ack = from_hex("aa 01 16 00 01 03 00 94 42 00 03 00 01 00 00 00 00 00 67 13 41 90");
inline const auto device_info = from_hex("aa 01 0f 00 00 04 00 64 b0 00 02 1e e2 a5 96");
inline const auto device_info_ack = from_hex("aa 01 14 00 01 04 00 14 19 00 02 00 03 08 00 00 90 6f 04 76");
inline const auto start_sampling = from_hex("aa 01 10 00 00 05 00 00 77 00 04 01 ff 36 3c fe");
inline const auto start_sampling_ack = from_hex("aa 01 10 00 01 05 00 dc 2d 00 04 00 69 7b 24 ad");
inline const auto stop_sampling = from_hex("aa 01 10 00 00 06 00 68 5d 00 04 00 22 6f 1e de");
inline const auto cartesian = from_hex("aa 01 10 00 00 07 00 b0 44 00 05 00 5a 79 e6 f5");
inline const auto return_first = from_hex("aa 01 10 00 00 08 00 78 c7 01 06 00 88 8a c8 0f");
inline const auto disconnect = from_hex("aa 01 0f 00 00 09 00 1c 00 00 06 ba 43 83 46");
inline const auto status = from_hex("aa 01 13 00 02 00 00 cc a1 00 07 00 00 00 00 0a 67 23 fe");
inline const std::vector all{
    advert,         handshake,          handshake_ack, heartbeat, heartbeat_ack, device_info, device_info_ack,
    start_sampling, start_sampling_ack, stop_sampling, cartesian, return_first,  disconnect,  status};
}  // namespace worked

}  // namespace tests
