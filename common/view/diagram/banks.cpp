// Shared-memory banks: 32 of them, each 4 bytes wide, and each gives one word a pass. A warp's access
// goes by groups of lanes that ask for 128 bytes together: all 32 of them with 4 bytes each, 8 with 16
// (a matrix of ldmatrix). Lanes that ask for the same word are served together.
// (NVIDIA CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later; PTX ISA,
// "ldmatrix".)
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/view/diagram/names.h"

namespace ridge::diagram {
namespace {

constexpr int kBanks = 32, kWordBytes = 4;

/// One way of placing: for each lane the address that it asks for.
struct Placing {
  std::vector<int64_t> address{};
  int passes = 0;
  std::map<int64_t, int> line{};  ///< 128-byte rows that are met, and where each is drawn
};

Result<Placing> placing_of(Expressions* names, const std::string& text, int lanes, int bytes) {
  RIDGE_TRY(const int compiled, names->compile(text));
  Placing made;
  std::map<int64_t, std::set<int64_t>> words;  // of each bank
  for (int lane = 0; lane < lanes; ++lane) {
    names->set("threadIdx.x", lane);
    names->set("lane", lane);
    const int64_t at = names->value(compiled);
    if (at < 0 || at % kWordBytes != 0)
      return Error{ErrorCode::bad_input, fmt::format("lane {} asks for address {}", lane, at), "",
                   ""};
    made.address.push_back(at);
    made.line[at / (kBanks * kWordBytes)] = 0;
    for (int64_t word = at / kWordBytes; word < (at + bytes) / kWordBytes; ++word)
      words[word % kBanks].insert(word);
  }
  for (const auto& [bank, met] : words)
    made.passes = std::max(made.passes, static_cast<int>(met.size()));
  int row = 0;
  for (auto& [line, at] : made.line) at = row++;
  return made;
}

std::string passes_text(int passes) {
  return passes == 1 ? "1 pass, no conflict" : fmt::format("{} passes", passes);
}

std::vector<Cell> cells_of(const Placing& placing, int from, int to, int bytes, chart::Role role,
                           float alpha, bool named) {
  std::vector<Cell> cells;
  for (int lane = from; lane < to; ++lane) {
    const int64_t at = placing.address[static_cast<size_t>(lane)];
    Cell cell;
    cell.row = placing.line.at(at / (kBanks * kWordBytes));
    cell.column = static_cast<int>(at / kWordBytes % kBanks);
    cell.columns = bytes / kWordBytes;
    cell.role = role, cell.alpha = alpha;
    if (named) cell.text = std::to_string(lane);
    cells.push_back(std::move(cell));
  }
  return cells;
}

Grid grid_of(const Placing& placing, const std::string& title) {
  Grid grid;
  grid.title = title + ": " + passes_text(placing.passes);
  grid.rows = static_cast<int>(placing.line.size()), grid.columns = kBanks;
  grid.rule_columns = 8, grid.rule_rows = 1;
  return grid;
}

}  // namespace

Result<Diagram> banks(const Input& input) {
  const Directive& says = input.directive;
  Expressions names = names_of(input);
  names.set("lane", 0);
  int64_t bytes = kWordBytes;
  if (!says.text("bytes").empty()) {
    RIDGE_TRY(bytes, names.value(says.text("bytes")));
  }
  if (bytes != 4 && bytes != 16)
    return Error{ErrorCode::bad_input, fmt::format("{} bytes a lane, not 4 or 16", bytes), "", ""};
  const int lanes = kBanks * kWordBytes / static_cast<int>(bytes);
  std::vector<std::pair<std::string, Placing>> ways;
  RIDGE_TRY(const auto own,
            placing_of(&names, says.text("address"), lanes, static_cast<int>(bytes)));
  ways.emplace_back("As this rung places it", own);
  for (const std::string& text : says.all("instead")) {
    const size_t colon = text.rfind("; ");  // "address; its name"
    RIDGE_TRY(const auto other,
              placing_of(&names, text.substr(0, colon), lanes, static_cast<int>(bytes)));
    ways.emplace_back(colon == std::string::npos ? "Without" : text.substr(colon + 2), other);
  }
  Diagram made;
  const std::string what = says.text("what");
  made.title =
      fmt::format("{}: {} lanes and the 32 banks", what.empty() ? "One access" : what, lanes);
  for (const auto& [title, placing] : ways) {
    made.grids.push_back(grid_of(placing, title));
    made.summary += (made.summary.empty() ? "" : " ") + made.grids.back().title + ".";
  }
  for (int lane = 0; lane < lanes; ++lane) {
    Step step;
    for (const auto& [title, placing] : ways) {
      auto cells = cells_of(placing, 0, lane, static_cast<int>(bytes), chart::Role::series0, 0.45f,
                            bytes == 16);
      auto now = cells_of(placing, lane, lane + 1, static_cast<int>(bytes), chart::Role::slower, 1,
                          bytes == 16);
      cells.insert(cells.end(), now.begin(), now.end());
      step.cells.push_back(std::move(cells));
      const int64_t at = placing.address[static_cast<size_t>(lane)];
      step.words +=
          fmt::format("{}bank {}", step.words.empty() ? fmt::format("Lane {}: ", lane) : "; there ",
                      at / kWordBytes % kBanks);
    }
    step.words += ".";
    made.steps.push_back(std::move(step));
  }
  made.still = lanes - 1;
  made.keys = {{"this lane", chart::Role::slower, 1},
               {"lanes before it", chart::Role::series0, 0.45f}};
  made.keys.push_back({"a column is a bank, a row 128 bytes", chart::Role::muted, 0});
  return made;
}

}  // namespace ridge::diagram
