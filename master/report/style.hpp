#pragma once

namespace master::report {

/// The page's style sheet. Line colours are those of Okabe and Ito, which colour-blind readers can tell apart.
inline constexpr const char* style = R"(
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1c2430;--quiet:#667085;--rule:#e3e6eb;--grid:#eceef2;
--accent:#0072b2;--warning:#b54708;--error:#b42318;
--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc79a7;--c4:#b98300;--c5:#3f9fd6}
@media (prefers-color-scheme:dark){:root{--page:#12161c;--card:#1a2029;--text:#e6e9ee;--quiet:#97a1b0;--rule:#2c3440;
--grid:#262d38;--accent:#56b4e9;--warning:#f0a35e;--error:#ff8a80;
--c0:#56b4e9;--c1:#ff8f4a;--c2:#2fc79b;--c3:#e59cc4;--c4:#f0c24b;--c5:#8ab6f9}}
@media print{:root{color-scheme:light;--page:#fff;--card:#fff;--text:#000;--quiet:#555;--rule:#ccc;--grid:#e8e8e8;
--accent:#0072b2;--warning:#b54708;--error:#b42318;
--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc79a7;--c4:#b98300;--c5:#3f9fd6}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1120px;margin:0 auto;padding:28px 20px 60px}
header{border-left:5px solid var(--accent);padding-left:16px;margin:0 0 22px}
h1{font-size:28px;line-height:1.2;margin:0;font-weight:650;letter-spacing:-.01em}
header p{margin:4px 0 0}
h2{font-size:17px;margin:0 0 12px;font-weight:650}
h3{font:600 13px ui-monospace,"DejaVu Sans Mono",monospace;margin:0}
section{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:18px 20px;margin:0 0 18px}
.quiet{color:var(--quiet)}
code{font:13px ui-monospace,"DejaVu Sans Mono",monospace}
dl,dd{margin:0}
dt{color:var(--quiet);font-size:12px;text-transform:uppercase;letter-spacing:.04em}
dd{font-weight:550;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
.summary dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:14px 24px}
.origin dl>div{display:grid;grid-template-columns:minmax(130px,220px) 1fr;gap:20px;padding:3px 0}
.origin dt{align-self:center;text-transform:none;letter-spacing:0;font-size:13px;overflow-wrap:anywhere}
.origin dd{font:13px ui-monospace,"DejaVu Sans Mono",monospace}
.remarks{list-style:none;margin:0;padding:0}
.remarks li{padding:5px 0 5px 12px;border-left:3px solid var(--rule);margin:6px 0}
.remarks b{font-size:12px;text-transform:uppercase;letter-spacing:.04em;margin-right:6px;color:var(--quiet)}
.remarks .warning{border-color:var(--warning)}.remarks .warning b{color:var(--warning)}
.remarks .error{border-color:var(--error)}.remarks .error b{color:var(--error)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
th{text-align:left;font-weight:600;color:var(--quiet);font-size:12px;padding:4px 14px 6px 0;border-bottom:1px solid var(--rule)}
td{padding:5px 14px 5px 0;border-bottom:1px solid var(--grid);vertical-align:top}
tbody tr:last-child td{border-bottom:0}
.n{text-align:right;white-space:nowrap}
.bar{display:inline-block;width:110px;height:8px;border-radius:4px;background:var(--grid);overflow:hidden;margin-right:6px}
.bar i{display:block;height:100%;background:var(--accent)}
summary{cursor:pointer;color:var(--quiet);margin-bottom:8px}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(440px,1fr));gap:22px 26px}
@media (max-width:560px){.plots{grid-template-columns:1fr}}
.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:16px 22px}
.wide{display:grid;gap:16px}
.body{fill:var(--card);fill-opacity:.82;stroke-width:1.3;stroke-linejoin:round}
.wall{fill:var(--quiet);fill-opacity:.28;stroke:var(--quiet);stroke-width:1}
.dots{fill:none;stroke-width:2.4;stroke-linecap:round;stroke-opacity:.55}
.top{fill:var(--grid);stroke:var(--quiet);stroke-width:.5}.face{fill:var(--accent);fill-opacity:.22;stroke:var(--accent)}
figure{margin:0}
figcaption{display:flex;flex-wrap:wrap;align-items:center;gap:2px 14px;font-size:13px;padding:0 0 4px 4px}
.key{display:inline-flex;align-items:center}
.key i{width:14px;height:3px;border-radius:2px;margin-right:6px;print-color-adjust:exact}
svg{width:100%;height:auto;display:block}
.grid{stroke:var(--grid);fill:none}
.axis{stroke:var(--quiet);fill:none}
.tick,.label{font-size:11px;fill:var(--quiet);font-family:inherit}
.middle{text-anchor:middle}.end{text-anchor:end}
.line{fill:none;stroke-width:1.6;stroke-linejoin:round}
.line0{stroke:var(--c0)}.line1{stroke:var(--c1)}.line2{stroke:var(--c2)}
.line3{stroke:var(--c3)}.line4{stroke:var(--c4)}.line5{stroke:var(--c5)}
.fill0{background:var(--c0)}.fill1{background:var(--c1)}.fill2{background:var(--c2)}
.fill3{background:var(--c3)}.fill4{background:var(--c4)}.fill5{background:var(--c5)}
@media print{@page{size:A4;margin:13mm 12mm}
body{font-size:11px}h1{font-size:20px}h2{font-size:14px}table,figcaption{font-size:10px}code,h3,.origin dd,.origin dt{font-size:10px}dt,th{font-size:9px}
main{max-width:none;padding:0}section{border:0;border-top:1px solid var(--rule);border-radius:0;padding:10px 0;margin:0 0 6px}
.summary dl{grid-template-columns:repeat(4,1fr);gap:8px 16px}.plots{grid-template-columns:1fr 1fr;gap:10px 16px}
.pictures{grid-template-columns:repeat(3,1fr)}.scroll{overflow:visible}dl>div{break-inside:avoid}.chart{display:none}figure.live>svg{display:block!important}figure,tr,li{break-inside:avoid}h2,h3{break-after:avoid}td,th{padding:3px 6px 3px 0}.bar{width:40px}}
)";

}  // namespace master::report
