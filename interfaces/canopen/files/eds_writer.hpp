#pragma once

#include "interfaces/canopen/dictionary.hpp"

#include <string>

namespace interfaces::canopen {

/// What the head of an EDS says beside the objects.
struct EdsHead {
    std::string file_name, description, vendor_name, product_name, created_by;
    std::string creation_date = "01-01-2026", creation_time = "12:00AM";  // the same whenever it is written
};

/// An electronic data sheet (CiA 306) of these objects; lines end in CR LF, as usual.
[[nodiscard]] std::string eds_text(const Dictionary& dictionary, const EdsHead& head);

}  // namespace interfaces::canopen
