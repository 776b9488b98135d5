#include "interfaces/canopen/slave/sdo_server.hpp"

#include <algorithm>

namespace interfaces::canopen {
namespace {

using Kind = SdoServerState::Kind;

// Client command specifiers, the upper three bits of the first byte.
constexpr unsigned download_segment = 0, initiate_download = 1, initiate_upload = 2, upload_segment = 3,
                   abort_transfer = 4;

constexpr std::uint8_t toggle_bit = 0x10;
constexpr std::size_t segment_size = 7;

SdoBytes message(std::uint8_t command, Key key) {
    return {command, static_cast<std::uint8_t>(key.index), static_cast<std::uint8_t>(key.index >> 8), key.sub};
}

SdoBytes give_up(SdoServerState& state, Abort abort) {
    const Key key = state.progress.key;
    state = {};
    return abort_message(key, abort);
}

SdoBytes begin_upload(SdoServerState& state, SdoObjects& objects, Key key, Time now) {
    state.progress = {.kind = Kind::upload, .key = key, .deadline = now + sdo_server_time_out};
    state.bytes.clear();
    if (const Abort abort = objects.read(key, state.bytes); abort != Abort::none) return give_up(state, abort);
    const std::size_t size = state.bytes.size();
    if (size >= 1 && size <= 4) {
        SdoBytes answer = message(static_cast<std::uint8_t>(0x43 | (4 - size) << 2), key);
        std::ranges::copy(state.bytes, answer.begin() + 4);
        state = {};
        return answer;
    }
    SdoBytes answer = message(0x41, key);
    store(std::span(answer).subspan(4), size);
    return answer;
}

SdoBytes next_upload_segment(SdoServerState& state, const SdoBytes& request, Time now) {
    SdoServerState::Progress& progress = state.progress;
    if (progress.kind != Kind::upload) return give_up(state, Abort::unknown_command);
    if (((request[0] & toggle_bit) != 0) != progress.toggle) return give_up(state, Abort::toggle);
    const std::size_t size = std::min(segment_size, state.bytes.size() - progress.sent);
    SdoBytes answer{};
    std::copy_n(state.bytes.begin() + progress.sent, size, answer.begin() + 1);
    progress.sent += static_cast<std::uint32_t>(size);
    const bool last = progress.sent == state.bytes.size();
    answer[0] =
        static_cast<std::uint8_t>((progress.toggle ? toggle_bit : 0) | (segment_size - size) << 1 | (last ? 1 : 0));
    progress.toggle = !progress.toggle;
    progress.deadline = now + sdo_server_time_out;
    if (last) state = {};
    return answer;
}

SdoBytes write_at_once(SdoServerState& state, SdoObjects& objects, const SdoBytes& request, std::size_t capacity) {
    const bool size_given = (request[0] & 0x01) != 0;
    const std::size_t size = size_given ? 4u - (request[0] >> 2 & 3u) : std::min<std::size_t>(capacity, 4);
    if (!size_given && capacity > 4) return give_up(state, Abort::length);
    const Key key = state.progress.key;
    const Abort abort = objects.write(key, std::span(request).subspan(4, size));
    if (abort != Abort::none) return give_up(state, abort);
    state = {};
    return message(0x60, key);
}

SdoBytes begin_download(SdoServerState& state, SdoObjects& objects, const SdoBytes& request, Key key, Time now) {
    state.progress = {.kind = Kind::download, .key = key, .deadline = now + sdo_server_time_out};
    state.bytes.clear();
    std::size_t capacity = 0;
    if (const Abort abort = objects.may_write(key, capacity); abort != Abort::none) return give_up(state, abort);
    if ((request[0] & 0x02) != 0) return write_at_once(state, objects, request, capacity);
    state.progress.capacity = static_cast<std::uint32_t>(capacity);
    state.progress.size_known = (request[0] & 0x01) != 0;
    state.progress.size = static_cast<std::uint32_t>(load(std::span(request).subspan(4)));
    if (state.progress.size_known && state.progress.size > capacity) return give_up(state, Abort::too_long);
    return message(0x60, key);
}

SdoBytes next_download_segment(SdoServerState& state, SdoObjects& objects, const SdoBytes& request, Time now) {
    SdoServerState::Progress& progress = state.progress;
    if (progress.kind != Kind::download) return give_up(state, Abort::unknown_command);
    if (((request[0] & toggle_bit) != 0) != progress.toggle) return give_up(state, Abort::toggle);
    const std::size_t size = segment_size - (request[0] >> 1 & 7u);
    if (state.bytes.size() + size > progress.capacity) return give_up(state, Abort::too_long);
    state.bytes.insert(state.bytes.end(), request.begin() + 1, request.begin() + 1 + static_cast<std::ptrdiff_t>(size));
    SdoBytes answer{static_cast<std::uint8_t>(0x20 | (progress.toggle ? toggle_bit : 0))};
    progress.toggle = !progress.toggle;
    progress.deadline = now + sdo_server_time_out;
    if ((request[0] & 0x01) == 0) return answer;
    if (progress.size_known && state.bytes.size() != progress.size) return give_up(state, Abort::length);
    if (const Abort abort = objects.write(progress.key, state.bytes); abort != Abort::none)
        return give_up(state, abort);
    state = {};
    return answer;
}

}  // namespace

SdoBytes abort_message(Key key, Abort abort) {
    SdoBytes answer = message(0x80, key);
    store(std::span(answer).subspan(4), static_cast<std::uint32_t>(abort));
    return answer;
}

std::optional<SdoBytes> serve(SdoServerState& state, SdoObjects& objects, const SdoBytes& request, Time now) {
    const Key key{static_cast<std::uint16_t>(load(std::span(request).subspan(1, 2))), request[3]};
    switch (request[0] >> 5) {
        case download_segment:
            return next_download_segment(state, objects, request, now);
        case initiate_download:
            return begin_download(state, objects, request, key, now);
        case initiate_upload:
            return begin_upload(state, objects, key, now);
        case upload_segment:
            return next_upload_segment(state, request, now);
        case abort_transfer:
            state = {};
            return std::nullopt;
        default:  // block transfer, which is not offered: clients fall back
            state = {};
            return abort_message(key, Abort::unknown_command);
    }
}

std::optional<SdoBytes> time_out(SdoServerState& state, Time now) {
    if (state.progress.kind == Kind::none || now < state.progress.deadline) return std::nullopt;
    return give_up(state, Abort::time_out);
}

}  // namespace interfaces::canopen
