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
h3{font-size:17px;line-height:1.3;font-weight:650;margin:0 0 10px}
p{margin:0 0 12px;max-width:74ch}
.sub{color:var(--muted);margin:0 0 32px}
section{margin-top:44px}
.front section{margin-top:32px}
.front p,.front li{max-width:96ch}
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
.note{color:var(--muted);font-size:14px;margin:8px 0 0}
h2.appendix{margin:64px 0 8px}
.front{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,3fr);column-gap:40px}
.front>*{grid-column:1/-1}
#machine{grid-column:1}#caveats{grid-column:2}
@media screen and (max-width:800px){#machine,#caveats{grid-column:1/-1}}
.part{border-top:1px solid var(--grid);padding:14px 0;margin:0}
.part>summary{color:var(--text);font-size:17px;font-weight:600;width:auto}
.holds{display:block;color:var(--muted);font-size:14px;font-weight:450}
.part>section:first-of-type{margin-top:28px}
ul{margin:12px 0 0;padding-left:20px}
li{margin:2px 0}
code,pre{font:450 14px/1.7 'JetBrains Mono',ui-monospace,Menlo,Consolas,monospace}
.word{white-space:nowrap}
pre{background:var(--panel);border-radius:8px;padding:16px 20px;margin:0;white-space:pre-wrap;
overflow-wrap:anywhere}
.paper{display:none}
.about{color:var(--muted);margin:-22px 0 18px}
.switch{display:block;color:var(--muted);font-size:14px;margin:0 0 28px;cursor:pointer}
.verdict .rest{font-size:15px;color:var(--muted);margin:20px 0 0}
footer,.made{margin-top:64px;color:var(--muted);font-size:14px}
.made{grid-column:1/-1;margin-top:28px}
)";

/// Paper: page 1, and of the appendix what the reader has unfolded; all of it where the box in the page's head is ticked. Nothing
/// scrolls there, so nothing may be wider than the sheet: cells wrap, charts shrink. A short table stays whole, of a longer
/// one no fewer than four rows stand on a page; a handout's columns have no room for that. In the tables of results the
/// figures stand in place of their charts.
constexpr const char* kPrintStyle = R"(
@page{margin:6mm 12mm}
@media print{
body{font-size:11px;line-height:1.34}
main.handout{zoom:.9}
main,.handout{max-width:none;padding:0}
p,.front p,.front li,.handout p,.handout li{max-width:none}
p{margin:0 0 5px}
h1{font-size:21px;margin:0 0 2px}
h2{font-size:14px;margin:0 0 4px}
h3{font-size:13px;margin:0 0 4px}
h1,h2,h3,summary,thead{break-after:avoid}
thead,.verdict,#again,li,blockquote,.machines,.diff{break-inside:avoid}
.front p{orphans:3;widows:3}
.switch,.made .told{display:none}
.report .about{font-size:10.5px;line-height:1.2;margin:-6px 0 4px}
.part section:has(>.scroll,>figure)>p:not(.note){break-inside:avoid;break-after:avoid}
summary{width:auto;overflow-wrap:anywhere}
.over,.sub,.note,.holds,footer,.made,summary,dt,th,td.none{font-size:10.5px}
.over{display:none}.sub{margin:0 0 8px}
section{margin-top:7px}
.report h1{font-size:19px;line-height:1.15;margin:0}
.report .sub{line-height:1.2;margin:0 0 7px}
.front section{margin-top:4px}
.front h2{line-height:1.15;margin:0 0 1px}
.front p{margin:0 0 2px}
.front p,.front li,.front td{line-height:1.1}
.front ul{margin:1px 0 0}
.front pre{padding:1px 0;line-height:1.22}
.front .verdict p{line-height:1.17}
.front .made{margin-top:2px}
li{margin:0}
.front{column-gap:24px}
.verdict,figure,pre,details{border:0;background:none}
.verdict{border:1px solid var(--grid);padding:4px 12px;margin-right:1px}
.verdict .rest{font-size:10.5px;margin:3px 0 0}
.verdict .row{margin-bottom:1px}
.verdict p{font-size:11.5px}
.big{font-size:20px}
.interval,td.figure,code,pre{font-size:9.5px}
dl{grid-template-columns:repeat(5,1fr);gap:2px 14px;margin:3px 0 0}
dd{font-size:10.5px}
dd,td{overflow-wrap:anywhere}
.scroll,figure{overflow:visible}
figure{margin:0;padding:0;break-inside:avoid}
figure svg,.handout figure svg{min-width:0;max-width:100%}
table{margin:4px 0 0}
th,td{padding:2px 10px 2px 0}
td{font-size:10.5px}
tr,main:not(.handout) table:not(:has(tbody tr:nth-child(13))){break-inside:avoid}
main:not(.handout) tbody tr:nth-child(-n+3),
main:not(.handout) tbody tr:nth-last-child(-n+4):not(:last-child){break-after:avoid}
.prose td.label,.prose th:first-child{width:110px}
pre{padding:4px 0;line-height:1.4}
ul{margin:4px 0 0;padding-left:16px}
footer{margin-top:16px}
.made{margin-top:5px}
h2.appendix{display:none;margin:0;break-before:page}
body:has(#everything:checked) h2.appendix,body:has(.part[open]) h2.appendix{display:block}
body:has(#everything:checked) .unprinted{display:none}
.part{border:0;padding:0}
.part>section:first-of-type{margin-top:4px}
.flows{font-size:10.6px;line-height:1.15}
.flows .big{font-size:17px}
.front.flows .verdict{padding:3px 10px}
.front.flows h2{font-size:13px;margin:0}
.front.flows pre{font-size:9.2px;line-height:1.1}
.front.flows section{margin-top:3px}
.front.flows .made{margin:0;line-height:1.1}
.paper{display:inline}
details.behind:not([open]){display:none}
.part .behind::details-content,body:has(#everything:checked) .part::details-content{display:block;
content-visibility:visible}
.part .behind:not([open]){display:block}
.part .behind>summary{display:none}
.part>summary{font-size:13px}
.part:not([open]){display:none}
body:has(#everything:checked) .part{display:block}
.part>summary .holds{display:none}
.results figure{display:none}
.results td{padding:1px 10px 1px 0;line-height:1.2}
.results>section:last-of-type tbody tr:nth-last-child(-n+20){break-before:avoid}
.part table:not(.prose) td.label{width:28%}
.part>summary{list-style:none}
.handout{font-size:9.7px;line-height:1.2}
.handout .flow{columns:2;column-gap:22px}
.handout .end{break-before:page}
.handout .out{column-span:all;font-weight:650;margin:0 0 4px}
.handout .screen{display:none}
.handout .measured{column-span:all}
.handout .machines td,.handout .machines th{padding:0 10px 0 0;font-size:8.6px;line-height:1}
.handout #recordings,.handout .machines .sub{font-size:7.6px;line-height:1.05;margin:1px 0}
.handout .measured p{margin:0 0 1px}
.handout h2{font-size:12.5px;margin:6px 0 2px}
.handout h3{font-size:11.5px;margin:6px 0 1px}
.handout p{margin:0 0 3px}
.handout ul,.handout ol{margin:2px 0 5px;padding-left:15px}
.handout pre,.handout code{font-size:8.5px}
.handout p code{overflow-wrap:anywhere}
.handout pre{padding:3px 0;line-height:1.35;white-space:pre-wrap}
.handout blockquote{margin:4px 0;padding:0 8px}
.handout table{margin:3px 0}
.handout th,.handout td{font-size:9.5px;padding:1px 7px 1px 0}
.handout figure.diagram svg{max-width:64%}
.handout details{display:none}
div.paper{display:block}
.handout .write{display:inline-block;width:90px;border-bottom:1px solid var(--muted)}
.handout .answers{font-size:9px;line-height:1.2}
.handout .answers h3{font-size:9.6px;margin:3px 0 0}
.handout .answers p{margin:0 0 1px}
.handout .change p{font-size:8.5px;margin:0}
.handout .change pre{font-size:7.4px;line-height:1.25;padding:1px 0;margin:1px 0 5px}
.handout .change pre span{padding:0}
.handout .measured h3:nth-of-type(n+2),.handout .measured figure:nth-of-type(n+2){display:none}
.handout footer{margin-top:2px;font-size:8px}
}
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

/// An article is a report's page 1 with the steps told one by one between: what changed in the code as a diff.
constexpr const char* kArticleStyle = R"(
.rung h2{margin:0 0 4px}
.gain{font-weight:650;margin:0 0 4px}
.gain.faster{color:var(--faster)}.gain.slower{color:var(--slower)}
.gain.apart{color:var(--muted);font-weight:450}
.name{color:var(--muted)}
.rung figure.diagram svg{min-width:0;max-width:600px}
.diff{font-size:13px;line-height:1.5;padding:10px 0;margin:6px 0}
.diff span{display:block;padding:0 16px;white-space:pre-wrap;overflow-wrap:anywhere}
.diff .added{color:var(--faster)}.diff .removed{color:var(--slower)}.diff .cut{color:var(--muted)}
@media print{
.rungs{columns:2;column-gap:22px;margin-top:8px}
.rung{margin-top:0;margin-bottom:9px}
.rung h2{font-size:12.5px}
.rung p{margin:0 0 2px}
.rung .diff{font-size:7.6px;line-height:1.3;padding:1px 0;margin:2px 0}
.rung .diff span{padding:0}
.rung figure.diagram svg{max-width:100%}
}
)";

}  // namespace

std::string html_page(std::string_view kind, const std::string& title, const std::string& main) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      // A page is all in its file: a reader's browser runs and loads nothing, whatever a run's texts hold.
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>";
  out += chart::escape_xml(title) + "</title>\n<style>\n" + chart::theme_css(":root") + kStyle +
         kHandoutStyle + kPrintStyle + kArticleStyle + chart::svg_css() +
         "</style>\n</head>\n<body>\n<main class=\"";
  out += kind;
  return out + "\">\n" + main + "</main>\n</body>\n</html>\n";
}

}  // namespace ridge::report
