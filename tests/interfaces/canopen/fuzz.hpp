#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace interfaces::canopen {

// One input of a fuzzer each: whatever the bytes are, nothing crashes, hangs or grows without bound. A violated promise
// ends the program.

/// Frames, eleven bytes each (identifier, size, data), to a slave that is configured by them, and time that passes.
void fuzz_slave(std::span<const std::uint8_t> bytes);
/// Requests of LSS, eight bytes each, to a slave without a node-id.
void fuzz_lss(std::span<const std::uint8_t> bytes);
/// Frames to a master that brings up two nodes.
void fuzz_master(std::span<const std::uint8_t> bytes);
/// A data sheet, from which a slave is made.
void fuzz_data_sheet(std::string_view text);

}  // namespace interfaces::canopen
