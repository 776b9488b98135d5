#pragma once

#include "master/fmi/library/elf.hpp"

#include <string>

namespace master::fmi {

/// Whether a library is such a unit, see below.
[[nodiscard]] bool wants_python(const SharedObject& object);

/// Units written in Python (PythonFMU and its kin) leave the functions of the interpreter undefined and expect a
/// process that has them. Empty for all others; else the shared library of the interpreter that `python3` on the PATH
/// is, or the newest one installed. Throws `Error` when there is none.
[[nodiscard]] std::string python_library_for(const SharedObject& object, const std::string& fmu);

}  // namespace master::fmi
