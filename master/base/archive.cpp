#include "master/base/archive.hpp"

#include "master/base/diagnostics.hpp"
#include "master/base/error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <unordered_set>
#include <utility>
#include <vector>
#include <zip.h>

namespace master::base {
namespace {

using std::filesystem::path;

constexpr std::uint64_t ratio_matters_from = 64ULL << 20;         // bytes; below it a high ratio is harmless
constexpr std::uint64_t total_ratio_matters_from = 256ULL << 20;  // bytes
constexpr std::size_t longest_part = 255;                         // bytes of a name, as file systems allow

struct Entry {
    zip_uint64_t index = 0;
    std::string name;  // as the archive spells it, for messages
    path relative;     // cleaned: below the folder, without "." and ".."
    std::uint64_t size = 0;
    std::uint64_t packed = 0;
    bool folder = false;
    bool executable = false;
    bool repeated = false;  // the same file stands earlier in the directory
};

using Zip = std::unique_ptr<zip_t, decltype(&zip_discard)>;

[[noreturn]] void refuse(const path& file, const std::string& text) { throw Error("bad-archive", file.string(), text); }

[[noreturn]] void refuse(const path& file, const Entry& entry, const std::string& text) {
    refuse(file, "entry '" + entry.name + "' " + text);
}

std::vector<std::string> names_beside(const path& file) {
    std::vector<std::string> names;
    std::error_code failure;
    const path folder = file.has_parent_path() ? file.parent_path() : path(".");
    for (std::filesystem::directory_iterator item(folder, failure), end; !failure && item != end;
         item.increment(failure)) {
        names.push_back(item->path().filename().string());
    }
    return names;
}

void require_file(const path& file) {
    std::error_code failure;
    const std::filesystem::file_status status = std::filesystem::status(file, failure);
    if (status.type() == std::filesystem::file_type::not_found) {
        refuse(file, "no such file" + did_you_mean(file.filename().string(), names_beside(file)));
    }
    if (failure) refuse(file, failure.message());
    if (status.type() != std::filesystem::file_type::regular) refuse(file, "is not a file; expected a zip archive");
}

std::string why_no_zip(const path& file, int code) {
    std::array<char, 4> beginning{};
    std::ifstream(file, std::ios::binary).read(beginning.data(), beginning.size());
    const bool begins_as_zip = std::string_view(beginning.data(), 4) == "PK\3\4";
    if (code == ZIP_ER_NOZIP && begins_as_zip) {
        return "is truncated: it begins like a zip archive, but the directory at its end is missing";
    }
    if (code == ZIP_ER_NOZIP) return "is not a zip archive";
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string text = std::string("cannot be read as a zip archive: ") + zip_error_strerror(&error);
    zip_error_fini(&error);
    return text;
}

Zip open_zip(const path& file) {
    int code = 0;
    Zip zip(zip_open(file.c_str(), ZIP_RDONLY, &code), &zip_discard);
    if (zip == nullptr) refuse(file, why_no_zip(file, code));
    return zip;
}

bool is_drive(std::string_view part) {
    return part.size() >= 2 && part[1] == ':' && std::isalpha(static_cast<unsigned char>(part[0])) != 0;
}

/// Backslashes separate too: archives made on Windows have them, and a hostile one may hide ".." behind them.
path clean_path(const path& file, const Entry& entry, const ArchiveLimits& limits) {
    std::string name = entry.name;
    if (name.size() > limits.name)
        refuse(file, "an entry has a name of " + std::to_string(name.size()) + " bytes; at most " +
                         std::to_string(limits.name) + " are accepted: '" + name.substr(0, 40) + "...'");
    std::size_t depth = 0;
    for (char& character : name) {
        if (character == '\\') character = '/';
        if (static_cast<unsigned char>(character) < 0x20) refuse(file, entry, "has a control character in its name");
    }
    if (name.empty()) refuse(file, "an entry without a name");
    if (name.front() == '/') refuse(file, entry, "has an absolute path; expected one inside the archive");
    if (is_drive(name)) refuse(file, entry, "begins with a drive letter; expected a path inside the archive");
    path cleaned;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('/', begin), name.size());
        const std::string part = name.substr(begin, end - begin);
        if (part == "..") refuse(file, entry, "leads out of the archive ('..')");
        if (part.size() > longest_part) refuse(file, entry, "has a part of more than 255 bytes in its name");
        if (!part.empty() && part != ".") cleaned /= part;
        if (!part.empty() && part != "." && ++depth > limits.depth)
            refuse(file, entry, "lies in more than " + std::to_string(limits.depth) + " folders");
        begin = end + 1;
    }
    return cleaned;
}

/// Unix file mode, or 0 where the archive has none.
unsigned int mode_of(zip_t* zip, zip_uint64_t index) {
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    if (zip_file_get_external_attributes(zip, index, 0, &system, &attributes) != 0) return 0;
    return attributes >> 16U;
}

Entry examine(const path& file, zip_t* zip, zip_uint64_t index, const ArchiveLimits& limits) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    if (zip_stat_index(zip, index, 0, &stat) != 0 || (stat.valid & ZIP_STAT_NAME) == 0) {
        refuse(file, "the directory entry " + std::to_string(index) + " cannot be read: " + zip_strerror(zip));
    }
    Entry entry{.index = index, .name = stat.name, .relative = {}};
    entry.relative = clean_path(file, entry, limits);
    entry.folder = entry.name.back() == '/' || entry.name.back() == '\\';

    const unsigned int mode = mode_of(zip, index);
    const unsigned int kind = mode & S_IFMT;
    if (kind == S_IFLNK) refuse(file, entry, "is a symbolic link; FMI and SSP archives must not contain any");
    if (kind == S_IFDIR) entry.folder = true;
    if (kind != 0 && kind != S_IFREG && kind != S_IFDIR) refuse(file, entry, "is neither a file nor a folder");
    entry.executable = (mode & S_IXUSR) != 0;
    if (entry.folder) return entry;

    if ((stat.valid & ZIP_STAT_SIZE) == 0) refuse(file, entry, "has no size");
    entry.size = stat.size;
    if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE) {
        refuse(file, entry, "is encrypted");
    }
    // Others than those of FMI and SSP may take long for few bytes.
    if ((stat.valid & ZIP_STAT_COMP_METHOD) != 0 && stat.comp_method != ZIP_CM_STORE &&
        stat.comp_method != ZIP_CM_DEFLATE)
        refuse(file, entry, "is packed by method " + std::to_string(stat.comp_method) + "; expected deflate or none");
    const bool has_packed_size = (stat.valid & ZIP_STAT_COMP_SIZE) != 0;
    entry.packed = has_packed_size ? stat.comp_size : 0;
    if (entry.size > ratio_matters_from && has_packed_size &&
        static_cast<double>(entry.size) > limits.ratio * static_cast<double>(stat.comp_size)) {
        refuse(file, entry,
               "claims to unpack " + std::to_string(stat.comp_size) + " bytes to " + std::to_string(entry.size) +
                   ", more than " + std::to_string(static_cast<long long>(limits.ratio)) + " times as many");
    }
    return entry;
}

/// Everything that the directory can tell is checked before the first byte is written.
std::vector<Entry> examine_all(const path& file, zip_t* zip, const ArchiveLimits& limits) {
    const auto count = static_cast<std::uint64_t>(std::max<zip_int64_t>(0, zip_get_num_entries(zip, 0)));
    if (count > limits.files) {
        refuse(file,
               "has " + std::to_string(count) + " entries; at most " + std::to_string(limits.files) + " are accepted");
    }
    std::vector<Entry> entries;
    std::unordered_set<std::string> files;
    std::unordered_set<std::string> folders;
    const std::uint64_t archive_size = std::filesystem::file_size(file);
    std::uint64_t total = 0, packed = 0;
    for (zip_uint64_t index = 0; index < count; ++index) {
        Entry entry = examine(file, zip, index, limits);
        if (entry.relative.empty()) continue;  // "./"
        if (entry.size > limits.total_bytes - total) {
            refuse(file, "unpacks to more than " + std::to_string(limits.total_bytes) + " bytes");
        }
        total += entry.size;
        if (entry.packed > archive_size - packed)
            refuse(file, entry, "overlaps others: together the entries are larger than the archive");
        packed += entry.packed;
        for (path parent = entry.relative.parent_path(); !parent.empty(); parent = parent.parent_path()) {
            if (!folders.insert(parent.string()).second) break;
        }
        if (entry.folder) folders.insert(entry.relative.string());
        entry.repeated = !entry.folder && !files.insert(entry.relative.string()).second;
        entries.push_back(std::move(entry));
    }
    if (total > total_ratio_matters_from &&
        static_cast<double>(total) > limits.total_ratio * static_cast<double>(archive_size))
        refuse(file, "unpacks from " + std::to_string(archive_size) + " bytes to " + std::to_string(total) +
                         ", more than " + std::to_string(static_cast<long long>(limits.total_ratio)) +
                         " times as many");
    for (const Entry& entry : entries) {
        if (!entry.folder && folders.contains(entry.relative.string())) {
            refuse(file, entry, "is a file and a folder at once");
        }
    }
    return entries;
}

/// A file that is being written; closed with the object.
class Output {
public:
    Output(const path& target, bool executable)
        : descriptor_(open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                           executable ? S_IRWXU : S_IRUSR | S_IWUSR)) {}
    ~Output() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

    [[nodiscard]] bool write_all(const char* data, std::size_t size) const {
        while (size > 0) {
            const ssize_t written = write(descriptor_, data, size);
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) return false;
            data += written;
            size -= static_cast<std::size_t>(written);
        }
        return true;
    }

private:
    int descriptor_;
};

[[noreturn]] void cannot_write(const path& file, const Entry& entry) {
    throw Error("write-failed", file.string() + "/" + entry.name,
                std::string("cannot be unpacked: ") + std::strerror(errno), Exit::failed);
}

/// The directory may lie about sizes, so that the stated one is also the limit while unpacking.
void unpack(const path& file, zip_t* zip, const Entry& entry, const path& target) {
    const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> input(zip_fopen_index(zip, entry.index, 0), &zip_fclose);
    if (input == nullptr) refuse(file, entry, std::string("cannot be unpacked: ") + zip_strerror(zip));
    const Output output(target, entry.executable);
    if (!output.is_open()) cannot_write(file, entry);
    std::vector<char> block(1U << 16U);
    std::uint64_t unpacked = 0;
    while (true) {
        const zip_int64_t count = zip_fread(input.get(), block.data(), block.size());
        if (count < 0) {
            refuse(file, entry,
                   std::string("is damaged or truncated: ") + zip_error_strerror(zip_file_get_error(input.get())));
        }
        if (count == 0) break;
        unpacked += static_cast<std::uint64_t>(count);
        if (unpacked > entry.size) {
            refuse(file, entry,
                   "is larger than the " + std::to_string(entry.size) + " bytes that the directory states");
        }
        if (!output.write_all(block.data(), static_cast<std::size_t>(count))) {
            cannot_write(file, entry);
        }
    }
    if (unpacked != entry.size) {
        refuse(file, entry,
               "has " + std::to_string(unpacked) + " bytes; the directory states " + std::to_string(entry.size));
    }
}

/// Some tools pack a file twice. Which one is meant would be a guess where they differ.
void compare(const path& file, zip_t* zip, const Entry& entry, const path& first) {
    path second = first;
    second += ".repeated";
    unpack(file, zip, entry, second);
    const bool equal = sha256_of(first) == sha256_of(second);
    std::filesystem::remove(second);
    if (!equal) refuse(file, entry, "is there twice, with different content");
}

/// Documentation and sources are most of what many tools pack, and no run looks at them.
bool needed_to_run(const path& relative) {
    const path& room = *relative.begin();
    return room != "documentation" && (room != "sources" || relative.filename() == "buildDescription.xml");
}

std::string hash_of_archive(const path& file) {
    require_file(file);
    return sha256_of(file);
}

}  // namespace

Archive::Archive(const path& file, const ArchiveLimits& limits)
    : Archive(file, hash_of_archive(file), limits, [](const path&) { return true; }) {}

Archive::Archive(const path& file, std::string sha256, const ArchiveLimits& limits, bool (*wanted)(const path&))
    : folder_("tandem-"), sha256_(std::move(sha256)) {
    const Zip zip = open_zip(file);
    for (const Entry& entry : examine_all(file, zip.get(), limits)) {
        const path target = folder() / entry.relative;
        std::error_code failure;
        std::filesystem::create_directories(entry.folder ? target : target.parent_path(), failure);
        if (failure) refuse(file, entry, "needs a folder that cannot be made: " + failure.message());
        if (entry.folder || !wanted(entry.relative)) continue;
        if (entry.repeated) {
            compare(file, zip.get(), entry, target);
            repeated_.push_back(entry.name);
        } else {
            unpack(file, zip.get(), entry, target);
        }
    }
}

const Archive& ArchiveCache::get(const path& file, const ArchiveLimits& limits) {
    std::string sha256 = hash_of_archive(file);
    const auto known = archives_.find(sha256);
    if (known != archives_.end()) return known->second;
    Archive archive(file, sha256, limits, &needed_to_run);
    return archives_.emplace(std::move(sha256), std::move(archive)).first->second;
}

}  // namespace master::base
