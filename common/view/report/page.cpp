#include "common/view/report/page.h"

#include "common/view/chart/svg.h"

namespace ridge::report {
namespace {

constexpr const char* kStyle = R"(
*{box-sizing:border-box}
html{color-scheme:light dark}
@media print{html{color-scheme:light}}
body{margin:0;background:var(--canvas);color:var(--text);
font:450 16px/1.6 Inter,system-ui,'Segoe UI',Roboto,sans-serif}
main{max-width:1088px;margin:0 auto;padding:56px 24px 96px}
.over{color:var(--muted);font-size:14px;margin:0 0 8px}
h1{font-size:32px;line-height:1.25;font-weight:650;letter-spacing:-.015em;margin:0 0 6px}
h2{font-size:20px;line-height:1.3;font-weight:650;letter-spacing:-.01em;margin:0 0 12px}
p{margin:0 0 12px;max-width:74ch}
.sub{color:var(--muted);margin:0 0 32px}
section{margin-top:56px}
.verdict{background:var(--panel);border-radius:8px;padding:28px 32px 24px}
.verdict .row{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 20px;margin-bottom:12px}
.big{font-size:40px;line-height:1.15;font-weight:700;letter-spacing:-.02em}
.faster .big{color:var(--faster)}.slower .big{color:var(--slower)}.invalid .big{color:var(--slower)}
.decision{font-weight:600}
.interval{font:500 15px 'JetBrains Mono',ui-monospace,Menlo,Consolas,monospace;color:var(--muted)}
.verdict p{font-size:17px;margin:0}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(164px,1fr));gap:16px 24px;margin:24px 0 0}
dt{color:var(--muted);font-size:13px}
dd{margin:0;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;margin:8px 0 0}
th{font-size:13px;font-weight:500;color:var(--muted);text-align:left;vertical-align:bottom;
padding:6px 20px 8px 0;border-bottom:1px solid var(--grid)}
td{padding:9px 20px 9px 0;border-bottom:1px solid var(--grid);vertical-align:baseline}
th:last-child,td:last-child{padding-right:0}
tbody tr:last-child td{border-bottom:0}
td.figure{font:500 14px/1.5 'JetBrains Mono',ui-monospace,Menlo,Consolas,monospace;
font-variant-numeric:tabular-nums;white-space:nowrap}
td.none{color:var(--muted);font-size:14px}
td.label{font-weight:500}
.prose td.label,.prose th:first-child{width:210px}
.prose td.label{color:var(--muted);font-weight:450}
figure{margin:16px 0 20px;background:var(--panel);border-radius:8px;padding:8px 4px;overflow-x:auto}
figure svg{display:block;width:100%;min-width:720px;height:auto}
details{margin:0 0 20px}
summary{color:var(--muted);font-size:14px;cursor:pointer;width:max-content}
summary:hover{color:var(--text)}
ul{margin:12px 0 0;padding-left:20px}
li{margin:2px 0}
code,pre{font:450 14px/1.7 'JetBrains Mono',ui-monospace,Menlo,Consolas,monospace}
pre{background:var(--panel);border-radius:8px;padding:16px 20px;margin:0;white-space:pre-wrap;
overflow-wrap:anywhere}
footer{margin-top:64px;color:var(--muted);font-size:14px}
@media print{main{max-width:none;padding:0}section{break-inside:avoid;margin-top:32px}
figure,.verdict,pre,details{border:1px solid var(--grid)}}
)";

/// A handout is a text with sources between: larger letters, a narrower column, answers and sources as folded panels.
constexpr const char* kHandoutStyle = R"(
.handout{max-width:960px;font-size:17px}
.handout h2{font-size:22px;margin:52px 0 10px}
.handout h3{font-size:18px;margin:28px 0 8px}
.handout p,.handout li{max-width:72ch;margin:16px 0}
.handout li{margin:2px 0}
.handout h1+.sub{margin:0 0 32px}
.handout pre{line-height:1.6;padding:14px 18px;white-space:pre;overflow-x:auto;tab-size:4}
.handout blockquote{margin:16px 0;padding:2px 18px;border-left:3px solid var(--grid)}
.handout details{margin:10px 0 18px;background:var(--panel);border-radius:8px;padding:10px 18px}
.handout details pre{padding:4px 0;margin:8px 0 0;border:0}
.handout summary{color:var(--text);font-size:17px;font-weight:600}
.handout table{width:auto;margin:14px 0}
.handout td{padding:7px 20px 7px 0;vertical-align:top}
.handout figure svg{min-width:680px}
.handout figure.diagram svg{min-width:0;max-width:600px}
)";

}  // namespace

std::string html_page(std::string_view kind, const std::string& title, const std::string& main) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>";
  out += chart::escape_xml(title) + "</title>\n<style>\n" + chart::theme_css(":root") + kStyle +
         kHandoutStyle + chart::svg_css() + "</style>\n</head>\n<body>\n<main class=\"";
  out += kind;
  return out + "\">\n" + main + "</main>\n</body>\n</html>\n";
}

}  // namespace ridge::report
