// What holds the selected rung back, above its part of the lesson: the bottleneck, the evidence, and
// the lever as a link to the rung that pulls it.
#include "app/window/panels/panels.h"
#include "app/window/shell/actions.h"
#include "app/window/teach/study.h"

namespace ridge::window {
namespace {

/// What its evidence is a share of.
const char* metric_of(Bottleneck bottleneck) {
  switch (bottleneck) {
    case Bottleneck::memory_bandwidth:
      return "memory_bandwidth";
    case Bottleneck::launch_overhead:
    case Bottleneck::host_copy:
    case Bottleneck::synchronisation:
      return "latency";
    default:
      return "utilization";
  }
}

}  // namespace

void DiagnosisCard::build(const State& state, const Series& series, const Run& run) {
  diagnosis_ = diagnose(series, run.ceilings(), run.environment());
  next_ = diagnosis_ ? lever_rung(levers_of(*state.selection.lab), series.kernel, *diagnosis_) : "";
  counted_.clear();
  for (const Counter& counter : series.counters) {
    counted_ += (counted_.empty() ? "" : "\n") + counter.name + "  " + format_counter(counter);
  }
  const auto why = series.unavailable.find("counters");
  if (counted_.empty() && why != series.unavailable.end()) {
    counted_ = "No hardware counters: " + why->second;
  }
}

float DiagnosisCard::draw(Ui& ui, const Area& area) {
  const RungView* row = find_row(ui.state.ladder, ui.state.selection.rung);
  if (row == nullptr || row->series == nullptr || row->run == nullptr) return 0;
  if (version_ != ui.state.ladder.version || rung_ != ui.state.selection.rung) {
    version_ = ui.state.ladder.version;
    rung_ = ui.state.selection.rung;
    build(ui.state, *row->series, *row->run);
  }
  if (!diagnosis_) return 0;
  Area rest = area;
  const auto line = [&](const std::string& text, float size, Role role, Face face = Face::body) {
    if (!text.empty()) rest.take_top(ui.paragraph(rest, text, size, role, face), ui.px(2));
  };
  line(std::string("Bottleneck: ") + to_string(diagnosis_->bottleneck), kBody_px, Role::text,
       Face::strong);
  line(diagnosis_->reason, kSmall_px, Role::muted);
  line(evidence_text(*diagnosis_), kSmall_px, Role::muted);
  line(lever_of(diagnosis_->bottleneck), kSmall_px, Role::text);
  const Area said = {area.x, area.y, area.w, rest.y - area.y};
  ui.widgets["diagnosis"] = said;
  explain(
      ui, "diagnosis", said,
      metric_text(metric_of(diagnosis_->bottleneck)) + (counted_.empty() ? "" : "\n\n" + counted_));
  if (!next_.empty()) {
    const Area link = rest.take_top(ui.px(24), ui.px(2));
    const auto touched = ui.touch("lever", link);
    ui.text(link.x, link.middle(), "Next: " + rung_title(ui.state.ladder, next_), kSmall_px,
            Role::series0, touched.hovered ? Face::strong : Face::body, Anchor::start, link.w);
    if (touched.clicked) ui.dispatch([next = next_](State& state) { select_rung(state, next); });
  }
  if (row->series->resources) {
    for (const DeviceKernel& kernel : row->series->resources->kernels) {
      line(describe(kernel), kTiny_px, Role::muted);
    }
  }
  rest.take_top(ui.px(8));
  ui.list->AddLine({area.x, rest.y}, {area.right(), rest.y}, ui.color(Role::grid));
  return rest.y + ui.px(12) - area.y;
}

}  // namespace ridge::window
