#include "fmus/common/declaring/variable.hpp"

#include <stdexcept>

namespace fmus {

Declaration& Declaration::describe(std::string_view text) { return variable_.description = text, *this; }
Declaration& Declaration::min(double value) { return variable_.minimum = value, *this; }
Declaration& Declaration::max(double value) { return variable_.maximum = value, *this; }
Declaration& Declaration::nominal(double value) { return variable_.nominal = value, *this; }
Declaration& Declaration::dimensions(std::initializer_list<Dimension> extents) {
    return variable_.dimensions = extents, *this;
}
Declaration& Declaration::tunable() { return variable_.variability = Variability::tunable, *this; }
Declaration& Declaration::discrete() { return variable_.variability = Variability::discrete, *this; }
Declaration& Declaration::constant() {
    variable_.variability = Variability::constant;
    return exact();
}
Declaration& Declaration::exact() { return variable_.initial = Initial::exact, *this; }
Declaration& Declaration::approx() { return variable_.initial = Initial::approx, *this; }

Declaration& Declaration::depends_on(Names names) {
    return variable_.depends.emplace(names.begin(), names.end()), *this;
}
Declaration& Declaration::depends_on(const std::vector<std::string>& names) { return variable_.depends = names, *this; }
Declaration& Declaration::depends_at_start_on(Names names) {
    return variable_.depends_at_start.emplace(names.begin(), names.end()), *this;
}
Declaration& Declaration::of_clocks(Names names) { return variable_.clocks.assign(names.begin(), names.end()), *this; }
Declaration& Declaration::of_clocks(const std::vector<std::string>& names) { return variable_.clocks = names, *this; }
Declaration& Declaration::previous(std::string_view name) { return variable_.previous = name, *this; }
Declaration& Declaration::slope(Cells rate) { return variable_.slope = rate, *this; }

Declaration& Declaration::binary(std::string_view mime_type, std::size_t max_bytes) {
    if (variable_.type != Type::uint8) throw std::logic_error(variable_.name + ": only bytes can be binary");
    variable_.type = Type::binary;
    variable_.mime_type = mime_type;
    variable_.max_bytes = max_bytes;
    variable_.dimensions.clear();
    variable_.cells = scalar_cell(*static_cast<Bytes*>(variable_.cells.object));
    return *this;
}
Declaration& Declaration::part(const Part& part) { return variable_.part = &part, *this; }

}  // namespace fmus
