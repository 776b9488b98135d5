#include "interfaces/canopen/files/eds_writer.hpp"

#include "interfaces/canopen/slave/pdo.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <functional>

namespace interfaces::canopen {
namespace {

const char* access_name(Access access) {
    static constexpr std::array<const char*, 6> names{"ro", "wo", "rw", "rwr", "rww", "const"};
    return names[static_cast<std::size_t>(access)];
}

std::string hexadecimal(std::uint64_t number, int digits = 1) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%0*llX", digits, static_cast<unsigned long long>(number));
    return text.data();
}

/// The shortest decimal that is read back as the same number; unsigned numbers in hexadecimal from 10 on.
std::string number_text(Type type, std::uint64_t raw) {
    std::array<char, 32> text{};
    std::to_chars_result result{};
    if (type == Type::real32)
        result = std::to_chars(text.data(), text.data() + text.size(), static_cast<float>(value_of(type, raw)));
    else if (type == Type::real64)
        result = std::to_chars(text.data(), text.data() + text.size(), value_of(type, raw));
    else if (is_signed(type))
        result = std::to_chars(text.data(), text.data() + text.size(), signed_number(type, raw));
    else
        return raw < 10 ? std::to_string(raw) : "0x" + hexadecimal(raw);
    return {text.data(), result.ptr};
}

class EdsWriter {
public:
    explicit EdsWriter(const Dictionary& dictionary) : dictionary_(dictionary) {}

    std::string write(const EdsHead& head) {
        write_head(head);
        write_device(head);
        section("DummyUsage");
        for (int i = 1; i <= 7; ++i) line("Dummy000" + std::to_string(i), "0");
        section("Comments");
        line("Lines", "0");
        const auto is_mandatory = [](std::uint16_t index) {
            return index == 0x1000 || index == 0x1001 || index == 0x1018;
        };
        const auto is_manufacturer = [](std::uint16_t index) { return index >= 0x2000 && index < 0x6000; };
        write_list("MandatoryObjects", is_mandatory);
        write_list("OptionalObjects",
                   [&](std::uint16_t index) { return !is_mandatory(index) && !is_manufacturer(index); });
        write_list("ManufacturerObjects", is_manufacturer);
        for (const Object& object : dictionary_.objects()) write_object(object);
        return std::move(text_);
    }

private:
    void section(const std::string& name) { text_ += (text_.empty() ? "[" : "\r\n[") + name + "]\r\n"; }
    void line(const std::string& key, const std::string& value) { text_ += key + "=" + value + "\r\n"; }

    void write_head(const EdsHead& head) {
        section("FileInfo");
        line("FileName", head.file_name);
        line("FileVersion", "1");
        line("FileRevision", "1");
        line("EDSVersion", "4.0");
        line("Description", head.description);
        for (const char* action : {"Creation", "Modification"}) {
            line(std::string(action) + "Time", head.creation_time);
            line(std::string(action) + "Date", head.creation_date);
        }
        line("CreatedBy", head.created_by);
        line("ModifiedBy", head.created_by);
    }

    void write_device(const EdsHead& head) {
        const auto identity = [&](std::uint8_t sub) {
            const Entry* entry = dictionary_.find({0x1018, sub});
            return "0x" + hexadecimal(entry != nullptr ? entry->initial : 0, 8);
        };
        const auto count = [&](std::uint16_t first) {
            return std::to_string(std::ranges::count_if(dictionary_.objects(), [&](const Object& object) {
                return object.index >= first && object.index < first + most_pdos;
            }));
        };
        section("DeviceInfo");
        line("VendorName", head.vendor_name);
        line("VendorNumber", identity(1));
        line("ProductName", head.product_name);
        line("ProductNumber", identity(2));
        line("RevisionNumber", identity(3));
        line("OrderCode", head.product_name);
        for (const char* rate : {"10", "20", "50", "125", "250", "500", "800", "1000"})
            line(std::string("BaudRate_") + rate, "1");
        line("SimpleBootUpMaster", "0");
        line("SimpleBootUpSlave", "1");
        line("Granularity", "8");
        line("DynamicChannelsSupported", "0");
        line("GroupMessaging", "0");
        line("NrOfRXPDO", count(first_rpdo));
        line("NrOfTXPDO", count(first_tpdo));
        line("LSS_Supported", "1");
    }

    void write_list(const char* name, const std::function<bool(std::uint16_t)>& belongs) {
        std::vector<std::uint16_t> indices;
        for (const Object& object : dictionary_.objects())
            if (belongs(object.index)) indices.push_back(object.index);
        section(name);
        line("SupportedObjects", std::to_string(indices.size()));
        for (std::size_t i = 0; i < indices.size(); ++i) line(std::to_string(i + 1), "0x" + hexadecimal(indices[i], 4));
    }

    void write_object(const Object& object) {
        const auto entries = dictionary_.entries_of(object.index);
        section(hexadecimal(object.index, 4));
        if (object.kind == ObjectKind::variable || object.kind == ObjectKind::domain) {
            write_entry(entries.front(), static_cast<int>(object.kind));
            return;
        }
        line("ParameterName", object.name);
        line("ObjectType", "0x" + hexadecimal(static_cast<std::uint64_t>(object.kind)));
        line("SubNumber", std::to_string(entries.size()));
        for (const Entry& entry : entries) {
            section(hexadecimal(object.index, 4) + "sub" + hexadecimal(entry.key.sub));
            write_entry(entry, static_cast<int>(ObjectKind::variable));
        }
    }

    void write_entry(const Entry& entry, int kind) {
        line("ParameterName", entry.name);
        line("ObjectType", "0x" + std::to_string(kind));
        line("DataType", "0x" + hexadecimal(static_cast<std::uint64_t>(entry.type), 4));
        line("AccessType", access_name(entry.access));
        if (entry.low) line("LowLimit", number_text(entry.type, *entry.low));
        if (entry.high) line("HighLimit", number_text(entry.type, *entry.high));
        const std::string number = is_number(entry.type) ? number_text(entry.type, entry.initial) : entry.initial_text;
        line("DefaultValue", (entry.adds_node_id ? "$NODEID+" : "") + number);
        line("PDOMapping", entry.mappable ? "1" : "0");
    }

    const Dictionary& dictionary_;
    std::string text_;
};

}  // namespace

std::string eds_text(const Dictionary& dictionary, const EdsHead& head) { return EdsWriter(dictionary).write(head); }

}  // namespace interfaces::canopen
