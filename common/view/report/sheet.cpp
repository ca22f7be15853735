#include "common/view/report/sheet.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace ridge::report {
namespace {

/// So that the type is still read where a sheet has 700 px for it.
constexpr float kFrontChartWidth = 920, kFrontFont = 13;
/// 7 points where the chart is as wide as a sheet of A4 between its margins.
constexpr float kLeastFrontFont = 12.3f;
/// Six comparisons, a line each; the ladder beside them, and alone.
constexpr float kFrontForestHeight = 230, kSharedHeight = 350, kAloneHeight = 440;
/// A long text moves what follows to a second sheet: under this height bars cannot be read.
constexpr float kLeastHeight = 230;

/// What page 1 may be high in the charts' own pixels: a sheet of US letter, which is shorter than A4.
constexpr float kSheetHeight = 1190;
constexpr float kLine = 20, kSmallLine = 18, kHead = 38;

float lines_of(const std::string& text, float letters) {
  return std::ceil(std::max<float>(1, static_cast<float>(text.size())) / letters);
}

/// All words of a section, in a column of so many letters.
float words_height(const Section& section, float letters) {
  constexpr float kCommandLetters = 120;
  float height = kHead;
  for (const auto* texts : {&section.paragraphs, &section.bullets})
    for (const std::string& text : *texts) height += kLine * lines_of(text, letters);
  for (const std::string& text : section.commands)
    height += kSmallLine * lines_of(text, kCommandLetters);
  if (section.table && !section.table_behind)
    height += 1.4f * kLine * static_cast<float>(section.table->rows.size() + 1);
  return height;
}

/// The lines that stand under the headline's figure, whose letters are large, where they have no room beside it.
float headline_lines(const Headline& headline, float letters) {
  constexpr float kLarge = 2.2f, kWide = 1.2f;  // of the figure, and of the interval's type
  const float figure = kLarge * static_cast<float>(headline.figure.size());
  const std::string beside = headline.interval + headline.decision;
  if (figure + kWide * static_cast<float>(beside.size()) <= letters) return 0;
  return lines_of(beside, letters / kWide);
}

/// The line under page 1, which names its files.
float made_lines(const Report& report) {
  constexpr float kWords = 115, kLetters = 135;  // of a smaller type
  size_t names = 0;
  for (const Input& input : report.inputs) names += input.name.size();
  return std::ceil((kWords + static_cast<float>(names)) / kLetters);
}

/// The words of page 1: title, headline and sections; machine and caveats stand side by side.
float words_height(const Report& report) {
  constexpr float kLetters = 125, kMachineLetters = 50, kCaveatLetters = 75, kFactLetters = 24;
  constexpr float kTitle = 70, kBox = 66, kMade = 24;
  float height = kTitle + kBox + kMade + kLine * lines_of(report.lead, kLetters);
  height += kLine * headline_lines(report.headline, kLetters);
  height += kSmallLine * (made_lines(report) - 1);
  if (!report.rest.empty()) height += kLine * lines_of(report.rest, kLetters);
  if (!report.about.empty()) height += kSmallLine * lines_of(report.about, kLetters);
  height += kLine * (lines_of(report.subtitle, kLetters) - 1);  // the title has room for one
  constexpr size_t kFactsInRow = 5;
  for (size_t i = 0; i < report.headline.facts.size(); i += kFactsInRow) {
    float most = 0;
    for (size_t k = i; k < std::min(report.headline.facts.size(), i + kFactsInRow); ++k)
      most = std::max(most, lines_of(report.headline.facts[k].second, kFactLetters));
    height += kLine * (most + 1);
  }
  float beside = 0;
  for (const Section& section : report.front) {
    if (section.id == "machine") {
      beside = std::max(beside, words_height(section, kMachineLetters));
    } else if (section.id == "caveats") {
      beside = std::max(beside, words_height(section, kCaveatLetters));
    } else {
      height += words_height(section, kLetters);
    }
  }
  return height + beside;
}

const Section* front_chart(const Report& report, const char* id) {
  for (const Section& section : report.front) {
    if (section.id == id && section.chart) return &section;
  }
  return nullptr;
}

/// What the ladder's chart has of the sheet; ladder, comparisons and words share it.
float climb_height(const Report& report) {
  const Section* compared = front_chart(report, "compared");
  const float most = compared ? kSharedHeight : kAloneHeight;
  const float forest = compared ? front_scene(*compared->chart, kFrontForestHeight).height : 0;
  return std::min(most, kSheetHeight - words_height(report) - forest);
}

}  // namespace

chart::Scene front_scene(const chart::ChartModel& model, float most) {
  chart::LayoutOptions options;
  options.width = kFrontChartWidth;
  options.font_px = kFrontFont;
  options.is_paper = true;
  options.least_px = kLeastFrontFont;
  chart::Scene scene = chart::layout(model, options);
  if (scene.height > most) {
    options.height = most;
    scene = chart::layout(model, options);
  }
  return scene;
}

std::optional<float> front_height(const Report& report, const Section& section) {
  if (&section == front_chart(report, "compared")) return kFrontForestHeight;
  if (&section != front_chart(report, "climb")) return std::nullopt;
  return std::max(kLeastHeight, climb_height(report));
}

bool fits_one_sheet(const Report& report) {
  const Section* climb = front_chart(report, "climb");
  if (!climb) return kSheetHeight > words_height(report);
  return climb_height(report) >= front_scene(*climb->chart, kLeastHeight).height;
}

namespace {

/// What page 1 has no room for begins the appendix.
void move_to_appendix(Report* report, Section section) {
  section.part = Part::results;
  report->sections.insert(report->sections.begin(), std::move(section));
}

/// The words are explained where there is room, else in the appendix.
void fit_words(Report* report) {
  const auto words = std::find_if(report->front.begin(), report->front.end(),
                                  [](const Section& one) { return one.id == "words"; });
  if (words == report->front.end() || fits_one_sheet(*report)) return;
  Section moved = std::move(*words);
  report->front.erase(words);
  move_to_appendix(report, std::move(moved));
}

}  // namespace

void fit_one_sheet(Report* report) {
  constexpr size_t kLeastCaveats = 3;
  fit_words(report);
  const auto caveats = std::find_if(report->front.begin(), report->front.end(),
                                    [](const Section& one) { return one.id == "caveats"; });
  if (caveats == report->front.end()) return;
  size_t kept = caveats->bullets.size();
  std::vector<std::string> moved;
  for (; kept > kLeastCaveats && !fits_one_sheet(*report); --kept) {
    moved.insert(moved.begin(), std::move(caveats->bullets.back()));
    caveats->bullets.pop_back();
  }
  if (moved.empty()) return;
  caveats->title = "Read with care (more in the appendix)";
  const auto known = std::find_if(report->sections.begin(), report->sections.end(),
                                  [](const Section& one) { return one.id == "more-caveats"; });
  if (known != report->sections.end()) {
    known->bullets.insert(known->bullets.begin(), moved.begin(), moved.end());
    return;
  }
  move_to_appendix(
      report,
      {.id = "more-caveats", .title = "Read with care, continued", .bullets = std::move(moved)});
}

}  // namespace ridge::report
