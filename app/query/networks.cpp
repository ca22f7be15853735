#include "app/query/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/core/format.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

/// The first of its rungs that can run here; null: none can, and `why` is of the last.
const KernelInfo* rung_here(const Answerer& answerer, const Run& run, std::string* why) {
  *why = "not in this worker";
  for (const std::string& kernel : answerer.kernels) {
    const KernelInfo* info = run.kernel(kernel);
    if (info && info->available) return info;
    if (info) *why = info->reason;
  }
  return nullptr;
}

const ModelAnswer* answer_of(const Answerer& answerer, const Inspection& look) {
  for (const ModelAnswer& one : look.answers) {
    for (const std::string& kernel : answerer.kernels) {
      if (one.kernel == kernel) return &one;
    }
  }
  return nullptr;
}

/// Joules of one item, of the newest result of this model, whatever the number of items in its calls.
std::optional<double> energy_of(const Run& run, const ModelAnswer& answer, const Params& item) {
  const auto& all = run.series();
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Series& series) {
    return series.kernel == answer.kernel && chart::energy_per_item_j(series) &&
           std::all_of(answer.params.begin(), answer.params.end(), [&](const auto& one) {
             const auto at = series.params.find(one.first);
             return item.contains(one.first) || at == series.params.end() ||
                    at->second == one.second;
           });
  });
  return found == all.rend() ? std::nullopt : chart::energy_per_item_j(*found);
}

std::string class_name(const std::vector<std::string>& classes, const std::optional<int64_t>& c) {
  return c && *c >= 0 && *c < std::ssize(classes) ? classes[static_cast<size_t>(*c)] : kNone;
}

std::vector<std::string> cells_of(const AnswerRow& row, const std::vector<std::string>& classes,
                                  const std::optional<int64_t>& label) {
  const ModelAnswer* one = row.answer;
  if (!one || !one->prediction) return {row.title, row.why, kNone, kNone, kNone, kNone};
  const bool is_wrong = label && one->prediction != label;
  return {
      row.title,
      class_name(classes, one->prediction) + (is_wrong ? " ✕" : ""),
      fmt::format("{} {}", format_number(one->score), one->unit),
      fmt::format("{} over {}", format_number(one->margin), class_name(classes, one->runner_up)),
      one->call_ns ? format_time_ns(*one->call_ns) + ", from " + one->start : row.why,
      row.energy_j ? format_quantity(*row.energy_j, "J") : "not metered"};
}

/// "14 of 20 say coat; 3 are not trained yet."
std::string summary_of(const std::vector<AnswerRow>& rows,
                       const std::vector<std::string>& classes) {
  std::map<int64_t, int> votes;
  int answered = 0, untrained = 0;
  for (const AnswerRow& row : rows) {
    untrained += row.answer && row.answer->needs_training ? 1 : 0;
    if (!row.answer || !row.answer->prediction) continue;
    ++answered, ++votes[*row.answer->prediction];
  }
  if (answered == 0 && untrained == 0) return "No network has answered yet.";
  std::string text;
  if (answered > 0) {
    const auto most =
        std::max_element(votes.begin(), votes.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    text = fmt::format("{} of {} networks say {}.", most->second, answered,
                       class_name(classes, most->first));
  }
  if (untrained > 0)
    text += fmt::format("{}{} not trained yet.", text.empty() ? "" : " ",
                        untrained == 1 ? "One is" : fmt::format("{} are", untrained));
  return text;
}

}  // namespace

chart::ScoreOptions score_options(const Lab& lab) {
  const ScoreCard& card = *lab.score_card;
  chart::ScoreOptions options{card.title, lab.quality_metric, card.item,
                              lab.items,  card.features,      card.raw};
  for (const Microcontroller& part : kMicrocontrollers)
    options.devices.push_back(
        {part.name, part.core, part.source, part.flash_bytes, part.ram_bytes});
  return options;
}

void fill_arithmetic(const Network& network, const Params* params, const std::string& why,
                     chart::ScoreRow* row) {
  chart::ScoreFigure* figures[] = {&row->model_bytes, &row->working_bytes, &row->multiplications,
                                   &row->additions,   &row->look_ups,      &row->bits};
  for (chart::ScoreFigure* figure : figures)
    *figure = {.why = network.arithmetic ? why : "unavailable"};
  if (!network.arithmetic || !params) return;
  const NetworkArithmetic found = network.arithmetic(*params);
  const Operations& each = found.operations;
  const double values[] = {found.model_bytes, found.working_bytes, each.multiplications,
                           each.additions,    each.look_ups,       each.bits};
  for (size_t i = 0; i < std::size(figures); ++i)
    *figures[i] = {.value = values[i], .note = "arithmetic"};
  if (each.multiplications == 0) row->multiplications.why = "multiplies nothing";
}

const Params& single_start(const Network& network) {
  static const Params none;
  return network.from_raw        ? *network.from_raw
         : network.from_features ? *network.from_features
                                 : none;
}

std::vector<Answerer> answerers(const Lab& lab) {
  std::vector<const Lab*> labs = all_labs();
  std::stable_partition(labs.begin(), labs.end(), [&](const Lab* one) { return one == &lab; });
  std::vector<Answerer> found;
  std::set<std::string> taken;
  for (const Lab* one : labs) {
    for (const Network& network : networks_of(*one)) {
      const bool is_new = std::none_of(network.kernels.begin(), network.kernels.end(),
                                       [&](const char* kernel) { return taken.contains(kernel); });
      if (!is_new) continue;
      taken.insert(network.kernels.begin(), network.kernels.end());
      Answerer& next = found.emplace_back();
      next.title = network.title, next.lab = one;
      next.kernels.assign(network.kernels.begin(), network.kernels.end());
      next.params = single_start(network);
      for (const auto& [name, value] : one->one_item) next.params[name] = value;
    }
  }
  return found;
}

WorkRequest answers_request(const Lab& lab, const Run& run, const ChosenParams& chosen,
                            const std::vector<uint8_t>& input, bool trains) {
  WorkRequest request;
  request.type = RequestType::inspect;
  request.lab = lab.id;
  request.inspect.bytes = input;
  request.inspect.answers = true;
  request.inspect.trains = trains;
  for (const Answerer& answerer : answerers(lab)) {
    std::string why;
    const KernelInfo* info = rung_here(answerer, run, &why);
    if (!info) continue;
    Params params = answerer.lab == &lab ? chosen(*info) : Params();
    for (const auto& [name, value] : answerer.params) params[name] = value;
    request.kernels.push_back({info->id, std::move(params)});
  }
  return request;
}

AnswerTable answer_table(const Lab& lab, const Run& run, const std::vector<uint8_t>& input,
                         const std::vector<std::string>& classes, std::optional<int64_t> label) {
  AnswerTable table;
  table.columns = {"Network", "Answer", "Score", "Margin", "One call", "Energy, one"};
  const std::vector<int> bytes(input.begin(), input.end());
  const auto& all = run.inspections();
  const auto newest = std::find_if(all.rbegin(), all.rend(), [&](const Inspection& one) {
    return one.of == "answers" && one.bytes == bytes;
  });
  for (const Answerer& answerer : answerers(lab)) {
    AnswerRow& row = table.rows.emplace_back();
    row.title = answerer.title;
    const bool can_run = rung_here(answerer, run, &row.why) != nullptr;
    if (can_run) row.why = "not asked yet";
    if (newest != all.rend()) row.answer = answer_of(answerer, *newest);
    if (row.answer) {
      row.why = row.answer->why;
      row.energy_j = energy_of(run, *row.answer, answerer.params);
      table.any_untrained = table.any_untrained || row.answer->needs_training;
    }
    table.cells.push_back(cells_of(row, classes, label));
  }
  table.summary = summary_of(table.rows, classes);
  return table;
}

}  // namespace ridge::app
