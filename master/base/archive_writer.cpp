#include "master/base/archive_writer.hpp"

#include "master/base/atomic_file.hpp"
#include "master/base/error.hpp"

#include <algorithm>
#include <memory>
#include <vector>
#include <zip.h>

namespace master::base {
namespace {

namespace fs = std::filesystem;

/// The earliest day that a zip entry can carry, so that packing again gives the same bytes.
constexpr zip_uint16_t first_of_january_1980 = (1U << 5U) | 1U;

bool hidden(const fs::path& relative) {
    return std::ranges::any_of(relative, [](const fs::path& part) { return part.string().starts_with('.'); });
}

/// A link may point at anything on this machine, and who sends the folder on does not see it.
void refuse_link_out_of(const fs::path& folder, const fs::directory_entry& entry) {
    if (!entry.is_symlink()) return;
    std::error_code code;
    const fs::path target = fs::weakly_canonical(entry.path(), code);
    const fs::path relative = target.lexically_relative(fs::canonical(folder));
    if (!code && !relative.empty() && *relative.begin() != "..") return;
    throw Error("bad-archive", entry.path().string(),
                "a link that leads out of the folder, to '" + target.string() +
                    "', cannot be packed; expected the file itself");
}

std::vector<std::string> files_below(const fs::path& folder, const fs::path& target) {
    std::vector<std::string> names;
    std::error_code code;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        const fs::path relative = entry.path().lexically_relative(folder);
        if (hidden(relative) || fs::equivalent(entry.path(), target, code)) continue;
        refuse_link_out_of(folder, entry);
        if (entry.is_symlink() && entry.is_directory())
            throw Error("bad-archive", entry.path().string(), "a link to a folder cannot be packed");
        if (entry.is_directory()) continue;
        if (!entry.is_regular_file()) throw Error("bad-archive", entry.path().string(), "neither a file nor a folder");
        names.push_back(relative.generic_string());
    }
    std::ranges::sort(names);
    std::stable_partition(names.begin(), names.end(),
                          [](const std::string& name) { return name == "SystemStructure.ssd"; });
    return names;
}

class ZipWriter {
public:
    explicit ZipWriter(const fs::path& file) : name_(file.string()) {
        int code = 0;
        zip_ = zip_open(name_.c_str(), ZIP_CREATE | ZIP_EXCL, &code);
        if (zip_ != nullptr) return;
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        const std::string text = zip_error_strerror(&error);
        zip_error_fini(&error);
        throw Error("write-failed", name_, text, Exit::failed);
    }
    ~ZipWriter() {
        if (zip_ != nullptr) zip_discard(zip_);
    }
    ZipWriter(const ZipWriter&) = delete;
    ZipWriter& operator=(const ZipWriter&) = delete;

    void add(const fs::path& file, const std::string& name) {
        zip_source_t* source = zip_source_file(zip_, file.c_str(), 0, -1);
        if (source == nullptr) fail();
        const zip_int64_t index = zip_file_add(zip_, name.c_str(), source, ZIP_FL_ENC_UTF_8);
        if (index < 0) {
            zip_source_free(source);
            fail();
        }
        const auto entry = static_cast<zip_uint64_t>(index);
        // FMUs are zip files themselves and would not get smaller.
        const bool packed = file.extension() == ".fmu" || file.extension() == ".ssp";
        if (zip_set_file_compression(zip_, entry, packed ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 0) < 0) fail();
        if (zip_file_set_dostime(zip_, entry, 0, first_of_january_1980, 0) < 0) fail();
    }

    void close() {
        if (zip_close(zip_) < 0) fail();
        zip_ = nullptr;
    }

private:
    [[noreturn]] void fail() const { throw Error("write-failed", name_, zip_strerror(zip_), Exit::failed); }

    std::string name_;
    zip_t* zip_ = nullptr;
};

}  // namespace

void write_archive(const fs::path& folder, const fs::path& target) {
    const Draft draft(target);
    ZipWriter zip(draft.path());
    for (const std::string& name : files_below(folder, target)) zip.add(folder / name, name);
    zip.close();
    draft.finish();
}

}  // namespace master::base
