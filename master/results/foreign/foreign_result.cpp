#include "master/results/foreign/foreign_result.hpp"

#include "master/base/child_process.hpp"
#include "master/base/error.hpp"
#include "master/results/result_file.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace master::results {
namespace {

constexpr double bytes_per_second = 5e6;  // that even a slow disk and a compressed file give
constexpr int refused = 2;                // what a process that read the file and found an error in it returns

template <class T>
void put(std::string& bytes, const T& number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void put(std::string& bytes, std::string_view text) {
    put(bytes, static_cast<std::uint64_t>(text.size()));
    bytes += text;
}

template <class T>
void put(std::string& bytes, const std::vector<T>& values) {
    if constexpr (std::is_arithmetic_v<T>) {
        put(bytes, std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
    } else {
        put(bytes, static_cast<std::uint64_t>(values.size()));
        for (const T& value : values)
            put(bytes, std::string_view(reinterpret_cast<const char*>(value.data()), value.size()));
    }
}

class TableReader {
public:
    TableReader(std::string_view bytes, const std::string& source) : rest_(bytes), source_(source) {}

    Table read() {
        Table table{.source = source_, .time = numbers<double>()};
        const auto count = number<std::uint64_t>();
        for (std::uint64_t i = 0; i < count; ++i) {
            TableColumn column{std::string(text()), std::string(text()), {}};
            column.constant = number<std::uint8_t>() != 0;
            column.values = value(number<std::uint8_t>());
            const std::size_t rows = std::visit([](const auto& values) { return values.size(); }, column.values);
            if (rows != table.time.size()) refuse();
            table.columns.push_back(std::move(column));
        }
        if (!rest_.empty()) refuse();
        return table;
    }

    [[nodiscard]] std::string_view text() { return take(number<std::uint64_t>()); }

private:
    [[noreturn]] void refuse() const {
        throw base::Error("bad-result", source_, "the process that read it gave no table: the file is damaged");
    }
    std::string_view take(std::uint64_t size) {
        if (size > rest_.size()) refuse();
        const std::string_view taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }
    template <class T>
    T number() {
        T value{};
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    template <class T>
    std::vector<T> numbers() {
        const std::string_view bytes = text();
        if (bytes.size() % sizeof(T) != 0) refuse();
        std::vector<T> values(bytes.size() / sizeof(T));
        if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
    template <class T>
    std::vector<T> texts() {
        const auto count = number<std::uint64_t>();
        if (count > rest_.size() / sizeof(std::uint64_t)) refuse();
        std::vector<T> values;
        values.reserve(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::string_view bytes = text();
            values.emplace_back(bytes.begin(), bytes.end());
        }
        return values;
    }
    core::Value value(std::uint8_t kind) {
        switch (kind) {
            case 0:
                return numbers<double>();
            case 1:
                return numbers<std::int64_t>();
            case 2:
                return numbers<std::uint64_t>();
            case 3:
                return numbers<std::uint8_t>();
            case 4:
                return texts<core::ByteString>();
            case 5:
                return texts<std::string>();
            default:
                refuse();
        }
    }

    std::string_view rest_;
    std::string source_;
};

/// A file in memory that two processes see.
class Passage {
public:
    Passage() : file_(memfd_create("table", MFD_CLOEXEC)) {}
    ~Passage() {
        if (mapped_ != nullptr) munmap(mapped_, size_);
        if (file_ >= 0) ::close(file_);
    }
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;

    [[nodiscard]] bool write(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t count = ::write(file_, bytes.data(), bytes.size());
            if (count <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
        return true;
    }
    [[nodiscard]] std::string_view content() {
        struct stat status {};
        if (fstat(file_, &status) != 0 || status.st_size <= 0) return {};
        size_ = static_cast<std::size_t>(status.st_size);
        void* const mapped = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file_, 0);
        if (mapped == MAP_FAILED) return {};
        mapped_ = mapped;
        return {static_cast<const char*>(mapped_), size_};
    }

private:
    int file_;
    void* mapped_ = nullptr;
    std::size_t size_ = 0;
};

/// Enough for a file whose values are packed, and not all there is.
void limit_memory([[maybe_unused]] std::uintmax_t file_size) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    constexpr rlim_t least = 4ULL << 30U;
    const rlim_t most = std::max<rlim_t>(least, 64 * file_size);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_AS, &limit);
#endif
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
}

/// In the process of its own.
int read_and_pass_on(const std::filesystem::path& file, std::uintmax_t size, const Passage& passage) {
    limit_memory(size);
    try {
        return passage.write(bytes_of(read_result(file))) ? 0 : 1;
    } catch (const base::Error& error) {
        std::string bytes;
        put(bytes, std::string_view(error.what()));
        return passage.write(bytes) ? refused : 1;
    }
}

}  // namespace

std::string bytes_of(const Table& table) {
    std::string bytes;
    put(bytes, table.time);
    put(bytes, static_cast<std::uint64_t>(table.columns.size()));
    for (const TableColumn& column : table.columns) {
        put(bytes, std::string_view(column.name));
        put(bytes, std::string_view(column.unit));
        put(bytes, static_cast<std::uint8_t>(column.constant));
        put(bytes, static_cast<std::uint8_t>(column.values.index()));
        std::visit([&](const auto& values) { put(bytes, values); }, column.values);
    }
    return bytes;
}

Table table_from(std::string_view bytes, const std::string& source) { return TableReader(bytes, source).read(); }

Table read_foreign_result(const std::filesystem::path& file, std::chrono::duration<double> longest) {
    std::error_code failure;
    const std::uintmax_t size = std::filesystem::file_size(file, failure);
    if (failure || file.extension() == ".csv") return read_result(file);
    if (longest.count() <= 0)
        longest = std::chrono::duration<double>(10 + static_cast<double>(size) / bytes_per_second);
    Passage passage;
    base::ChildProcess child([&] { return read_and_pass_on(file, size, passage); });
    const std::optional<int> end = child.wait(longest);
    const auto damaged = [&](const std::string& text) {
        return base::Error("bad-result", file.string(), text + ": the file is damaged");
    };
    if (!end)
        throw damaged(
            fmt::format("the library that reads it does not come to an end within {:.3g} s", longest.count()));
    if (*end == 0) return table_from(passage.content(), file.string());
    if (*end == refused)
        throw base::Error("bad-result", file.string(),
                          std::string(TableReader(passage.content(), file.string()).text()));
    throw damaged(*end < 0 ? "the library that reads it crashes" : "its values do not fit into memory");
}

}  // namespace master::results
