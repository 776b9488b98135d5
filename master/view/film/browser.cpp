#include "master/view/film/browser.hpp"

#include "master/base/error.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

namespace master::view {
namespace {

using base::Json;

constexpr std::array<std::string_view, 4> browser_names{"chromium", "chromium-browser", "google-chrome", "chrome"};
constexpr std::chrono::seconds answer_patience{120};
constexpr std::size_t most_answer = std::size_t{1} << 28U;

/// Chromium leaves files where TMPDIR says when it is killed, so that is a folder that goes; but where the names of its
/// sockets would be longer than Linux allows (107 characters, of which it needs 46) it would not begin.
std::filesystem::path place_for_sockets(const std::filesystem::path& folder) {
    constexpr std::size_t longest = 61;
    return folder.string().size() <= longest ? folder : std::filesystem::path();
}

std::vector<std::string> arguments(PictureSize size, const std::filesystem::path& profile) {
    std::vector<std::string> all{"--headless=new",
                                 "--remote-debugging-pipe",
                                 "--user-data-dir=" + profile.string(),
                                 fmt::format("--window-size={},{}", size.width, size.height),
                                 "--force-device-scale-factor=1",
                                 "--use-angle=swiftshader",
                                 "--enable-unsafe-swiftshader",
                                 "--force-color-profile=srgb",
                                 "--disable-background-networking",
                                 "--disable-component-update",
                                 "--disable-sync",
                                 "--disable-extensions",
                                 "--disable-breakpad",
                                 "--disable-dev-shm-usage",
                                 "--no-first-run",
                                 "--no-default-browser-check",
                                 "--mute-audio",
                                 "--hide-scrollbars",
                                 "about:blank"};
    // Chromium refuses to make its sandbox as root.
    if (::geteuid() == 0) all.insert(all.begin(), "--no-sandbox");
    return all;
}

}  // namespace

std::string last_line(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string last;
    for (std::string line; std::getline(stream, line);)
        if (!line.empty()) last = line;
    return last;
}

Browser::Browser(PictureSize size) {
    const auto program = find_program(browser_names, "chromium", "draw the pictures of a video");
    Pipe commands, answers;
    const auto log = folder_.path() / "browser.log";
    const Descriptor said(::open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    // 3 and 4 are the pipe by Chromium's convention.
    program_.emplace(
        Program::Line{.program = program,
                      .arguments = arguments(size, folder_.path() / "profile"),
                      .descriptors = {-1, -1, said.number(), commands.read.number(), answers.write.number()},
                      .temporary = place_for_sockets(folder_.path())});
    commands_ = std::move(commands.write);
    answers_ = std::move(answers.read);
    for (const int end : {commands_.number(), answers_.number()}) ::fcntl(end, F_SETFL, O_NONBLOCK);
    const Json made = ask("Target.createTarget", {{"url", "about:blank"}});
    const Json attached = ask("Target.attachToTarget", {{"targetId", made.at("targetId")}, {"flatten", true}});
    session_ = attached.at("sessionId").get<std::string>();
    (void)ask("Emulation.setDeviceMetricsOverride",
              {{"width", size.width}, {"height", size.height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

void Browser::open(const std::string& address) {
    const Json answer = ask("Page.navigate", {{"url", address}});
    if (answer.contains("errorText"))
        fail(fmt::format("cannot open {}: {}", address, answer["errorText"].get<std::string>()));
}

Json Browser::evaluate(const std::string& expression) {
    Json answer =
        ask("Runtime.evaluate", {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
    if (answer.contains("exceptionDetails")) {
        const Json& exception = answer["exceptionDetails"].value("exception", Json::object());
        std::string text = exception.value("description", answer["exceptionDetails"].value("text", "failed"));
        constexpr std::string_view kind = "Error: ";
        if (text.starts_with(kind)) text.erase(0, kind.size());
        throw base::Error("view", "--video", text.substr(0, text.find('\n')));
    }
    return answer.at("result").value("value", Json());
}

Json Browser::ask(const std::string& method, Json parameters) {
    const std::uint64_t number = ++asked_;
    Json command{{"id", number}, {"method", method}, {"params", std::move(parameters)}};
    if (!session_.empty()) command["sessionId"] = session_;
    send(command.dump());
    while (true) {
        Json answer = Json::parse(next_text(), nullptr, false);
        if (!answer.is_object()) fail("said something that is no JSON");
        const std::string event = answer.value("method", "");
        if (event == "Inspector.targetCrashed" || event == "Target.targetCrashed") fail("crashed while it drew");
        if (answer.value("id", std::uint64_t{0}) != number) continue;
        if (answer.contains("error"))
            fail(fmt::format("does not do {}: {}", method, answer["error"].value("message", "no reason")));
        return answer.value("result", Json::object());
    }
}

void Browser::send(const std::string& text) {
    const std::size_t all = text.size() + 1;  // with its NUL
    for (std::size_t sent = 0; sent < all;) {
        const ssize_t count = ::write(commands_.number(), text.c_str() + sent, all - sent);
        if (count > 0) sent += static_cast<std::size_t>(count);
        if (count >= 0 || errno == EINTR) continue;
        if (errno != EAGAIN) fail("has ended");
        if (!wait_for(commands_.number(), POLLOUT, answer_patience)) fail("does not listen");
    }
}

std::string Browser::next_text() {
    while (true) {
        if (const std::size_t end = received_.find('\0', looked_); end != std::string::npos) {
            std::string text = received_.substr(0, end);
            received_.erase(0, end + 1);
            looked_ = 0;
            return text;
        }
        looked_ = received_.size();
        if (!wait_for(answers_.number(), POLLIN, answer_patience)) fail("does not answer");
        std::array<char, 1 << 16> buffer{};
        const ssize_t count = ::read(answers_.number(), buffer.data(), buffer.size());
        if (count == 0) fail("has ended");
        if (count < 0 && errno != EINTR && errno != EAGAIN) fail("has ended");
        if (count > 0) received_.append(buffer.data(), static_cast<std::size_t>(count));
        if (received_.size() > most_answer) fail("says more than it should");
    }
}

void Browser::fail(const std::string& text) const {
    const std::string said = last_line(folder_.path() / "browser.log");
    throw base::Error("view", "chromium", said.empty() ? text : fmt::format("{} ({})", text, said), base::Exit::failed);
}

}  // namespace master::view
