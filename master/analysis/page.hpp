#pragma once

#include "master/report/plot.hpp"
#include "master/report/report.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace master::analysis {

/// A table of a page. Cells are plain text; numbers are aligned to the right.
struct PageTable {
    struct Column {
        std::string title;
        bool number = false;
        bool code = false;
    };
    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows;
};

/// A self-contained HTML page in the style of the run's report, put together from top to bottom. Plots are enlarged
/// by dragging over them and put back by a double click; without scripts they are still plots.
class Page {
public:
    Page(std::string_view title, std::string_view subtitle);

    void facts(const report::Facts& facts);
    void begin(std::string_view heading);  // a section; the one before ends
    void paragraph(std::string_view text);
    void list(const std::vector<std::string>& items);
    void table(const PageTable& table);
    void figure(std::string_view title, const report::Plot& plot);
    void drawing(std::string_view title, std::string_view svg);

    [[nodiscard]] std::string html() const;

private:
    void end_figures();
    void end_section();

    std::string out_;
    bool section_ = false, figures_ = false;
};

}  // namespace master::analysis
