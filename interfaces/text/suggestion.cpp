#include "interfaces/text/suggestion.hpp"

#include "interfaces/text/text.hpp"

namespace interfaces::text {

std::string suggestion(const std::string& wrong, const std::vector<std::string>& known) {
    if (known.empty()) return "; there are none";
    if (const std::string near = closest(wrong, known); !near.empty()) return "; did you mean '" + near + "'?";
    std::string text = "; known:";
    for (const std::string& name : known) text += " " + name;
    return text;
}

}  // namespace interfaces::text
