#include "interfaces/canopen/master/sdo_client.hpp"

#include <algorithm>

namespace interfaces::canopen {
namespace {

using ClientKind = SdoClientState::Kind;
using Result = SdoStep::Result;

constexpr std::size_t longest_upload = 1u << 16;  // more than any string that a master asks for

SdoBytes request_for(std::uint8_t command, Key key) {
    return {command, static_cast<std::uint8_t>(key.index), static_cast<std::uint8_t>(key.index >> 8), key.sub};
}

SdoStep finish(SdoClientState& state, Result result, Abort abort = Abort::none) {
    state.progress = {};
    return {.result = result, .abort = abort};
}

SdoStep refuse(SdoClientState& state, Abort abort) {
    const Key key = state.progress.key;
    SdoStep step = finish(state, Result::aborted, abort);
    step.request = abort_message(key, abort);
    return step;
}

SdoBytes next_segment(SdoClientState& state) {
    SdoClientState::Progress& progress = state.progress;
    const std::size_t size = std::min<std::size_t>(7, state.bytes.size() - progress.sent);
    SdoBytes request{};
    std::copy_n(state.bytes.begin() + progress.sent, size, request.begin() + 1);
    progress.sent += static_cast<std::uint32_t>(size);
    const bool last = progress.sent == state.bytes.size();
    request[0] = static_cast<std::uint8_t>((progress.toggle ? 0x10 : 0) | (7 - size) << 1 | (last ? 1 : 0));
    return request;
}

SdoStep take_upload_start(SdoClientState& state, const SdoBytes& answer) {
    if ((answer[0] & 0x02) != 0) {
        const std::size_t size = (answer[0] & 0x01) != 0 ? 4u - (answer[0] >> 2 & 3u) : 4u;
        state.bytes.assign(answer.begin() + 4, answer.begin() + 4 + static_cast<std::ptrdiff_t>(size));
        return finish(state, Result::done);
    }
    state.progress.kind = ClientKind::upload_segments;
    return {.request = SdoBytes{0x60}};
}

SdoStep take_upload_segment(SdoClientState& state, const SdoBytes& answer) {
    SdoClientState::Progress& progress = state.progress;
    if (((answer[0] & 0x10) != 0) != progress.toggle) return refuse(state, Abort::toggle);
    const std::size_t size = 7u - (answer[0] >> 1 & 7u);
    if (state.bytes.size() + size > longest_upload) return refuse(state, Abort::too_long);
    state.bytes.insert(state.bytes.end(), answer.begin() + 1, answer.begin() + 1 + static_cast<std::ptrdiff_t>(size));
    if ((answer[0] & 0x01) != 0) return finish(state, Result::done);
    progress.toggle = !progress.toggle;
    return {.request = SdoBytes{static_cast<std::uint8_t>(progress.toggle ? 0x70 : 0x60)}};
}

SdoStep take_download_segment(SdoClientState& state, const SdoBytes& answer) {
    SdoClientState::Progress& progress = state.progress;
    if (((answer[0] & 0x10) != 0) != progress.toggle) return refuse(state, Abort::toggle);
    if (progress.sent == state.bytes.size()) return finish(state, Result::done);
    progress.toggle = !progress.toggle;
    return {.request = next_segment(state)};
}

}  // namespace

SdoBytes begin_upload(SdoClientState& state, Key key, Time now, Time patience) {
    state.progress = {.kind = ClientKind::upload, .key = key, .deadline = now + patience};
    state.bytes.clear();
    return request_for(0x40, key);
}

SdoBytes begin_download(SdoClientState& state, Key key, std::span<const std::uint8_t> bytes, Time now, Time patience) {
    state.progress = {.kind = ClientKind::download, .key = key, .deadline = now + patience};
    state.bytes.assign(bytes.begin(), bytes.end());
    if (bytes.empty() || bytes.size() > 4) {
        SdoBytes request = request_for(0x21, key);
        store(std::span(request).subspan(4), bytes.size());
        return request;
    }
    SdoBytes request = request_for(static_cast<std::uint8_t>(0x23 | (4 - bytes.size()) << 2), key);
    std::ranges::copy(bytes, request.begin() + 4);
    state.progress.sent = static_cast<std::uint32_t>(bytes.size());
    return request;
}

SdoStep take_answer(SdoClientState& state, const SdoBytes& answer, Time now, Time patience) {
    SdoClientState::Progress& progress = state.progress;
    const Key key{static_cast<std::uint16_t>(load(std::span(answer).subspan(1, 2))), answer[3]};
    const unsigned command = answer[0] >> 5;
    const bool is_ours = state.is_busy() && key == progress.key;
    if (command == 4) {
        if (!is_ours) return {.result = Result::unexpected};
        return finish(state, Result::aborted, static_cast<Abort>(load(std::span(answer).subspan(4))));
    }
    progress.deadline = now + patience;
    if (command == 2 && progress.kind == ClientKind::upload && is_ours) return take_upload_start(state, answer);
    if (command == 0 && progress.kind == ClientKind::upload_segments) return take_upload_segment(state, answer);
    if (command == 1 && progress.kind == ClientKind::download_segments) return take_download_segment(state, answer);
    if (command == 3 && progress.kind == ClientKind::download && is_ours) {
        const bool at_once = !state.bytes.empty() && progress.sent == state.bytes.size();
        if (at_once) return finish(state, Result::done);
        progress.kind = ClientKind::download_segments;
        return {.request = next_segment(state)};
    }
    return {.result = Result::unexpected};
}

}  // namespace interfaces::canopen
