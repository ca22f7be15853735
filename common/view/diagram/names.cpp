#include "common/view/diagram/names.h"

namespace ridge::diagram {

Expressions names_of(const Input& input) {
  Expressions names(input.source);
  for (const auto& [name, value] : input.params) {
    names.set(name, value);
    names.set("g." + name, value);
  }
  for (const char* zero : {"blockIdx.x", "blockIdx.y", "threadIdx.x", "threadIdx.y", "a", "b", "c",
                           "g.a", "g.b", "g.c"})
    names.set(zero, 0);
  names.set("tiles_n", 1);
  for (const auto& [name, text] : input.directive.lets) names.let(name, text);
  return names;
}

Result<std::pair<std::string, int64_t>> loop_of(Expressions* names, const std::string& text) {
  const auto tokens = tokens_of(text);
  if (tokens.size() < 3 || tokens[0].kind != Token::Kind::name || tokens[1].text != "<")
    return Error{ErrorCode::bad_input, "'" + text + "' is not 'name < extent'", "", ""};
  RIDGE_TRY(const int64_t extent, names->value(text.substr(text.find('<') + 1)));
  if (extent < 1)
    return Error{ErrorCode::bad_input, "'" + text + "' runs to " + std::to_string(extent), "", ""};
  return std::pair(tokens[0].text, extent);
}

void for_all(Expressions* names, const std::vector<std::pair<std::string, int64_t>>& loops,
             const std::function<void()>& each, size_t from) {
  if (from == loops.size()) return each();
  for (int64_t i = 0; i < loops[from].second; ++i) {
    names->set(loops[from].first, i);
    for_all(names, loops, each, from + 1);
  }
}

std::vector<Cell> rectangles(int rows, int columns, const std::function<bool(int, int)>& wanted,
                             chart::Role role, float alpha) {
  std::vector<Cell> made;
  std::vector<size_t> above;  // rectangles that end at the row before
  for (int row = 0; row < rows; ++row) {
    std::vector<size_t> here;
    for (int column = 0; column < columns; ++column) {
      if (!wanted(row, column)) continue;
      int end = column + 1;
      while (end < columns && wanted(row, end)) ++end;
      size_t same = made.size();
      for (const size_t i : above) {
        if (made[i].column == column && made[i].columns == end - column) same = i;
      }
      if (same < made.size())
        ++made[same].rows;
      else
        made.push_back({row, column, 1, end - column, role, alpha, {}});
      here.push_back(same);
      column = end;
    }
    above = std::move(here);
  }
  return made;
}

}  // namespace ridge::diagram
