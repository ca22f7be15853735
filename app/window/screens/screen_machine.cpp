// Machine: what it is, whether it is quiet, what it can do at most and how that is known, which rungs
// run here, and for those that do not: why, and the command that would change it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/study.h"
#include "app/window/views/chart_view.h"
#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/noise_floor.h"
#include "common/view/chart/noise.h"

namespace ridge::window {
namespace {

/// Rungs of the lab that share the reason why they do not run here.
struct Missing {
  std::string reason, command;
  std::vector<std::string> rungs;
};

class MachineScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;

 private:
  void build(const State& state);
  static void draw_facts(Ui& ui, Area area);
  void draw_ceilings(Ui& ui, Area area);
  void draw_noise(Ui& ui, Area area);
  void draw_rungs(Ui& ui, Area area);
  static void needs(Ui& ui, float* known, float height);

  uint64_t version_ = ~0ull;
  std::vector<std::string> runnable_;
  std::vector<Missing> missing_;
  NoiseFloor noise_;
  ChartView noise_chart_;
  float ceilings_h_ = 0, rungs_h_ = 0;  ///< that the boxes need without a scroll bar
};

/// A distribution's own python3 refuses pip: of what it packs the package, of all else an environment beside it.
std::string python_remedy(const std::string& package) {
  constexpr std::string_view kPacked[] = {"numpy", "torch"};
  if (std::find(std::begin(kPacked), std::end(kPacked), package) != std::end(kPacked))
    return "sudo apt install python3-" + package + "   (Debian, Ubuntu)";
  return "python3 -m venv ~/venv && ~/venv/bin/pip install " + package +
         "   (then start with RIDGE_PYTHON=~/venv/bin/python3)";
}

/// What would bring a rung that cannot run; empty where no command would.
std::string remedy(const std::string& reason) {
  const auto has = [&](const char* word) { return reason.find(word) != std::string::npos; };
  constexpr std::string_view kLacks = "python3 has no ";
  if (reason.starts_with(kLacks)) return python_remedy(reason.substr(kLacks.size()));
  if (has("built without CUDA"))
    return "cmake -B build -D RIDGE_CUDA=ON && cmake --build build   (needs CUDA 12.8 or later)";
  if (has("CUDA") || has("compute capability") || has("sm_"))
    return "ridgepoint --worker \"ssh -T HOST ridgepoint-worker --stdio\"   (a machine that has "
           "it)";
  if (has("RIDGE_MAX_ISA")) return "unset RIDGE_MAX_ISA";
  if (has("not built")) return "app/run   (installs what is missing and builds again)";
  return "";
}

void MachineScreen::build(const State& state) {
  if (version_ == state.ladder.version) return;
  version_ = state.ladder.version;
  runnable_.clear();
  missing_.clear();
  noise_ = noise_floor(state.run());
  if (noise_.runs() > 0)
    noise_chart_.set(chart::noise_chart(noise_, rung_title(state.ladder, noise_.kernel)));
  if (!state.selection.lab) return;
  // All of the lab, as 'ridgepoint list' counts: the ladder leaves out what only another processor has.
  for (const Rung& rung : state.selection.lab->rungs) {
    const KernelInfo* info = state.run().kernel(rung.kernel);
    if (info && info->available) {
      runnable_.emplace_back(rung.title);
      continue;
    }
    const std::string reason = !info                  ? "not built into this worker"
                               : info->reason.empty() ? "cannot run here"
                                                      : info->reason;
    auto found = std::find_if(missing_.begin(), missing_.end(),
                              [&](const Missing& one) { return one.reason == reason; });
    if (found == missing_.end()) found = missing_.insert(found, {reason, remedy(reason), {}});
    found->rungs.emplace_back(rung.title);
  }
}

/// Name at the left, value beside it over as many lines as it takes.
void draw_fact(Ui& ui, Scroll* scroll, const std::string& name, const std::string& value,
               Role role = Role::text) {
  const float name_w = ui.px(120), w = scroll->rest.w - name_w;
  const float h = ui.paragraph({0, 0, w, 0}, value, kSmall_px, role, Face::body, true);
  const Area line = scroll->rest.take_top(std::max(h, ui.px(24)), ui.px(6));
  ui.text(line.x, line.y + ui.px(11), name, kSmall_px, Role::muted, Face::body, Anchor::start,
          name_w - ui.px(8));
  ui.paragraph({line.x + name_w, line.y, w, h}, value, kSmall_px, role);
}

std::string cache_line(const CpuInfo& cpu) {
  std::string text;
  const auto add = [&](const char* name, int64_t bytes) {
    if (bytes <= 0) return;
    text += (text.empty() ? "" : "  ·  ") + std::string(name) + " " +
            format_bytes(static_cast<double>(bytes));
  };
  add("L1d", cpu.l1d_bytes);
  add("L2", cpu.l2_bytes);
  add("L3", cpu.l3_bytes);
  return text.empty() ? "unavailable: the system does not tell" : text;
}

void draw_environment(Ui& ui, Scroll* scroll, const Environment& environment) {
  const CpuInfo& cpu = environment.cpu;
  draw_heading(ui, &scroll->rest, "PROCESSOR");
  draw_fact(ui, scroll, "CPU", cpu.model);
  draw_fact(ui, scroll, "Cores", fmt::format("{}, up to {}", cpu.cores, cpu.isa));
  draw_fact(ui, scroll, "Caches", cache_line(cpu));
  draw_fact(ui, scroll, "Memory", format_bytes(static_cast<double>(cpu.memory_bytes)));
  draw_fact(ui, scroll, "Governor",
            cpu.governor.empty() ? "unavailable: not readable here" : cpu.governor);
  for (const GpuInfo& gpu : environment.gpus) {
    scroll->rest.take_top(ui.px(10));
    draw_heading(ui, &scroll->rest, "GPU");
    draw_fact(ui, scroll, "Name", gpu.name);
    draw_fact(ui, scroll, "Capability",
              fmt::format("{}.{}, {} SMs, up to {}", gpu.capability / 10, gpu.capability % 10,
                          gpu.sm_count, format_quantity(gpu.max_clock_hz, "Hz")));
    draw_fact(ui, scroll, "Memory",
              fmt::format("{}, L2 {}", format_bytes(static_cast<double>(gpu.memory_bytes)),
                          format_bytes(static_cast<double>(gpu.l2_bytes))));
    draw_fact(ui, scroll, "Driver", gpu.driver + ", runtime " + gpu.runtime);
  }
  if (environment.gpus.empty())
    draw_fact(ui, scroll, "GPU", "unavailable: " + environment.no_gpu_reason);
  scroll->rest.take_top(ui.px(10));
  draw_heading(ui, &scroll->rest, "SYSTEM AND BUILD");
  draw_fact(ui, scroll, "System", environment.os);
  draw_fact(ui, scroll, "Power",
            environment.power_source.empty() ? "unavailable: unknown" : environment.power_source);
  draw_fact(ui, scroll, "Worker",
            fmt::format("{} {}, {}, {}{}", environment.version, environment.commit,
                        environment.compiler, environment.build_type,
                        environment.cuda.empty() ? "" : ", CUDA " + environment.cuda));
  for (const auto& [name, version] : environment.libraries) draw_fact(ui, scroll, name, version);
}

void draw_quiet(Ui& ui, Scroll* scroll, const QuietState& quiet) {
  draw_heading(ui, &scroll->rest, "QUIET");
  const bool is_unknown = quiet.quiet && quiet.is_unknown;
  std::string text = is_unknown ? "The program that measured does not say what else ran."
                     : quiet.quiet
                         ? "Nothing else was using the machine when it was last looked at."
                         : "Not quiet, so figures may be noisy:";
  for (const std::string& reason : quiet.reasons) text += "\n" + reason;
  draw_fact(ui, scroll,
            is_unknown    ? "not known"
            : quiet.quiet ? "quiet"
                          : "! not quiet",
            text, quiet.quiet ? Role::text : Role::slower);
  scroll->rest.take_top(ui.px(10));
}

void MachineScreen::draw_facts(Ui& ui, Area area) {
  ui.panel(area);
  Area inner = area.inset(ui.px(24), ui.px(18));
  const Area title = inner.take_top(ui.px(34), ui.px(10));
  ui.text(title.x, title.middle(), device_label(ui.state.sessions), kHeading_px, Role::text,
          Face::strong, Anchor::start, title.w);
  const auto& environment = ui.state.run().environment();
  Scroll scroll(ui, "facts", inner);
  const auto& after = ui.state.run().quiet_after();
  draw_quiet(ui, &scroll, after ? *after : environment->quiet);
  draw_environment(ui, &scroll, *environment);
}

/// Where the facts of ceilings stand, beside their names; under a box's content; round what the noise floor says.
constexpr float kFacts = 130, kUnder = 18, kNoiseHead = 70;

int64_t count_doubts(const std::vector<Ceiling>& ceilings) {
  return std::count_if(ceilings.begin(), ceilings.end(),
                       [](const Ceiling& one) { return !one.doubt.empty(); });
}

/// How far the other samples lie, at which clock and what others used; empty: not recorded.
std::string ceiling_facts(const Ceiling& ceiling) {
  std::string text = ceiling_samples(ceiling), load = ceiling_load(ceiling);
  load.erase(0, load.empty() ? 0 : load.find(": ") + 2);  // the line's end says "busy machine"
  for (const std::string& more : {ceiling_clock(ceiling), ceiling_age(ceiling), load})
    text += more.empty() ? "" : (text.empty() ? "" : "; ") + more;
  return text;
}

/// Name, value, and how it is known; beside the name, or below it where that takes more room, what else is known of it; at
/// last why it is in doubt.
void draw_ceiling(Ui& ui, Scroll* scroll, const Ceiling& ceiling) {
  const Area line = scroll->rest.take_top(ui.px(28));
  const bool doubtful = !ceiling.doubt.empty();
  const std::string load = ceiling_load(ceiling), facts = ceiling_facts(ceiling);
  explain(ui, "ceiling:" + ceiling.name, line, ceiling.name + "\n" + metric_text("ceiling"));
  const float source_w = ui.px(84);
  ui.text(line.right(), line.middle(),
          doubtful        ? "in doubt"
          : !load.empty() ? "busy machine"
                          : ceiling.source,
          kTiny_px + 1, doubtful || !load.empty() ? Role::limit : Role::muted, Face::body,
          Anchor::end);
  const float value_w =
      ui.text(line.right() - source_w, line.middle(), ceiling_text(ceiling, ceiling.value),
              kSmall_px, doubtful ? Role::limit : Role::text, Face::mono, Anchor::end);
  const float room = line.w - source_w - value_w - ui.px(16);
  const float name_w = ui.text(line.x, line.middle(), ceiling.name, kSmall_px, Role::muted,
                               Face::body, Anchor::start, room);
  const float beside_x = std::max(name_w + ui.px(16), ui.px(kFacts));
  const float facts_w = ui.width(facts, kTiny_px + 1);
  if (!facts.empty() && beside_x + facts_w <= room) {
    ui.text(line.x + beside_x, line.middle(), facts, kTiny_px + 1, Role::muted);
    ui.widgets["samples:" + ceiling.name] = {line.x + beside_x, line.y, facts_w, line.h};
  } else if (!facts.empty()) {
    const float h = ui.paragraph(scroll->rest, facts, kTiny_px + 1, Role::muted);
    ui.widgets["samples:" + ceiling.name] = scroll->rest.take_top(h, ui.px(6));
  }
  if (!doubtful) return;
  const float why_h = ui.paragraph(scroll->rest, ceiling.doubt, kTiny_px + 1, Role::limit);
  ui.widgets["doubt:" + ceiling.name] = scroll->rest.take_top(why_h, ui.px(6));
}

/// What a box's content took is known when it is drawn: the next frame gives it that.
void MachineScreen::needs(Ui& ui, float* known, float height) {
  height += ui.px(kUnder);
  if (std::abs(*known - height) > 1) ui.needs_redraw = true;
  *known = height;
}

void MachineScreen::draw_ceilings(Ui& ui, Area area) {
  ui.panel(area);
  ui.widgets["ceilings"] = area;
  Area inner = area.inset(ui.px(24), ui.px(18));
  Area head = inner.take_top(ui.px(34), ui.px(4));
  const auto& ceilings = ui.state.run().ceilings();
  if (!ui.state.is_replay() && count_doubts(ceilings) > 0) {
    const Area button = head.take_right(ui.px(230), ui.px(12));
    ui.action_button("probe", button, "Measure what is in doubt again", Ui::Kind::normal);
  }
  draw_heading(ui, &head, "WHAT IT CAN DO AT MOST");
  if (ceilings.empty()) {
    const bool live = !ui.state.is_replay();
    if (live && draw_nothing(
                    ui, inner, "No ceiling is measured yet.",
                    "A run measures those that it needs after its first results, in a few seconds.",
                    "Measure them now")) {
      ui.dispatch_action("probe");
    }
    if (!live)
      draw_empty_state(ui, inner, "This saved run measured no ceilings.",
                       "Its utilization is unavailable, too.");
    return;
  }
  Scroll scroll(ui, "ceilings", inner);
  const float top = scroll.rest.y;
  for (const Ceiling& ceiling : ceilings) draw_ceiling(ui, &scroll, ceiling);
  needs(ui, &ceilings_h_, inner.y - area.y + (scroll.rest.y - top));
}

std::string no_noise_text(const State& state) {
  if (self_checks_under_way(state)) return "The first comparison is being made.";
  if (state.is_replay()) return "This saved run compared no rung with itself.";
  return "A/A compares a rung with itself a hundred times, in a few minutes: what it calls "
         "different "
         "is noise.";
}

void MachineScreen::draw_noise(Ui& ui, Area area) {
  ui.panel(area);
  ui.widgets["noise"] = area;
  Area inner = area.inset(ui.px(24), ui.px(14));
  Area head = inner.take_top(ui.px(32), ui.px(8));
  if (!ui.state.is_replay()) {
    const Area button = head.take_right(ui.px(150), ui.px(12));
    ui.action_button("self_check", button, "Run A/A", Ui::Kind::normal);
  }
  draw_heading(ui, &head, "NOISE FLOOR");
  if (noise_.runs() == 0) {
    ui.paragraph(inner, no_noise_text(ui.state), kSmall_px, Role::muted);
    return;
  }
  const float said = ui.paragraph(inner, noise_.sentence(), kSmall_px, Role::text);
  inner.take_top(said, ui.px(6));
  if (inner.h > ui.px(90)) noise_chart_.draw(ui, "noise_chart", inner);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",  ") + name;
  return text;
}

void MachineScreen::draw_rungs(Ui& ui, Area area) {
  ui.panel(area);
  Area inner = area.inset(ui.px(24), ui.px(18));
  const size_t all = ui.state.selection.lab ? ui.state.selection.lab->rungs.size() : 0;
  const std::string head = fmt::format("{} OF {} RUNGS RUN HERE", runnable_.size(), all);
  ui.widgets[fmt::format("rungs_here:{} of {}", runnable_.size(), all)] = inner;
  draw_heading(ui, &inner, head.c_str());
  Scroll scroll(ui, "rungs", inner);
  const float top = scroll.rest.y;
  const auto text = [&](const std::string& words, float size, Role role, Face face = Face::body) {
    const float h = ui.paragraph(scroll.rest, words, size, role, face);
    scroll.rest.take_top(h, ui.px(4));
  };
  if (!runnable_.empty()) text(joined(runnable_), kSmall_px, Role::muted);
  for (const Missing& one : missing_) {
    scroll.rest.take_top(ui.px(12));
    text(fmt::format(
             "{}: {}",
             one.rungs.size() == 1 ? "One does not" : fmt::format("{} do not", one.rungs.size()),
             one.reason),
         kSmall_px + 1, Role::text, Face::strong);
    text(joined(one.rungs), kSmall_px, Role::muted);
    if (!one.command.empty()) text(one.command, kCode_px, Role::text, Face::mono);
  }
  needs(ui, &rungs_h_, inner.y - area.y + (scroll.rest.y - top));
}

void MachineScreen::draw(Ui& ui, Area all) {
  build(ui.state);
  if (!ui.state.run().environment()) {
    ui.panel(all);
    draw_not_measured(ui, all, "This machine was not looked at yet.",
                      ui.state.is_replay()
                          ? "No saved run is open. Those recorded elsewhere are listed on Home."
                          : "Measuring its ceilings takes a few seconds and reads the rest, too.",
                      "Measure what it can do", "probe");
    return;
  }
  const float gap = ui.px(12);
  draw_facts(ui, all.take_left(all.w * 0.42f, gap));
  // As high as they need, but never so high that the rungs below lose their place.
  const float noise_h =
      noise_.runs() > 0
          ? std::min(ui.px(280), all.h * 0.66f)
          : ui.px(kNoiseHead) + ui.paragraph({0, 0, all.w - ui.px(48), 0}, no_noise_text(ui.state),
                                             kSmall_px, Role::muted, Face::body, true);
  const float room = all.h - noise_h - 2 * gap;
  const float least = std::max(room - rungs_h_, room * 0.6f);
  const bool is_empty = ui.state.run().ceilings().empty();
  const float wanted = is_empty ? ui.px(240) : std::max(ceilings_h_, ui.px(120));
  draw_ceilings(ui, all.take_top(std::min(wanted, least), gap));
  draw_noise(ui, all.take_top(noise_h, gap));
  draw_rungs(ui, all);
}

}  // namespace

std::unique_ptr<Screen> make_machine_screen() {
  return std::make_unique<MachineScreen>();
}

}  // namespace ridge::window
