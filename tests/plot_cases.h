// Made-up results for the tests of plots, and what every scene must keep: no text on another, none cut.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/view/chart/labels.h"
#include "common/view/chart/ladder.h"
#include "common/view/chart/text.h"
#include "tests/catch.h"
#include "tests/report_run.h"

namespace ridge::test {

using namespace ridge::chart;

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Round numbers; nothing here was measured.
inline const std::vector<Ceiling> kCeilings = {
    {"FMA fp32, 1 thread", Backend::cpu, "flop", "fp32", 1, 1e11, "FLOP/s", "measured"},
    {"DRAM read, 1 thread", Backend::cpu, "dram_read", "", 1, 2e10, "B/s", "measured"},
    {"FFMA fp32", Backend::cuda, "flop", "fp32", 0, 6e13, "FLOP/s", "measured"},
    {"tensor bf16", Backend::cuda, "flop", "bf16", 0, 9e14, "FLOP/s", "measured"},
    {"tensor fp8", Backend::cuda, "flop", "fp8", 0, 2e15, "FLOP/s", "datasheet"},
    {"L2 read", Backend::cuda, "l2_read", "", 0, 1.2e13, "B/s", "measured"},
    {"DRAM read", Backend::cuda, "dram_read", "", 0, 4e12, "B/s", "measured"},
    {"launch", Backend::cuda, "launch", "", 0, 3e-6, "s", "measured"},
    {"broken", Backend::cuda, "flop", "fp16", 0, kNan, "FLOP/s", "measured"}};

inline const Run& plain_run() {
  static const Run run = run_with(kCeilings);
  return run;
}

inline Series gemm(const std::string& kernel, int64_t n, double share,
                   const std::string& dtype = "fp32") {
  const double peak = dtype == "fp32" ? kernel.starts_with("gemm.cpu.") ? 1e11 : 6e13 : 9e14;
  const auto size = static_cast<double>(n);
  Series series = measured(1, 0, kernel, 1e9 * 2 * size * size * size / (peak * share));
  series.dtype = dtype;
  series.size_param = "n";
  series.params = {{"n", n}, {"m", n}, {"k", n}, {"dtype", dtype}, {"threads", int64_t{1}}};
  series.flop = 2 * size * size * size;
  series.bytes_min = 3 * size * size * (dtype == "fp32" ? 4 : 2);
  for (QualityCheck& check : series.checks) {
    check.nmse = dtype == "fp32" ? 1e-13 * (1 + share) : 2e-6 * (1 + share);
    check.nmse_limit = dtype == "fp32" ? 2e-12 : 8e-6;
  }
  return series;
}

struct Case {
  std::vector<Series> series;
  std::vector<LadderRow> rows;
  std::vector<const Series*> pointers() const {
    std::vector<const Series*> all;
    for (const Series& one : series) all.push_back(&one);
    return all;
  }
  /// Call once all series are in: rows point at them.
  void finish() {
    for (const Series& one : series) {
      LadderRow row{.label = one.kernel.substr(one.kernel.rfind('.') + 1), .series = &one};
      row.run = &plain_run();
      rows.push_back(row);
    }
  }
};

/// `count` GPU rungs over three decades of speed, every third in bf16, a baseline and a library.
inline Case many(int count, bool close_together = false) {
  Case made;
  for (int i = 0; i < count; ++i) {
    const double share =
        close_together ? 0.5 + 0.0001 * i : 0.9 * std::pow(1e-3, 1 - (i + 1.0) / count);
    made.series.push_back(gemm("gemm.cuda.some_rung_" + std::to_string(i), 4096, share,
                               i % 3 == 2 ? "bf16" : "fp32"));
  }
  made.finish();
  made.rows[0].selected = true;
  made.rows[static_cast<size_t>(count / 2)].is_baseline = true;
  made.rows.back().is_peer = true;
  if (count > 3) made.rows[1].origin = "NVIDIA H200";
  return made;
}

inline const Datum* find_datum(const ChartModel& model, int row) {
  for (const Curve& curve : model.plot->curves) {
    for (const Datum& datum : curve.data) {
      if (datum.row == row) return &datum;
    }
  }
  return nullptr;
}

/// As a point of a plot, or as a row of a chart that has rows.
inline bool shows_row(const ChartModel& model, int row) {
  if (model.plot) return find_datum(model, row) != nullptr;
  return std::any_of(model.rows.begin(), model.rows.end(),
                     [&](const Row& shown) { return shown.source == row; });
}

inline const Guide* find_guide(const ChartModel& model, const std::string& start) {
  for (const Guide& guide : model.plot->guides) {
    if (guide.label.starts_with(start)) return &guide;
  }
  return nullptr;
}

inline std::vector<parts::Box> boxes_of(const Primitive& text) {
  const float px = builtin_text_width(text.text, text.size_px, text.mono) * (text.bold ? 1.05f : 1);
  const float shift = text.anchor == Anchor::start ? 0 : text.anchor == Anchor::end ? px : px / 2;
  return parts::text_boxes({text.a.x - shift, text.a.y}, px, text.size_px, text.angle);
}

// Not the layout's own tests of overlap: what is wrong there must not be wrong here too.
inline bool touch(const parts::Box& a, const parts::Box& b) {
  constexpr float kSlack = 0.3f;
  return a.left + kSlack < b.right && b.left + kSlack < a.right && a.top + kSlack < b.bottom &&
         b.top + kSlack < a.bottom;
}

inline bool touch(const std::vector<parts::Box>& all, const std::vector<parts::Box>& others) {
  return std::any_of(all.begin(), all.end(), [&](const parts::Box& a) {
    return std::any_of(others.begin(), others.end(),
                       [&](const parts::Box& b) { return touch(a, b); });
  });
}

/// Every text inside the scene and apart from the others and from every marker; all numbers finite.
inline void check_scene(const Scene& scene) {
  std::vector<std::pair<const Primitive*, std::vector<parts::Box>>> texts;
  for (const Primitive& p : scene.primitives) {
    CHECK(std::isfinite(p.a.x + p.a.y + p.b.x + p.b.y + p.angle));
    if (p.kind != Primitive::Kind::text) continue;
    texts.emplace_back(&p, boxes_of(p));
    for (const parts::Box& box : texts.back().second) {
      INFO("'" << p.text << "' at " << p.a.x << ", " << p.a.y);
      CHECK(box.left >= -0.5f);
      CHECK(box.top >= -0.5f);
      CHECK(box.right <= scene.width + 0.5f);
      CHECK(box.bottom <= scene.height + 0.5f);
    }
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      INFO("'" << texts[i].first->text << "' and '" << texts[k].first->text << "'");
      CHECK_FALSE(touch(texts[i].second, texts[k].second));
    }
    for (const Primitive& p : scene.primitives) {
      if (p.kind != Primitive::Kind::marker || p.role == Role::panel) continue;
      const Primitive& text = *texts[i].first;
      if (text.a.x == p.a.x && text.a.y == p.a.y) continue;  // a number in its point
      const float r = p.size_px * 0.7f;
      INFO("'" << texts[i].first->text << "' on a marker");
      CHECK_FALSE(touch(texts[i].second, {{p.a.x - r, p.a.y - r, p.a.x + r, p.a.y + r}}));
    }
  }
}

}  // namespace ridge::test
