#include "fmus/common/description/xml_writer.hpp"

namespace fmus {

XmlWriter& XmlWriter::open(std::string_view name) {
    if (!has_content_) text_ += ">\n";
    text_.append(2 * open_.size(), ' ').append("<").append(name);
    open_.emplace_back(name);
    has_content_ = false;
    return *this;
}

XmlWriter& XmlWriter::close() {
    const std::string name = std::move(open_.back());
    open_.pop_back();
    if (!has_content_) {
        text_ += "/>\n";
    } else {
        text_.append(2 * open_.size(), ' ').append("</").append(name).append(">\n");
    }
    has_content_ = true;
    return *this;
}

XmlWriter& XmlWriter::write_attribute(std::string_view name, std::string_view value) {
    text_.append(" ").append(name).append("=\"");
    for (const char c : value) {
        switch (c) {
            case '&':
                text_ += "&amp;";
                break;
            case '<':
                text_ += "&lt;";
                break;
            case '"':
                text_ += "&quot;";
                break;
            case '\n':
                text_ += "&#10;";
                break;
            default:
                text_ += c;
        }
    }
    text_ += '"';
    return *this;
}

}  // namespace fmus
