// The JSON documents that `--json` prints, one contract for every command (docs/schema/): what was
// measured, what may be said of it, and for everything that is not there, why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/record/diagnosis.h"
#include "common/record/json.h"
#include "common/record/run.h"
#include "common/view/report/decision.h"

namespace ridge {

struct DocumentOptions {
  std::optional<int64_t> request;  ///< only this request's results and comparisons; absent: all
  Titles titles;                   ///< the lab's names, for the sentences of decisions
  Levers levers;                   ///< the lab's, for diagnoses
  std::optional<Notes> notes;      ///< what a person wrote; absent: what the run holds
  std::vector<Series> left_out;    ///< never asked of the worker: `skipped`, with their reasons
};

/// Environment, ceilings, results and comparisons of a run: `run`, `compare` and `report`.
/// A figure that may not be used is null, and the result's `unavailable` says why under its name.
/// docs/schema/document.schema.json
Json document(const Run& run, const DocumentOptions& options = {});

/// The rows of a comparison's budget, as `comparisons` of document() has them.
Json budget_json(const std::vector<BudgetRow>& rows);

/// A lab as plain data: common/ knows no labs.
struct ListedRung {
  std::string kernel, title, change;
  bool peer = false, expert = false;
};
struct ListedLab {
  std::string id, title, goal;
  std::vector<ListedRung> rungs;
};

/// Labs, rungs, their parameters, and what this machine can run (and why not), from the run's
/// catalogue. docs/schema/list.schema.json
Json list_document(const std::vector<ListedLab>& labs, const Run& run);

/// Environment and measured ceilings. docs/schema/machine.schema.json
Json machine_document(const Run& run);

}  // namespace ridge
