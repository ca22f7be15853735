#include "app/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/query/terminal.h"
#include "common/core/format.h"

namespace ridge::app {
namespace {

const Series* series_of(const Run& run, const Progress& progress) {
  for (const Series& series : run.series()) {
    if (series.request == progress.request && series.index == progress.series) return &series;
  }
  return nullptr;
}

size_t count_of(const Run& run, int64_t request) {
  return static_cast<size_t>(std::count_if(run.series().begin(), run.series().end(),
                                           [&](const Series& s) { return s.request == request; }));
}

std::string median_text(const Progress& progress) {
  if (!progress.median_ns) return "";
  std::string text = format_time_ns(*progress.median_ns);
  if (progress.ci_ns && *progress.median_ns > 0) {
    const double half = (progress.ci_ns->high - progress.ci_ns->low) / 2 / *progress.median_ns;
    text += " " + format_percent_width(half);
  }
  return text;
}

}  // namespace

std::string progress_text(const Run& run) {
  if (!run.progress()) return "";
  const Progress& progress = *run.progress();
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : " · ") + part;
  };
  if (const Series* series = series_of(run, progress)) {
    add(fmt::format("{} ({} of {})", series->kernel, series->index + 1,
                    count_of(run, progress.request)));
    add(progress.phase);
    const size_t rounds = run.rounds(progress.request).size();
    const bool single = progress.phase == "latency";
    const size_t samples = (single ? series->latency_samples : series->samples).size();
    if (rounds > 0) {
      add(fmt::format("{} rounds", rounds));
    } else if (samples > 0) {
      add(fmt::format("{} samples", samples));
    }
  } else {
    add(progress.text.empty() ? progress.phase : progress.text);
  }
  add(median_text(progress));
  if (progress.left_s) add(fmt::format("{} s left", std::ceil(*progress.left_s)));
  add(progress.open);
  return text;
}

ProgressLine::ProgressLine() : enabled_(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::update(const Run& run) {
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  if (shown_ && now - last_ < std::chrono::milliseconds(100)) return;
  const std::string text = progress_text(run);
  if (text.empty()) return;
  // One column is kept free: some terminals wrap when the last one is written.
  const std::string line = "\r" + fit(for_terminal(text), terminal_width() - 1) + "\x1b[K";
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  last_ = now;
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace ridge::app
