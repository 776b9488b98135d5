#pragma once

#include "interfaces/canopen/abort.hpp"
#include "interfaces/canopen/dictionary.hpp"
#include "interfaces/canopen/slave/sdo_server.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace interfaces::canopen {

/// The transfer of a client with one server.
struct SdoClientState {
    enum class Kind : std::uint8_t { none, upload, upload_segments, download, download_segments };
    struct Progress {
        Kind kind = Kind::none;
        Key key;
        bool toggle = false;
        std::uint32_t sent = 0;
        Time deadline{};
    } progress;
    std::vector<std::uint8_t> bytes;  // to be written, or read so far

    [[nodiscard]] bool is_busy() const { return progress.kind != Kind::none; }
    auto members() { return std::tie(progress, bytes); }
};

/// How a transfer stands after an answer.
struct SdoStep {
    enum class Result : std::uint8_t { goes_on, done, aborted, unexpected };
    Result result = Result::goes_on;
    Abort abort = Abort::none;          // of `aborted`
    std::optional<SdoBytes> request{};  // to be sent next
};

[[nodiscard]] SdoBytes begin_upload(SdoClientState& state, Key key, Time now, Time patience);
[[nodiscard]] SdoBytes begin_download(SdoClientState& state, Key key, std::span<const std::uint8_t> bytes, Time now,
                                      Time patience);
/// `unexpected` is an answer to something that was not asked; it leaves the transfer as it is.
[[nodiscard]] SdoStep take_answer(SdoClientState& state, const SdoBytes& answer, Time now, Time patience);

}  // namespace interfaces::canopen
