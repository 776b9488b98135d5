#include "master/report/run_record.hpp"

#include "master/base/atomic_file.hpp"
#include "master/base/error.hpp"
#include "master/base/json.hpp"
#include "master/base/sha256.hpp"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <fstream>
#include <gnu/libc-version.h>
#include <hdf5.h>
#include <matio.h>
#include <nlohmann/json.hpp>
#include <openssl/crypto.h>
#include <pugixml.hpp>
#include <sstream>
#include <sundials/sundials_version.h>
#include <sys/utsname.h>
#include <zip.h>

namespace master::report {
namespace {

constexpr std::size_t most_findings = 1000;

constexpr const char* format = "tandem run record 1";

std::string hexadecimal(const core::ByteString& bytes) {
    std::string out;
    for (const std::uint8_t byte : bytes) out += fmt::format("{:02x}", byte);
    return out;
}

/// Flags that libm, BLAS and ray tracers look at; the others change nothing about numbers.
bool decides_about_numbers(const std::string& flag) {
    constexpr std::array prefixes{"sse", "ssse", "avx", "fma", "f16c", "bmi", "neon", "asimd", "sve", "fphp"};
    return std::ranges::any_of(prefixes, [&](const char* prefix) { return flag.starts_with(prefix); });
}

void read_processor(Environment& environment) {
    std::ifstream stream("/proc/cpuinfo");
    for (std::string line; std::getline(stream, line) && !line.empty();) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos) continue;
        const std::string key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
        std::istringstream rest(line.substr(colon + 1));
        if (key == "model name") std::getline(rest >> std::ws, environment.cpu);
        if (key != "flags" && key != "Features") continue;
        for (std::string flag; rest >> flag;) {
            if (!decides_about_numbers(flag)) continue;
            environment.cpu_features += (environment.cpu_features.empty() ? "" : " ") + flag;
        }
    }
}

std::string hdf5_version() {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    H5get_libversion(&major, &minor, &release);
    return fmt::format("{}.{}.{}", major, minor, release);
}

std::string matio_version() {
    int major = 0;
    int minor = 0;
    int release = 0;
    Mat_GetLibraryVersion(&major, &minor, &release);
    return fmt::format("{}.{}.{}", major, minor, release);
}

std::string sundials_version() {
    std::array<char, 64> text{};
    SUNDIALSGetVersion(text.data(), static_cast<int>(text.size()));
    return text.data();
}

base::Json json_of(const std::vector<RunRecord::File>& files) {
    base::Json out = base::Json::array();
    for (const RunRecord::File& file : files)
        out.push_back({{"role", file.role}, {"path", file.path}, {"sha256", file.sha256}});
    return out;
}

/// A scalar, or an array; bytes in hexadecimal.
base::Json json_of(const core::Value& value) {
    return std::visit(
        []<class Element>(const std::vector<Element>& elements) {
            base::Json out = base::Json::array();
            for (const Element& element : elements) {
                if constexpr (std::is_same_v<Element, core::ByteString>) {
                    out.push_back(hexadecimal(element));
                } else if constexpr (std::is_same_v<Element, std::uint8_t>) {
                    out.push_back(element != 0);
                } else {
                    out.push_back(element);
                }
            }
            return out.size() == 1 ? out.front() : out;
        },
        value);
}

base::Json json_of(const std::vector<RunRecord::Parameter>& parameters) {
    base::Json out = base::Json::array();
    for (const RunRecord::Parameter& parameter : parameters)
        out.push_back({{"name", parameter.name},
                       {"value", json_of(parameter.value)},
                       {"unit", parameter.unit},
                       {"origin", parameter.origin}});
    return out;
}

base::Json json_of(const std::vector<RunRecord::Signal>& signals) {
    base::Json out = base::Json::array();
    for (const RunRecord::Signal& signal : signals)
        out.push_back({{"name", signal.name}, {"unit", signal.unit}, {"description", signal.description}});
    return out;
}

base::Json json_of(const RunRecord::Outcome& outcome) {
    return {{"exit", outcome.exit ? base::Json(*outcome.exit) : base::Json(nullptr)},
            {"ended", outcome.ended},
            {"reached", outcome.reached},
            {"points", outcome.points}};
}

base::Json json_of(const Environment& environment) {
    base::Json out{{"cpu", environment.cpu},
                   {"cpu_features", environment.cpu_features},
                   {"c_library", environment.c_library},
                   {"kernel", environment.kernel},
                   {"compiler", environment.compiler}};
    for (const auto& [name, version] : environment.libraries) out["libraries"][name] = version;
    return out;
}

base::Json json_of(const ErrorBar& bar) {
    if (!bar.missing.empty()) return {{"missing", bar.missing}};
    base::Json signals = base::Json::array();
    for (const ErrorBar::Signal& signal : bar.signals)
        signals.push_back({{"name", signal.name},
                           {"error", signal.error},
                           {"unit", signal.unit},
                           {"share", signal.share},
                           {"rms_share", signal.rms_share}});
    return {{"converged", bar.converged},
            {"shadow", bar.shadow},
            {"order", bar.order},
            {"from", bar.from},
            {"to", bar.to},
            {"ends", bar.ends},
            {"opening", bar.opening},
            {"sampled", bar.sampled},
            {"median", bar.median},
            {"worst", bar.worst},
            {"worst_signal", bar.worst_signal},
            {"signals", signals}};
}

base::Json json_of(const std::vector<base::Finding>& findings) {
    constexpr std::array names{"note", "warning", "error"};
    base::Json list = base::Json::array();
    for (const base::Finding& finding : findings) {
        if (list.size() == most_findings) break;
        list.push_back({{"severity", names[static_cast<std::size_t>(finding.severity)]},
                        {"code", finding.code},
                        {"where", finding.where},
                        {"text", finding.text}});
    }
    return list;
}

base::Json json_of(const Pacing& pacing) {
    return {{"factor", pacing.factor}, {"scheduling", pacing.scheduling}, {"deadlines", pacing.deadlines},
            {"missed", pacing.missed}, {"late_bounds", Pacing::bounds},   {"late", pacing.late},
            {"worst", pacing.worst},   {"slipped", pacing.slipped}};
}

base::Json json_of(const std::vector<BondEnergy>& bonds) {
    base::Json out = base::Json::array();
    for (const BondEnergy& bond : bonds)
        out.push_back({{"name", bond.name}, {"transferred", bond.transferred}, {"created", bond.created}});
    return out;
}

/// Takes members out of a JSON object and says which one is missing or of the wrong kind.
class Fields {
public:
    Fields(const base::Json& json, std::string where) : json_(json), where_(std::move(where)) {}

    [[nodiscard]] std::string text(const char* name) const {
        return member(name, "a text", &base::Json::is_string).get<std::string>();
    }
    [[nodiscard]] const base::Json& list(const char* name) const {
        return member(name, "a list", &base::Json::is_array);
    }
    [[nodiscard]] const base::Json& object(const char* name) const {
        return member(name, "an object", &base::Json::is_object);
    }

private:
    const base::Json& member(const char* name, const char* expected, bool (base::Json::*is_expected)() const) const {
        const auto found = json_.find(name);
        if (found == json_.end() || !((*found).*is_expected)())
            throw base::Error("bad-record", where_,
                              fmt::format("expected {} named '{}' as in a run.json", expected, name));
        return *found;
    }

    const base::Json& json_;
    std::string where_;
};

std::vector<RunRecord::File> read_files(const base::Json& list, const std::string& where) {
    std::vector<RunRecord::File> files;
    for (const base::Json& entry : list) {
        const Fields fields(entry, where);
        files.push_back({fields.text("role"), fields.text("path"), fields.text("sha256")});
    }
    return files;
}

Environment read_environment(const base::Json& json, const std::string& where) {
    const Fields fields(json, where);
    Environment environment{fields.text("cpu"),    fields.text("cpu_features"), fields.text("c_library"),
                            fields.text("kernel"), fields.text("compiler"),     {}};
    const base::Json& libraries = fields.object("libraries");
    const Fields versions(libraries, where);
    for (const auto& library : libraries.items())
        environment.libraries.emplace_back(library.key(), versions.text(library.key().c_str()));
    return environment;
}

void compare(const char* what, const std::string& then, const std::string& now, std::vector<std::string>& changes) {
    if (then != now) changes.push_back(fmt::format("{}: '{}' then, '{}' now", what, then, now));
}

/// What is not as it should be stays as it is by default.
RunRecord::Outcome read_outcome(const base::Json& json) {
    RunRecord::Outcome outcome;
    const auto known = json.find("outcome");
    if (known == json.end() || !known->is_object()) return outcome;
    if (const auto exit = known->find("exit"); exit != known->end() && exit->is_number_integer())
        outcome.exit = exit->get<int>();
    if (const auto ended = known->find("ended"); ended != known->end() && ended->is_string())
        outcome.ended = ended->get<std::string>();
    if (const auto reached = known->find("reached"); reached != known->end() && reached->is_number())
        outcome.reached = reached->get<double>();
    if (const auto points = known->find("points"); points != known->end() && points->is_number_unsigned())
        outcome.points = points->get<std::uint64_t>();
    return outcome;
}

}  // namespace

Environment this_environment() {
    Environment environment;
    read_processor(environment);
    environment.c_library = std::string("glibc ") + gnu_get_libc_version();
    utsname system{};
    if (::uname(&system) == 0)
        environment.kernel = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
    environment.compiler = "g++ " __VERSION__;
    environment.libraries = {{"sundials", sundials_version()},
                             {"hdf5", hdf5_version()},
                             {"matio", matio_version()},
                             {"libzip", zip_libzip_version()},
                             {"pugixml", fmt::format("{}.{}", PUGIXML_VERSION / 1000, PUGIXML_VERSION % 1000 / 10)},
                             {"openssl", OpenSSL_version(OPENSSL_VERSION)}};
    return environment;
}

RunRecord::File hashed(std::string role, const std::filesystem::path& path) {
    return {std::move(role), path.string(), base::sha256_of(path)};
}

void write_run_record(const std::filesystem::path& file, const RunRecord& record) {
    base::Json json;
    json["format"] = format;
    json["version"] = record.version;
    json["folder"] = record.folder;
    json["arguments"] = record.arguments;
    json["options"] = {{"algorithm", record.options.algorithm},
                       {"step", record.options.step},
                       {"step_origin", record.options.step_origin},
                       {"start", record.options.start},
                       {"stop", record.options.stop},
                       {"hold", record.options.hold}};
    json["inputs"] = json_of(record.inputs);
    json["results"] = json_of(record.results);
    json["signals"] = json_of(record.signals);
    json["parameters"] = json_of(record.parameters);
    json["environment"] = json_of(record.environment);
    json["outcome"] = json_of(record.outcome);
    json["error_bar"] = json_of(record.error_bar);
    if (record.pacing) json["real_time"] = json_of(*record.pacing);
    if (!record.bonds.empty()) json["bonds"] = json_of(record.bonds);
    if (!record.findings.empty()) json["findings"] = json_of(record.findings);
    base::write_atomically(file, base::json_text(std::move(json)));
}

void amend_run_record(const std::filesystem::path& file, const AmendOutcome& amend) {
    const RunRecord record = read_run_record(file);
    base::Json json = base::read_json(file);
    RunRecord::Outcome outcome = record.outcome;
    amend(outcome);
    std::vector<RunRecord::File> results;
    for (const RunRecord::File& known : record.results) {
        const std::filesystem::path path = file.parent_path() / known.path;
        results.push_back(known);
        if (std::filesystem::is_regular_file(path)) results.back().sha256 = base::sha256_of(path);
    }
    json["results"] = json_of(results);
    json["outcome"] = json_of(outcome);
    base::write_atomically(file, base::json_text(std::move(json)));
}

RunRecord read_run_record(const std::filesystem::path& file) {
    const std::string where = file.string();
    const base::Json json = base::read_json(file);
    const Fields fields(json, where);
    if (fields.text("format") != format)
        throw base::Error("bad-record", where,
                          "found the format '" + fields.text("format") + "', expected '" + format + "'");
    RunRecord record;
    record.version = fields.text("version");
    record.folder = fields.text("folder");
    for (const base::Json& argument : fields.list("arguments")) {
        if (!argument.is_string()) throw base::Error("bad-record", where, "expected texts in 'arguments'");
        record.arguments.push_back(argument.get<std::string>());
    }
    if (record.arguments.empty() || record.arguments.front() != "run")
        throw base::Error("bad-record", where, "expected 'run' as the first of 'arguments'");
    record.inputs = read_files(fields.list("inputs"), where);
    record.results = read_files(fields.list("results"), where);
    for (const RunRecord::File& result : record.results)
        if (result.path.empty() || std::filesystem::path(result.path).filename() != result.path)
            throw base::Error("bad-record", where,
                              "found the result '" + result.path + "', expected a name without a folder");
    record.environment = read_environment(fields.object("environment"), where);
    record.outcome = read_outcome(json);
    return record;
}

std::vector<std::string> parameters_from(const std::filesystem::path& file, std::string_view origin) {
    const base::Json json = base::read_json(file);
    const Fields fields(json, file.string());
    std::vector<std::string> names;
    for (const base::Json& entry : fields.list("parameters")) {
        const Fields parameter(entry, file.string());
        if (parameter.text("origin") == origin) names.push_back(parameter.text("name"));
    }
    return names;
}

namespace {

bool in_archive(const std::filesystem::path& path) {
    for (std::filesystem::path parent = path.parent_path(); parent.has_relative_path(); parent = parent.parent_path())
        if (std::filesystem::is_regular_file(parent)) return true;
    return false;
}

}  // namespace

std::vector<std::string> changes_since(const RunRecord& record) {
    std::vector<std::string> changes;
    for (const RunRecord::File& input : record.inputs) {
        const std::filesystem::path path = std::filesystem::path(record.folder) / input.path;
        if (in_archive(path)) continue;  // which is an input itself
        if (!std::filesystem::is_regular_file(path)) {
            changes.push_back(fmt::format("{} '{}' is no longer there", input.role, input.path));
            continue;
        }
        if (base::sha256_of(path) != input.sha256)
            changes.push_back(fmt::format("{} '{}' has changed", input.role, input.path));
    }
    compare("program version", record.version, TANDEM_VERSION, changes);
    const Environment now = this_environment();
    const Environment& then = record.environment;
    compare("processor", then.cpu, now.cpu, changes);
    compare("processor features", then.cpu_features, now.cpu_features, changes);
    compare("C library", then.c_library, now.c_library, changes);
    compare("compiler", then.compiler, now.compiler, changes);
    for (const auto& [name, version] : now.libraries) {
        const auto old = std::ranges::find(then.libraries, name, &std::pair<std::string, std::string>::first);
        compare(name.c_str(), old == then.libraries.end() ? "none" : old->second, version, changes);
    }
    return changes;
}

}  // namespace master::report
