#include "master/fmi/library/elf.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fstream>

namespace master::fmi {
namespace {

using Image = std::vector<char>;

template <class Record>
std::optional<Record> record_at(const Image& image, std::uint64_t offset) {
    if (offset > image.size() || image.size() - offset < sizeof(Record)) return std::nullopt;
    Record record;
    std::memcpy(&record, image.data() + offset, sizeof(Record));
    return record;
}

std::string text_at(const Image& image, std::uint64_t offset) {
    if (offset >= image.size()) return {};
    const char* begin = image.data() + offset;
    return {begin, strnlen(begin, image.size() - offset)};
}

std::vector<Elf64_Phdr> program_headers(const Image& image, const Elf64_Ehdr& header) {
    std::vector<Elf64_Phdr> found;
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
        const auto entry = record_at<Elf64_Phdr>(image, header.e_phoff + i * sizeof(Elf64_Phdr));
        if (!entry) return {};
        found.push_back(*entry);
    }
    return found;
}

/// Where an address of the loaded object lies in the file.
std::optional<std::uint64_t> file_offset(const std::vector<Elf64_Phdr>& segments, std::uint64_t address) {
    for (const Elf64_Phdr& segment : segments) {
        const bool inside = address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz;
        if (segment.p_type == PT_LOAD && inside) return segment.p_offset + (address - segment.p_vaddr);
    }
    return std::nullopt;
}

std::vector<Elf64_Dyn> dynamic_entries(const Image& image, const std::vector<Elf64_Phdr>& segments) {
    std::vector<Elf64_Dyn> entries;
    for (const Elf64_Phdr& segment : segments) {
        if (segment.p_type != PT_DYNAMIC) continue;
        for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz; at += sizeof(Elf64_Dyn)) {
            const auto entry = record_at<Elf64_Dyn>(image, segment.p_offset + at);
            if (!entry || entry->d_tag == DT_NULL) break;
            entries.push_back(*entry);
        }
    }
    return entries;
}

/// Walks the dynamic symbol table, which the section headers delimit.
void add_symbols(const Image& image, const Elf64_Ehdr& header, SharedObject& object) {
    for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
        const auto section = record_at<Elf64_Shdr>(image, header.e_shoff + i * sizeof(Elf64_Shdr));
        if (!section || section->sh_type != SHT_DYNSYM) continue;
        const auto names = record_at<Elf64_Shdr>(image, header.e_shoff + section->sh_link * sizeof(Elf64_Shdr));
        if (!names) return;
        const std::uint64_t size = std::min<std::uint64_t>(section->sh_size, image.size());
        for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= size; at += sizeof(Elf64_Sym)) {
            const auto symbol = record_at<Elf64_Sym>(image, section->sh_offset + at);
            if (!symbol) return;
            if (symbol->st_name == 0 || ELF64_ST_BIND(symbol->st_info) != STB_GLOBAL) continue;
            const std::string name = text_at(image, names->sh_offset + symbol->st_name);
            if (symbol->st_shndx == SHN_UNDEF) {
                object.undefined.push_back(name);
            } else if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC) {
                object.functions.push_back(name);
            }
        }
        return;
    }
}

}  // namespace

std::optional<SharedObject> read_shared_object(const std::filesystem::path& file) {
    std::error_code failed;
    const auto size = std::filesystem::file_size(file, failed);
    if (failed) return std::nullopt;
    Image image(size);
    if (!std::ifstream(file, std::ios::binary).read(image.data(), static_cast<std::streamsize>(size))) {
        return std::nullopt;
    }
    const auto header = record_at<Elf64_Ehdr>(image, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB) return std::nullopt;

    const auto segments = program_headers(image, *header);
    const auto entries = dynamic_entries(image, segments);
    std::optional<std::uint64_t> names;
    for (const Elf64_Dyn& entry : entries) {
        if (entry.d_tag == DT_STRTAB) names = file_offset(segments, entry.d_un.d_ptr);
    }
    if (!names) return std::nullopt;

    SharedObject object;
    for (const Elf64_Dyn& entry : entries) {
        if (entry.d_tag == DT_NEEDED) object.needed.push_back(text_at(image, *names + entry.d_un.d_val));
        if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH) {
            object.run_path = text_at(image, *names + entry.d_un.d_val);
        }
    }
    add_symbols(image, *header, object);
    return object;
}

}  // namespace master::fmi
