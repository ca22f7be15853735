// The page behind `ridgepoint handout`: a lab for a reader who cannot install it. One file, nothing fetched, no script.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/record/run.h"
#include "common/view/figure/machines.h"
#include "common/view/report/report.h"
#include "labs/lab.h"

namespace ridge::study {

struct Handout {
  const Lab* lab = nullptr;
  std::string lesson;              ///< Markdown, its figures filled in (figure::Footnotes)
  std::vector<std::string> notes;  ///< what the marks of its figures stand for
  std::vector<figure::Machine> marks;         ///< the machines of its figures
  figure::MachineTable machines;              ///< those that this lab's recordings describe
  std::map<std::string, SourceText> sources;  ///< by kernel id; what is missing is said
  std::map<std::string, std::string> own_types;  ///< by kernel id, for its diagrams: "bf16"
  /// By kernel id: the lines that a rung adds ("+ ") and removes ("- "), for paper, on which no source can be opened.
  std::map<std::string, std::string> changes;
  std::optional<report::Report> report;  ///< of a run: its charts and predictions
  /// False: what gives an answer away is left out: answers, what happened, and a run's charts.
  bool with_answers = true;
};

std::string to_html(const Handout& handout);

}  // namespace ridge::study
