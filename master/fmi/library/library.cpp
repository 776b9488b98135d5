#include "master/fmi/library/library.hpp"

#include "master/base/error.hpp"
#include "master/fmi/library/elf.hpp"
#include "master/fmi/library/probe.hpp"
#include "master/fmi/library/python_library.hpp"
#include "master/fmi/library/refusals.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <iterator>
#include <link.h>
#include <vector>

namespace master::fmi {
namespace {

std::string list(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string loader_report(const std::filesystem::path& library, const std::string& loader_text,
                          const InterfaceDescription& interface) {
    std::string text = "the loader says: " + loader_text;
    if (const auto object = read_shared_object(library)) {
        text += "; it needs " + list(object->needed);
        text += object->run_path.empty() ? "; it has no run path" : "; its run path is '" + object->run_path + "'";
    }
    const char* path = std::getenv("LD_LIBRARY_PATH");
    if (path != nullptr && *path != '\0') text += std::string("; LD_LIBRARY_PATH is '") + path + "'";
    text += std::string("; needsExecutionTool is ") + (interface.can.needs_execution_tool ? "true" : "false");
    return text;
}

/// A unit with solvers of its own must find those first. Sanitizers cannot live with that flag.
int own_names_first([[maybe_unused]] const SharedObject& object) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 0;
#else
    return brings_own_solver(object) ? RTLD_DEEPBIND : 0;
#endif
}

std::size_t running_threads() {
    std::error_code failure;
    const std::filesystem::directory_iterator tasks("/proc/self/task", failure);
    return failure ? 1 : static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

/// Where the loader has put it; nowhere if the loader does not say.
base::CodeRange code_of(void* handle) {
    struct Search {
        const link_map* object = nullptr;
        base::CodeRange found;
    } search;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &search.object) != 0) return {};
    const auto look = [](dl_phdr_info* info, std::size_t, void* data) {
        auto& [object, found] = *static_cast<Search*>(data);
        if (info->dlpi_addr != object->l_addr) return 0;
        for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
            const ElfW(Phdr)& part = info->dlpi_phdr[i];
            if (part.p_type == PT_LOAD) found.end = info->dlpi_addr + part.p_vaddr + part.p_memsz;
        }
        found.begin = info->dlpi_addr;
        return 1;
    };
    dl_iterate_phdr(look, &search);
    return search.found;
}

}  // namespace

bool brings_own_solver(const SharedObject& object) {
    return std::ranges::any_of(object.functions, [](const std::string& name) {
        const bool own = name.starts_with("_Z") || name == "_init" || name == "_fini" || name.starts_with("fmi");
        return !own && dlsym(RTLD_DEFAULT, name.c_str()) != nullptr;
    });
}

Library::Library(const std::filesystem::path& file, const std::filesystem::path& folder,
                 const ModelDescription& description, const InterfaceDescription& interface, base::WatchedUnit* loader)
    : file_(file),
      binary_(binary_of(description, interface)),
      prefix_(description.version == Version::fmi2 ? "fmi2" : "fmi3") {
    const std::string missing = missing_binary(folder, description, interface);
    if (!missing.empty()) throw base::Error("bad-library", file.string(), missing);
    const std::filesystem::path path = std::filesystem::absolute(folder / binary_);
    const auto refuse = [&](const std::string& loader_text) {
        throw base::Error("bad-library", file_.string(),
                          "cannot load '" + binary_ + "'; " + loader_report(path, loader_text, interface));
    };
    const SharedObject object = read_shared_object(path).value_or(SharedObject{});
    const std::string python = python_library_for(object, file_.string());
    // What the loader refuses in the helper it may accept here, where more libraries are present.
    if (const ProbeAnswer probed = open_in_helper(path, python); probed.died) refuse(probed.text);
    // An interpreter cannot be unloaded, and its functions must be visible to the modules that it loads itself.
    if (!python.empty() && dlopen(python.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE) == nullptr) refuse(dlerror());
    if (loader != nullptr) loader->library = this;
    handle_ = base::call_watched(
        function_number("dlopen"), +[](const Library*, const char* name, int flags) { return dlopen(name, flags); },
        static_cast<const Library*>(this), path.c_str(), RTLD_NOW | RTLD_LOCAL | own_names_first(object));
    if (handle_ == nullptr) refuse(dlerror());
    code_ = code_of(handle_);
}

/// Code that a thread still runs cannot be unloaded: some FMUs, or libraries they bring (thread pools), leave threads
/// behind. By now those of the master have ended, so any other thread keeps the library.
Library::~Library() {
    if (handle_ == nullptr || running_threads() != 1) return;
    base::call_watched(
        function_number("dlclose"), +[](const Library*, void* handle) { dlclose(handle); },
        static_cast<const Library*>(this), handle_);
}

std::uint32_t Library::number_of(std::string_view name) const {
    return function_number(name) | (prefix_ == "fmi3" ? fmi3_function : 0);
}

AnyFunction Library::find(std::string_view name) const {
    return reinterpret_cast<AnyFunction>(dlsym(handle_, (prefix_ + std::string(name)).c_str()));
}

AnyFunction Library::require(std::string_view name) const {
    const AnyFunction function = find(name);
    if (function == nullptr) {
        throw base::Error(
            "bad-library", file_.string(),
            "'" + binary_ + "' lacks the function " + prefix_ + std::string(name) + ", which this run needs");
    }
    return function;
}

}  // namespace master::fmi
