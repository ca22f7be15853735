#include "app/window/teach/step_code.h"

#include <algorithm>

#include "app/query/diff.h"
#include "app/window/teach/step.h"
#include "common/record/derive.h"

namespace ridge::window {
namespace {

void trim_to_code(std::vector<std::string_view>* lines) {
  const auto is_head = [](std::string_view line) {
    return line.empty() || line.starts_with("//") || line.starts_with("#include") ||
           line.starts_with("namespace") || line.starts_with("using namespace");
  };
  const auto is_foot = [](std::string_view line) {
    return line.empty() || line.starts_with("}  // namespace");
  };
  const auto registered = std::find_if(lines->rbegin(), lines->rend(), [](std::string_view line) {
    return line.starts_with("RIDGE_");
  });
  const bool is_last = registered != lines->rend() &&
                       std::all_of(lines->rbegin(), registered, [&](std::string_view line) {
                         return is_foot(line) || line.starts_with(" ");
                       });
  if (is_last) lines->erase(registered.base() - 1, lines->end());
  while (!lines->empty() && is_foot(lines->back())) lines->pop_back();
  lines->erase(lines->begin(), std::find_if_not(lines->begin(), lines->end(), is_head));
}

/// Constants alone: `constexpr Loader kSerial = {};` says nothing of what the rung does.
bool is_only_options(const SourceText& source) {
  const auto lines = code_lines(source);
  return std::all_of(lines.begin(), lines.end(), [](std::string_view line) {
    return line.empty() || line.starts_with("constexpr") || line.starts_with("RIDGE_") ||
           line.starts_with("//") || line.starts_with(" ") || line.starts_with("}");
  });
}

}  // namespace

CodePair code_of(const State& state, const study::TourStep& step) {
  CodePair pair;
  for (const std::string& kernel : step.rungs) {
    const Rung* rung = rung_in(state, kernel);
    if (!rung || rung->peer || (pair.rung && rung == pair.rung)) continue;
    pair = {pair.rung, rung};
  }
  if (!pair.rung && !step.rungs.empty()) pair.rung = rung_in(state, step.rungs.back());
  const bool crosses =
      pair.before && backend_of(pair.before->kernel) != backend_of(pair.rung->kernel);
  if (crosses) pair.before = nullptr;
  return pair;
}

bool has_code_change(const State& state, const CodePair& pair) {
  if (!pair.before) return false;
  const SourceText* before = find_source(state, pair.before->kernel);
  const SourceText* after = find_source(state, pair.rung->kernel);
  return !before || !after || before->text != after->text;
}

bool is_bare(const State& state, const CodePair& pair) {
  const auto is_known_bare = [&](const Rung* rung) {
    const SourceText* source = find_source(state, rung->kernel);
    return source && is_only_options(*source);
  };
  if (!pair.rung) return false;
  if (pair.rung->peer) return true;  // what calls a library is not what the library does
  return is_known_bare(pair.rung) && (!pair.before || is_known_bare(pair.before));
}

bool hides_comments(const State& state) {
  return state.teaching.beat == Beat::predict || state.teaching.beat == Beat::run;
}

std::vector<std::string_view> code_lines(const SourceText& source) {
  std::vector<std::string_view> lines = app::split_lines(source.text);
  trim_to_code(&lines);
  return lines;
}

namespace {

/// Of a trap the way of measuring that is wrong, which its question is about, and what follows it.
std::vector<std::string_view> wrong_part(const std::vector<std::string_view>& lines, size_t most) {
  const auto lie = std::find_if(lines.begin(), lines.end(), [](std::string_view line) {
    return line.find(" lie() ") != std::string_view::npos;
  });
  if (lie == lines.end() || lines.size() <= most) return {};
  const auto end = lie + std::min(std::ssize(lines) - (lie - lines.begin()),
                                  static_cast<std::ptrdiff_t>(most) - 1);
  std::vector<std::string_view> part(lie, end);
  if (lie != lines.begin()) part.insert(part.begin(), "…");
  if (end != lines.end()) part.emplace_back("…");
  return part;
}

}  // namespace

std::vector<std::string_view> key_part(const std::vector<std::string_view>& lines, size_t most) {
  if (auto part = wrong_part(lines, most); !part.empty()) return part;
  std::vector<app::DiffLine> all;
  for (const std::string_view line : lines)
    all.push_back({app::DiffLine::Kind::added, 0, static_cast<int>(all.size()) + 1, line});
  std::vector<app::DiffLine> shown = app::key_lines(all, most);
  std::erase_if(shown, [](const app::DiffLine& line) { return line.new_number == 0; });
  if (shown.empty()) return {};
  const auto first = static_cast<size_t>(shown.front().new_number) - 1;
  const auto end = static_cast<size_t>(shown.back().new_number);
  std::vector<std::string_view> part(lines.begin() + static_cast<std::ptrdiff_t>(first),
                                     lines.begin() + static_cast<std::ptrdiff_t>(end));
  if (first > 0) part.insert(part.begin(), "…");
  if (end < lines.size()) part.emplace_back("…");
  return part;
}

}  // namespace ridge::window
