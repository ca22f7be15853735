#include "common/view/diagram/warp_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/core/format.h"

namespace ridge::diagram {
namespace {

using chart::Role;

constexpr int64_t kWord_bytes = 4, kSector_bytes = 32, kRow_bytes = 128;
constexpr int kColumns =
    static_cast<int>(kRow_bytes / kWord_bytes);  // a row has a word of each bank
constexpr int kSectorColumns = static_cast<int>(kSector_bytes / kWord_bytes);

int64_t floor_of(int64_t value, int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

/// A lane's access, in words from its buffer's beginning.
struct LaneWords {
  int lane = 0;
  int64_t first = 0, count = 1;
};

std::vector<LaneWords> words_of(const WarpRequest& request) {
  std::vector<LaneWords> all;
  const LaneOffsets offsets = decode_offsets(request.offsets).value_or(LaneOffsets{});
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const auto& at = offsets[static_cast<size_t>(lane)];
    if (!at) continue;
    const int64_t first = floor_of(*at, kWord_bytes);
    all.push_back({lane, first, floor_of(*at + request.lane_bytes - 1, kWord_bytes) - first + 1});
  }
  return all;
}

/// The most distinct words that each bank is asked for by lanes that are served at once: all of them with 4 bytes each,
/// half of them with 8, a quarter with 16.
std::map<int, int> bank_words(const WarpRequest& request) {
  const int group = request.lane_bytes <= 4 ? kWarpLanes : request.lane_bytes <= 8 ? 16 : 8;
  std::map<std::pair<int, int>, std::set<int64_t>> asked;  // of each group and bank
  for (const LaneWords& one : words_of(request)) {
    for (int64_t word = one.first; word < one.first + one.count; ++word)
      asked[{one.lane / group, static_cast<int>(word - floor_of(word, kColumns) * kColumns)}]
          .insert(word);
  }
  std::map<int, int> most;
  for (const auto& [place, words] : asked)
    most[place.second] = std::max(most[place.second], static_cast<int>(words.size()));
  return most;
}

/// The banks that lanes wait for, and how many words each is asked for; none where nothing is beyond what it has to be.
std::map<int, int> conflicting_banks(const WarpRequest& request) {
  std::map<int, int> banks;
  if (!request.is_shared || request.conflicts == 0) return banks;
  for (const auto& [bank, words] : bank_words(request)) {
    if (words > 1) banks[bank] = words;
  }
  return banks;
}

int64_t distinct_bytes(const WarpRequest& request) {
  std::set<int64_t> bytes;
  const LaneOffsets offsets = decode_offsets(request.offsets).value_or(LaneOffsets{});
  for (const auto& at : offsets) {
    for (int64_t i = 0; at && i < request.lane_bytes; ++i) bytes.insert(*at + i);
  }
  return std::ssize(bytes);
}

std::string number_of(int64_t count, const std::string& word) {
  return fmt::format("{} {}{}", format_count(double(count)), word, count == 1 ? "" : "s");
}

std::string ordinal(size_t number) {
  const size_t tens = number % 100, ones = number % 10;
  const bool is_teen = tens >= 11 && tens <= 13;
  return std::to_string(number) + (is_teen     ? "th"
                                   : ones == 1 ? "st"
                                   : ones == 2 ? "nd"
                                   : ones == 3 ? "rd"
                                               : "th");
}

/// "bank 0 is", "banks 0, 8, 16 and 5 more are": those that are asked for most.
std::string banks_text(const std::vector<int>& banks) {
  constexpr size_t kNamed = 4;
  std::string text = std::to_string(banks.front());
  for (size_t i = 1; i < std::min(banks.size(), kNamed); ++i)
    text += ", " + std::to_string(banks[i]);
  if (banks.size() > kNamed) text += fmt::format(" and {} more", banks.size() - kNamed);
  return banks.size() == 1 ? "bank " + text + " is" : "banks " + text + " are";
}

std::string turns_words(const WarpRequest& request) {
  const auto conflicting = conflicting_banks(request);
  const std::string turns = number_of(request.cost, "turn");
  if (conflicting.empty()) return turns + ", without a bank conflict";
  int most = 0;
  for (const auto& [bank, words] : conflicting) most = std::max(most, words);
  std::vector<int> worst;
  for (const auto& [bank, words] : conflicting) {
    if (words == most) worst.push_back(bank);
  }
  const std::string asked = fmt::format("{} asked for {} words{}", banks_text(worst), most,
                                        worst.size() > 1 ? " each" : "");
  // Lanes of 8 and 16 bytes are served in groups: a bank's words say nothing of the turns of all groups.
  return request.lane_bytes <= kWord_bytes
             ? asked + ": " + turns
             : fmt::format("{} at once: {}, {} without conflicts", asked, turns,
                           request.cost - request.conflicts);
}

std::string cost_words(const WarpRequest& request) {
  if (request.is_shared) return turns_words(request);
  const int64_t bytes = distinct_bytes(request), fetched = request.cost * kSector_bytes;
  std::string text = number_of(request.cost, "sector") + fmt::format(" of {} bytes", kSector_bytes);
  if (bytes < fetched)
    text += fmt::format(", {} of {} bytes of use", format_count(double(bytes)),
                        format_count(double(fetched)));
  return text;
}

// ---- the picture -------------------------------------------------------------------------------------------------------

/// Lanes that ask for something stand out.
Grid lanes_grid(const std::vector<LaneWords>& asking) {
  Grid grid;
  grid.rows = 1, grid.columns = kWarpLanes, grid.square = false;
  grid.row_labels = {"lane"};
  std::set<int> lanes;
  for (const LaneWords& one : asking) lanes.insert(one.lane);
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const bool asks = lanes.contains(lane);
    // Every fourth number, and the last: all of them have no room in a narrow picture.
    const bool is_told = lane % 4 == 0 || lane == kWarpLanes - 1;
    grid.cells.push_back({.column = lane,
                          .role = asks ? Role::series0 : Role::muted,
                          .alpha = asks ? 1.0f : 0.16f,
                          .text = is_told ? std::to_string(lane) : ""});
  }
  return grid;
}

/// The rows of 128 bytes that are met, and where each is drawn.
std::map<int64_t, int> rows_of(const std::vector<LaneWords>& asking) {
  std::map<int64_t, int> rows;
  for (const LaneWords& one : asking) {
    for (int64_t word = one.first; word < one.first + one.count; ++word)
      rows[floor_of(word, kColumns)] = 0;
  }
  int row = 0;
  for (auto& [first, at] : rows) at = row++;
  return rows;
}

Grid memory_grid(const std::map<int64_t, int>& rows) {
  constexpr int kRoomy = 8,
                kLabelled = 4;  // rows with a label each; else a label each so many rows
  constexpr float kLine_em = 1.3f, kLeast_em = 0.4f;
  Grid grid;
  grid.rows = static_cast<int>(rows.size()), grid.columns = kColumns, grid.square = false;
  grid.row_em = std::max(kLeast_em, kLine_em * std::min(1.0f, float(kRoomy) / float(grid.rows)));
  grid.rule_columns = kSectorColumns, grid.rule_rows = 1;
  for (const auto& [first, at] : rows) {
    const bool has_label = grid.rows <= kRoomy || at % kLabelled == 0;
    grid.row_labels.push_back(has_label ? std::to_string(first * kRow_bytes) : "");
  }
  return grid;
}

int column_of(int64_t word) {
  return static_cast<int>(word - floor_of(word, kColumns) * kColumns);
}

/// Behind the words: the sectors that come with them, or the banks that lanes wait for.
std::vector<Cell> bands_of(const WarpRequest& request, const std::vector<LaneWords>& asking,
                           const std::map<int64_t, int>& rows) {
  std::vector<Cell> cells;
  if (request.is_shared) {
    for (const auto& [bank, words] : conflicting_banks(request))
      cells.push_back({.column = bank,
                       .rows = static_cast<int>(rows.size()),
                       .role = Role::slower,
                       .alpha = 0.2f});
    return cells;
  }
  std::set<int64_t> sectors;
  for (const LaneWords& one : asking) {
    for (int64_t word = one.first; word < one.first + one.count; ++word)
      sectors.insert(floor_of(word, kSectorColumns));
  }
  for (const int64_t sector : sectors) {
    const int64_t word = sector * kSectorColumns;
    cells.push_back({.row = rows.at(floor_of(word, kColumns)),
                     .column = column_of(word),
                     .columns = kSectorColumns,
                     .role = Role::series0,
                     .alpha = 0.35f});
  }
  return cells;
}

Step step_of(const WarpRequest& request, const std::vector<LaneWords>& asking,
             const std::map<int64_t, int>& rows) {
  Step step;
  std::vector<Cell> cells = bands_of(request, asking, rows);
  const auto conflicting = conflicting_banks(request);
  std::set<int64_t> drawn;
  for (const LaneWords& one : asking) {
    for (int64_t word = one.first; word < one.first + one.count; ++word) {
      if (!drawn.insert(word).second) continue;
      const bool waits = conflicting.contains(column_of(word));
      cells.push_back({.row = rows.at(floor_of(word, kColumns)),
                       .column = column_of(word),
                       .role = waits ? Role::slower : Role::series0});
    }
    const int row = rows.at(floor_of(one.first, kColumns)), column = column_of(one.first);
    const auto wide = static_cast<int>(std::min<int64_t>(one.count, kColumns - column));
    step.links.push_back({.from = one.lane, .row = row, .column = column, .columns = wide});
  }
  step.cells = {{}, std::move(cells)};
  return step;
}

std::vector<DiagramKey> keys_of(const WarpRequest& request) {
  std::vector<DiagramKey> keys = {{"asked for", Role::series0, 1}};
  if (request.is_shared) {
    if (request.conflicts > 0) keys.push_back({"in a bank that lanes wait for", Role::slower, 1});
    keys.push_back({"a column is a bank of 4 bytes, a row 128 bytes", Role::muted, 0});
  } else {
    keys.push_back({"its sector of 32 bytes", Role::series0, 0.35f});
    keys.push_back({"a row is 128 bytes of " + request.buffer, Role::muted, 0});
  }
  keys.push_back({"beside it: its first byte", Role::muted, 0});
  return keys;
}

}  // namespace

std::string request_words(const WarpSteps& steps, size_t i) {
  const WarpRequest& request = steps.requests[i];
  const auto asking = words_of(request);
  const bool is_same =
      asking.size() > 1 && std::all_of(asking.begin(), asking.end(), [&](const LaneWords& one) {
        return one.first == asking.front().first;
      });
  const auto access = request.access.value();
  std::string lanes;
  if (is_same)
    lanes = fmt::format(", the same for {} lanes", asking.size());
  else if (asking.size() < kWarpLanes)
    lanes = " for " + number_of(std::ssize(asking), "lane");
  return fmt::format(
      "{}: the {} request of warp 0 {} {} of {}{}: {}.",
      request.line > 0 ? "Line " + std::to_string(request.line) : "In a header", ordinal(i + 1),
      access == WarpAccess::write    ? "writes"
      : access == WarpAccess::atomic ? "updates"
                                     : "reads",
      number_of(distinct_bytes(request), "byte"),
      request.buffer.empty() ? "device memory" : request.buffer, lanes, cost_words(request));
}

std::string steps_words(const WarpSteps& steps, size_t shown) {
  std::string text = "warp 0 of block 0 makes " + number_of(steps.made, "request");
  if (static_cast<int64_t>(shown) < steps.made)
    text += fmt::format("; the first {} shown", shown == 1 ? "is" : std::to_string(shown) + " are");
  return text;
}

Diagram request_diagram(const WarpSteps& steps, size_t i) {
  const WarpRequest& request = steps.requests[i];
  const auto asking = words_of(request);
  const auto rows = rows_of(asking);
  Diagram made;
  made.kind = "request";
  made.title = "One warp, request by request";
  made.summary = "Counted here, not timed: " + steps_words(steps, steps.requests.size()) + ".";
  made.grids = {lanes_grid(asking), memory_grid(rows)};
  made.steps = {step_of(request, asking, rows)};
  made.steps.front().words = request_words(steps, i);
  made.keys = keys_of(request);
  return made;
}

}  // namespace ridge::diagram
