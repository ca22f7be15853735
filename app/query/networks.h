// The networks of a lab (labs/score_card.h) beside what was measured of them: the same for the score card of the window
// and of a report, and for the answers that all of them give to one input.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/record/request.h"
#include "common/record/run.h"
#include "common/view/chart/score.h"
#include "labs/lab.h"

namespace ridge::app {

chart::ScoreOptions score_options(const Lab& lab);
/// What the network weighs and does, by arithmetic; `params` null: its parameters are not known, and that is `why`.
void fill_arithmetic(const Network& network, const Params* params, const std::string& why,
                     chart::ScoreRow* row);
/// How a call of a single item starts: from the raw input where the network can, else from features.
const Params& single_start(const Network& network);

/// A network as it is asked for the answer to one input.
struct Answerer {
  std::string title;
  const Lab* lab = nullptr;
  std::vector<std::string> kernels;  ///< best first: the first that can run stands for it
  Params params;                     ///< a single item, from its start
};
/// Those of `lab`, then those of the other labs whose networks answer to an input; each kernel once.
std::vector<Answerer> answerers(const Lab& lab);

/// What the learner chose for a kernel of this lab; other labs' networks have their own defaults.
using ChosenParams = std::function<Params(const KernelInfo& info)>;
/// Asks every network that can run here, by the run's catalogue, for its answer to `input`. No kernels: none can.
WorkRequest answers_request(const Lab& lab, const Run& run, const ChosenParams& chosen,
                            const std::vector<uint8_t>& input, bool trains);

/// A network's line in the table of answers.
struct AnswerRow {
  std::string title;
  const ModelAnswer* answer = nullptr;  ///< null: it was not asked; `why` says so
  std::string why;                      ///< of the answer too, where it lacks its class or its time
  std::optional<double> energy_j;  ///< of one item, where the same model was measured in this run
};
struct AnswerTable {
  std::vector<AnswerRow> rows;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> cells;  ///< a row for each of `rows`
  std::string summary;                          ///< "14 of 20 say coat; 3 are not trained yet."
  bool any_untrained = false;
};
/// The newest answers to this input; `label`: its true class, where that is known.
AnswerTable answer_table(const Lab& lab, const Run& run, const std::vector<uint8_t>& input,
                         const std::vector<std::string>& classes, std::optional<int64_t> label);

}  // namespace ridge::app
