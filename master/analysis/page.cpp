#include "master/analysis/page.hpp"

#include "master/base/printable.hpp"
#include "master/report/style.hpp"

#include <fmt/format.h>

namespace master::analysis {
namespace {

using base::printable_html;

constexpr const char* zoom_script = R"(<script>
for (const svg of document.querySelectorAll('figure.zoom svg')) {
  const whole = svg.getAttribute('viewBox');
  const at = e => { const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse()); return p; };
  let from = null, box = null;
  svg.addEventListener('pointerdown', e => {
    from = at(e);
    box = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    box.setAttribute('class', 'zoombox');
    svg.append(box);
    svg.setPointerCapture(e.pointerId);
  });
  svg.addEventListener('pointermove', e => {
    if (!from) return;
    const to = at(e);
    box.setAttribute('x', Math.min(from.x, to.x)); box.setAttribute('y', Math.min(from.y, to.y));
    box.setAttribute('width', Math.abs(to.x - from.x)); box.setAttribute('height', Math.abs(to.y - from.y));
  });
  svg.addEventListener('pointerup', e => {
    if (!from) return;
    const to = at(e), w = Math.abs(to.x - from.x), h = Math.abs(to.y - from.y);
    if (w > 4 && h > 4) {
      svg.setAttribute('viewBox', [Math.min(from.x, to.x), Math.min(from.y, to.y), w, h].join(' '));
      svg.setAttribute('preserveAspectRatio', 'none');
    }
    box.remove(); from = null;
  });
  svg.addEventListener('dblclick', () => { svg.setAttribute('viewBox', whole); svg.removeAttribute('preserveAspectRatio'); });
}
</script>)";

constexpr const char* more_style =
    "figure.zoom svg{touch-action:none;cursor:crosshair}figure.zoom path{vector-effect:non-scaling-stroke}"
    ".zoombox{fill:var(--accent);fill-opacity:.15;stroke:var(--accent)}"
    ".plots figure.wide{grid-column:1/-1}figure.wide svg{max-width:48rem}"
    "@media print{.plots{grid-template-columns:1fr 1fr}figure.wide svg{max-width:34rem}table{font-size:9.5px}"
    "td code{font-size:9px}td,th{padding-right:5px}td:last-child{min-width:12em}}";

}  // namespace

Page::Page(std::string_view title, std::string_view subtitle) {
    out_ = fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\"><title>{0}</title><style>{1}{2}</style></head>\n<body><main>"
        "<header><h1>{0}</h1>{3}</header>\n",
        printable_html(title), report::style, more_style,
        subtitle.empty() ? "" : fmt::format("<p class=\"quiet\">{}</p>", printable_html(subtitle)));
}

void Page::facts(const report::Facts& facts) {
    end_section();
    out_ += "<section class=\"summary\"><dl>";
    for (const auto& [label, text] : facts)
        out_ += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", printable_html(label), printable_html(text));
    out_ += "</dl></section>\n";
}

void Page::begin(std::string_view heading) {
    end_section();
    section_ = true;
    out_ += fmt::format("<section><h2>{}</h2>", printable_html(heading));
}

void Page::paragraph(std::string_view text) {
    end_figures();
    out_ += fmt::format("<p class=\"quiet\">{}</p>", printable_html(text));
}

void Page::list(const std::vector<std::string>& items) {
    end_figures();
    out_ += "<ul class=\"remarks\">";
    for (const std::string& item : items) out_ += fmt::format("<li>{}</li>", printable_html(item));
    out_ += "</ul>";
}

void Page::table(const PageTable& table) {
    end_figures();
    out_ += "<div class=\"scroll\"><table><thead><tr>";
    for (const PageTable::Column& column : table.columns)
        out_ += fmt::format("<th{}>{}", column.number ? " class=\"n\"" : "", printable_html(column.title));
    out_ += "</tr></thead><tbody>";
    for (const auto& row : table.rows) {
        out_ += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i) {
            const PageTable::Column& column = table.columns[i];
            const std::string text = printable_html(row[i]);
            out_ += fmt::format("<td{}>{}", column.number ? " class=\"n\"" : "",
                                column.code ? "<code>" + text + "</code>" : text);
        }
        out_ += "</tr>";
    }
    out_ += "</tbody></table></div>";
}

void Page::figure(std::string_view title, const report::Plot& plot) {
    std::string caption = fmt::format("<h3>{}</h3>", printable_html(title));
    for (std::size_t i = 0; i < plot.series.size(); ++i)
        caption += fmt::format("<span class=\"key\"><i class=\"fill{}\"></i>{}</span>", i % report::colours,
                               printable_html(plot.series[i].label));
    if (!figures_) out_ += "<div class=\"plots\">";
    figures_ = true;
    out_ += fmt::format("<figure class=\"zoom\"><figcaption>{}</figcaption>{}</figure>", caption, report::svg(plot));
}

void Page::drawing(std::string_view title, std::string_view svg) {
    if (!figures_) out_ += "<div class=\"plots\">";
    figures_ = true;
    out_ += fmt::format("<figure class=\"wide\"><figcaption><h3>{}</h3></figcaption>{}</figure>", printable_html(title),
                        svg);
}

void Page::end_figures() {
    if (figures_) out_ += "</div>";
    figures_ = false;
}

void Page::end_section() {
    end_figures();
    if (section_) out_ += "</section>\n";
    section_ = false;
}

std::string Page::html() const {
    std::string text = out_;
    if (figures_) text += "</div>";
    if (section_) text += "</section>\n";
    return text + "</main>" + zoom_script + "</body></html>\n";
}

}  // namespace master::analysis
