#include "common/view/report/fold_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ridge::report {
namespace {

constexpr size_t kRepeated = 3;

/// "n=512" of "cuBLAS · n=512".
std::string beyond_title(const std::string& label, const std::string& title) {
  constexpr std::string_view kBetween = " · ";
  if (!label.starts_with(title + std::string(kBetween))) return label.substr(title.size());
  return label.substr(title.size() + kBetween.size());
}

/// "45 results, each at n=512; n=1024; n=2048: cuBLAS; PyTorch": the titles hold commas.
std::string names_of(const std::vector<const Line*>& lines, const Options& options) {
  std::vector<std::string> titles, labels;
  std::map<std::string, std::vector<std::string>> cases;
  for (const Line* line : lines) {
    const std::string title = title_of(line->series->kernel, options);
    const bool is_named = line->label.starts_with(title);
    if (!cases.contains(title)) titles.push_back(title);
    cases[title].push_back(is_named ? beyond_title(line->label, title) : line->label);
    labels.push_back(line->label);
  }
  const std::vector<std::string>& first = cases[titles.front()];
  const bool are_alike =
      std::all_of(cases.begin(), cases.end(), [&](const auto& one) { return one.second == first; });
  if (!are_alike) return fmt::format("{} results: {}", lines.size(), fmt::join(labels, "; "));
  const bool is_one_case = first.size() == 1 && first.front().empty();
  if (is_one_case) return fmt::format("{} rungs: {}", lines.size(), fmt::join(titles, "; "));
  constexpr size_t kFew = 6;
  const std::string cases_text = first.size() <= kFew ? fmt::format("{}", fmt::join(first, "; "))
                                                      : fmt::format("{} to {} ({})", first.front(),
                                                                    first.back(), first.size());
  return fmt::format("{} results, each rung at {}: {}", lines.size(), cases_text,
                     fmt::join(titles, "; "));
}

}  // namespace

void fold_repeated(const Material& material, Table* table) {
  std::map<std::vector<std::string>, std::vector<size_t>> same;
  for (size_t i = 0; i < table->rows.size(); ++i) {
    const auto& row = table->rows[i];
    same[{row.begin() + 1, row.end()}].push_back(i);
  }
  std::set<size_t> folded;
  for (const auto& [figures, at] : same) {
    if (at.size() < kRepeated) continue;
    std::vector<const Line*> lines;
    for (const size_t i : at) lines.push_back(&material.lines[i]);
    table->rows[at.front()].front() = names_of(lines, *material.options);
    folded.insert(at.begin() + 1, at.end());
  }
  std::vector<std::vector<std::string>> left;
  for (size_t i = 0; i < table->rows.size(); ++i) {
    if (!folded.contains(i)) left.push_back(std::move(table->rows[i]));
  }
  table->rows = std::move(left);
}

}  // namespace ridge::report
