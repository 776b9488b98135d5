#include "master/fmi/library/python_library.hpp"

#include "master/base/error.hpp"
#include "master/fmi/library/search_path.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

namespace master::fmi {
namespace {

bool is_here(const std::string& name) { return find_shared_library(name, {}, {}).has_value(); }

/// Folder and file name of the shared library that belongs to the interpreter on the PATH. Isolated (-I): neither the
/// working directory, where somebody's files may lie, nor the environment says what it imports.
std::string of_interpreter() {
    constexpr auto question =
        "python3 -I -c 'import sysconfig as s; print(s.get_config_var(\"LIBDIR\") + \"/\" + "
        "s.get_config_var(\"INSTSONAME\"))' 2>/dev/null";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> answer(popen(question, "r"), &pclose);
    std::string path(4096, '\0');
    if (!answer || std::fgets(path.data(), static_cast<int>(path.size()), answer.get()) == nullptr) return {};
    path.resize(path.find('\n') == std::string::npos ? 0 : path.find('\n'));
    return path;
}

}  // namespace

bool wants_python(const SharedObject& object) {
    const bool brings_it = std::ranges::any_of(
        object.needed, [](const std::string& name) { return name.find("libpython") != std::string::npos; });
    return !brings_it && std::ranges::count(object.undefined, "PyObject_CallMethod") +
                                 std::ranges::count(object.undefined, "Py_Initialize") +
                                 std::ranges::count(object.undefined, "_Py_NoneStruct") >
                             0;
}

std::string python_library_for(const SharedObject& object, const std::string& fmu) {
    if (!wants_python(object)) return {};
    std::string stated = of_interpreter();
    if (!stated.empty() && is_here(stated)) return stated;
    std::string name = stated.substr(stated.find_last_of('/') + 1);
    if (!name.empty() && is_here(name)) return name;
    constexpr int newest = 30, oldest = 6;
    for (int minor = newest; minor >= oldest; --minor) {
        std::string versioned = "libpython3." + std::to_string(minor) + ".so.1.0";
        if (is_here(versioned)) return versioned;
    }
    throw base::Error(
        "bad-library", fmu,
        "the unit is written in Python and needs the interpreter's shared library, which is not installed: " +
            (name.empty() ? "libpython3.*.so.1.0" : name) + " (Debian: libpython3.x)");
}

}  // namespace master::fmi
