// The panel at the right of the lab: diagnosis, lesson, source, diff.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/query/diff.h"
#include "app/window/panels/lesson_tab.h"
#include "app/window/panels/source_tab.h"
#include "common/record/diagnosis.h"

namespace ridge::window {

/// What changed since the previous rung, build flags included.
struct DiffTab {
  void draw(Ui& ui, Area area);

 private:
  void build(const SourceText& before, const SourceText& after);
  std::string before_, after_;        ///< what `lines_` are of, and point into
  std::vector<app::DiffLine> lines_;  ///< of the code, numbered as in its files
};

/// Bottleneck, evidence and lever of the selected rung, above its lesson.
struct DiagnosisCard {
  /// Returns the height taken: 0 where nothing is known.
  float draw(Ui& ui, const Area& area);

 private:
  void build(const State& state, const Series& series, const Run& run);
  std::optional<Diagnosis> diagnosis_;
  std::string rung_, next_, counted_;
  uint64_t version_ = ~0ull;
};

struct RightPanel {
  void draw(Ui& ui, Area area);

 private:
  DiagnosisCard diagnosis_;
  LessonTab lesson_;
  SourceTab source_;
  DiffTab diff_;
};

}  // namespace ridge::window
