#include "master/base/diagnostics.hpp"

#include <catch2/catch.hpp>

TEST_CASE("equal remarks are kept once and strict turns ignored things into errors") {
    master::base::Diagnostics diagnostics;
    diagnostics.ignored("ignored", "a.ssd:3", "element x");
    diagnostics.ignored("ignored", "a.ssd:3", "element x");
    CHECK(diagnostics.findings().size() == 1);
    CHECK_FALSE(diagnostics.has_errors());
    diagnostics.strict = true;
    diagnostics.ignored("ignored", "a.ssd:4", "element x");
    CHECK(diagnostics.has_errors());
}
