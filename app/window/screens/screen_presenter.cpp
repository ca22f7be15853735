// Presenter mode: one question, one figure, three rungs at most, large enough for the last row.
#include <algorithm>
#include <string>

#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/figures.h"
#include "app/window/teach/predict.h"
#include "app/window/teach/presenter.h"
#include "app/window/views/chart_draw.h"

namespace ridge::window {
namespace {

constexpr float kWords_px = 20, kFigure_px = 48, kChartFont_px = 19;
constexpr const char* kBeats[] = {"Predict", "Run", "Reveal", "Explain"};

class PresenterScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;
  const chart::Scene& scene() override { return scene_; }

 private:
  static void draw_beats(Ui& ui, Area line);
  static void draw_subject(Ui& ui, Area line);
  static float draw_figure(Ui& ui, const Area& area);
  static void draw_foot(Ui& ui, const Area& area);
  void draw_chart(Ui& ui, const Area& area);
  chart::Scene scene_;
  PredictBar predict_;
  FigureTexts figures_;
};

void PresenterScreen::draw_beats(Ui& ui, Area line) {
  const std::string clock = tour_clock(ui.state);
  const std::string hint = clock.empty() ? "Page Down goes on, P leaves" : clock;
  ui.text(line.right(), line.middle(), hint, kSmall_px, Role::muted, Face::body, Anchor::end);
  ui.widgets["presenter_clock"] = line;
  const int now = static_cast<int>(ui.state.teaching.beat);
  for (int i = 0; i < 4; ++i) {
    const bool here = i == now;
    const std::string label = std::to_string(i + 1) + "  " + kBeats[i];
    const float w = ui.width(label, kBody_px, here ? Face::strong : Face::body);
    const Area place = line.take_left(w, ui.px(26));
    ui.text(place.x, place.middle(), label, kBody_px, here ? Role::text : Role::muted,
            here ? Face::strong : Face::body);
    if (here)
      ui.fill({place.x, place.bottom() - ui.px(3), w, ui.px(3)}, ui.color(Role::series0), ui.px(1));
  }
}

void PresenterScreen::draw_subject(Ui& ui, Area line) {
  const State& state = ui.state;
  const float w = ui.text(line.x, line.middle(), rung_title(state.ladder, state.selection.rung),
                          kHeading_px + 4, Role::text, Face::strong, Anchor::start, line.w * 0.65f);
  line.take_left(w, ui.px(18));
  ui.text(line.x, line.middle() + ui.px(2),
          state.selection.lab->title +
              ("  ·  " + params_summary(*state.selection.lab, shown_params(state))),
          kSmall_px, Role::muted, Face::body, Anchor::start, line.w);
}

/// The one large figure; returns the height taken.
float PresenterScreen::draw_figure(Ui& ui, const Area& area) {
  const PresentedFigure shown = presented_figure(ui.state);
  ui.widgets["presenter_figure"] = area;
  float x = area.x;
  const float line = ui.px(kFigure_px * 1.25f), y = area.y + line / 2;
  if (shown.arrow) {
    const float side = ui.px(kFigure_px * 0.7f);
    ui.triangle(x + side / 2, y, side, shown.arrow > 0, ui.color(shown.role));
    x += side + ui.px(12);
  }
  ui.text(x, y, shown.figure, kFigure_px, shown.role, Face::strong);
  const Area about = {area.x, area.y + line, area.w, 0};
  return line + ui.paragraph(about, shown.about, kSmall_px + 1, Role::muted);
}

void PresenterScreen::draw_chart(Ui& ui, const Area& area) {
  Area inner = area.inset(ui.px(8));
  chart::LayoutOptions options;
  options.width = inner.w;
  options.font_px = ui.px(kChartFont_px);
  options.text_width = text_width_of(ui.fonts);
  // Few rows, as large as there is room for; a plot takes all of it.
  const chart::ChartModel model = presented_chart(ui.state);
  if (model.plot) options.height = inner.h;
  scene_ = chart::layout(model, options);
  inner.h = std::min(inner.h, scene_.height);
  ui.panel(inner.inset(-ui.px(8)));
  ui.list->PushClipRect({inner.x, inner.y}, {inner.right(), inner.bottom()}, true);
  draw_scene(ui, scene_, inner.x, inner.y);
  ui.list->PopClipRect();
  // Not a widget: nothing in it can be pressed, and the clicker's keys would put a focus ring there.
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsMouseHoveringRect({inner.x, inner.y}, {inner.right(), inner.bottom()})) return;
  if (const chart::Hit* hit = hit_at(scene_, mouse.x - inner.x, mouse.y - inner.y))
    ui.tooltip(hit->note);
}

/// One line: what runs, or what the last key could not do.
void PresenterScreen::draw_foot(Ui& ui, const Area& area) {
  const State& state = ui.state;
  const auto& progress = state.run().progress();
  std::string text = state.notice.text;
  Role role = state.notice.is_error ? Role::slower : Role::muted;
  if ((state.requests.is_measuring()) && text.empty()) {
    text = state.requests.compare && !state.requests.run ? "Comparing in turns" : "Running";
    if (progress && !progress->text.empty()) text += ": " + progress->text;
    if (progress && !progress->open.empty()) text += "  ·  " + progress->open;
    role = Role::text;
  }
  ui.text(area.x, area.middle(), text, kSmall_px, role, Face::body, Anchor::start, area.w);
}

void PresenterScreen::draw(Ui& ui, Area all) {
  if (!ui.state.selection.lab) {
    draw_empty_state(ui, all, "This build has no labs.", "Build with the files of labs/.");
    return;
  }
  all = all.inset(ui.px(28), ui.px(16));
  draw_beats(ui, all.take_top(ui.px(34), ui.px(10)));
  draw_subject(ui, all.take_top(ui.px(36), ui.px(8)));
  draw_foot(ui, all.take_bottom(ui.px(24)));
  if (ui.state.teaching.beat == Beat::predict && ui.state.teaching.predicting) {
    predict_.draw(ui, all.take_bottom(predict_.height(ui), ui.px(10)));
  }
  const std::string words = presented_words(ui.state);
  const bool explains = ui.state.teaching.beat == Beat::explain;
  const float gap = ui.px(24);
  const Area right = all.take_right(all.w * (explains ? 0.5f : 0.62f), gap);
  ui.widgets["presenter_words"] = all;
  const float taken = explains ? 0 : draw_figure(ui, all) + ui.px(18);
  const Area text = {all.x, all.y + taken, all.w, all.h - taken};
  // Words that do not fit at their size are read smaller rather than cut.
  float size = explains ? kWords_px + 2 : kWords_px;
  while (size > kSmall_px &&
         figures_.paragraph(ui, text, words, size, Role::text, Face::body, true) > text.h)
    size -= 1;
  figures_.paragraph(ui, text, words, size, Role::text);
  draw_chart(ui, right);
}

}  // namespace

std::unique_ptr<Screen> make_presenter_screen() {
  return std::make_unique<PresenterScreen>();
}

}  // namespace ridge::window
