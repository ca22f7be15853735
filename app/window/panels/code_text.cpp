#include "app/window/panels/code_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "app/query/diff.h"

namespace ridge::window {
namespace {

Role role_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::comment:
      return Role::muted;
    case TokenKind::keyword:
    case TokenKind::directive:
    case TokenKind::type:
      return Role::series0;
    case TokenKind::number:
    case TokenKind::text:
      return Role::series1;
    case TokenKind::plain:
      return Role::text;
  }
  return Role::text;
}

}  // namespace

float code_column(Ui& ui, float size) {
  // The width of 64 zeros over 64: one alone rounds up, and tokens would drift apart.
  static const std::string kZeros(64, '0');
  return ui.width(kZeros, size, Face::mono) / 64;
}

size_t code_columns(std::string_view text) {
  size_t columns = 0;
  for (const char c : text) {
    columns += c == '\t' ? kTabColumns : (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }
  return columns;
}

void draw_code_line(Ui& ui, float x, float y, std::string_view line, LexState* lexer, float size) {
  const float column = code_column(ui, size);
  size_t columns = 0;
  for (const Token& token : lex_line(line, lexer)) {
    if (token.text.find_first_not_of(" \t") != std::string_view::npos) {
      ui.text(x + column * static_cast<float>(columns), y, token.text, size, role_of(token.kind),
              Face::mono);
    }
    columns += code_columns(token.text);
  }
}

namespace {

constexpr std::array<std::string_view, 46> kKeywords = {
    "alignas",   "asm",      "auto",         "break",         "case",   "class",    "const",
    "constexpr", "continue", "default",      "delete",        "do",     "else",     "enum",
    "extern",    "false",    "for",          "goto",          "if",     "inline",   "namespace",
    "new",       "nullptr",  "operator",     "private",       "public", "register", "restrict",
    "return",    "sizeof",   "static",       "static_assert", "struct", "switch",   "template",
    "this",      "true",     "typedef",      "typename",      "union",  "using",    "virtual",
    "volatile",  "while",    "__restrict__", "noexcept"};
constexpr std::array<std::string_view, 26> kTypes = {
    "void",    "bool",     "char",     "short",    "int",     "long",     "float",
    "double",  "signed",   "unsigned", "size_t",   "ssize_t", "int8_t",   "uint8_t",
    "int16_t", "uint16_t", "int32_t",  "uint32_t", "int64_t", "uint64_t", "half",
    "float4",  "dim3",     "Status",   "Launch",   "Gemm"};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

template <size_t count>
bool contains(const std::array<std::string_view, count>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TokenKind kind_of_word(std::string_view word) {
  // Words with two leading underscores are the compiler's: __global__, __m512, __syncthreads.
  if (contains(kKeywords, word)) return TokenKind::keyword;
  if (word.size() > 4 && word.substr(0, 2) == "__" && word.substr(word.size() - 2) == "__") {
    return TokenKind::keyword;
  }
  return contains(kTypes, word) || word.substr(0, 3) == "__m" ? TokenKind::type : TokenKind::plain;
}

size_t end_of_quoted(std::string_view line, size_t at) {
  const char quote = line[at];
  for (size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == '\\')
      ++i;
    else if (line[i] == quote)
      return i + 1;
  }
  return line.size();
}

}  // namespace

std::vector<Token> lex_line(std::string_view line, LexState* state) {
  std::vector<Token> tokens;
  const auto push = [&](TokenKind kind, size_t from, size_t to) {
    if (to <= from) return;
    if (kind == TokenKind::plain && !tokens.empty() && tokens.back().kind == kind) {
      const std::string_view before = tokens.back().text;
      tokens.back().text = {before.data(), before.size() + to - from};
    } else {
      tokens.push_back({kind, line.substr(from, to - from)});
    }
  };
  size_t at = 0;
  const size_t first = line.find_first_not_of(" \t");
  while (at < line.size()) {
    const char c = line[at];
    if (state->in_comment || line.substr(at, 2) == "/*") {
      const size_t close = line.find("*/", state->in_comment ? at : at + 2);
      const size_t end = close == std::string_view::npos ? line.size() : close + 2;
      state->in_comment = close == std::string_view::npos;
      push(TokenKind::comment, at, end);
      at = end;
    } else if (line.substr(at, 2) == "//") {
      push(TokenKind::comment, at, line.size());
      at = line.size();
    } else if (c == '#' && at == first) {
      size_t end = at + 1;
      while (end < line.size() && (line[end] == ' ' || is_word(line[end]))) {
        if (line[end] == ' ' && end > at + 1) break;
        ++end;
      }
      push(TokenKind::directive, at, end);
      at = end;
    } else if (c == '"' || c == '\'') {
      const size_t end = end_of_quoted(line, at);
      push(TokenKind::text, at, end);
      at = end;
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      size_t end = at;
      while (end < line.size() && (is_word(line[end]) || line[end] == '.' || line[end] == '\''))
        ++end;
      push(TokenKind::number, at, end);
      at = end;
    } else if (is_word(c)) {
      size_t end = at;
      while (end < line.size() && is_word(line[end])) ++end;
      push(kind_of_word(line.substr(at, end - at)), at, end);
      at = end;
    } else {
      push(TokenKind::plain, at, at + 1);
      ++at;
    }
  }
  return tokens;
}

// ---- a whole text ------------------------------------------------------------------------------

Role link_role(int line) {
  constexpr std::array<Role, 5> kRoles = {Role::series0, Role::series3, Role::series2,
                                          Role::series4, Role::series1};
  return kRoles[static_cast<size_t>(line) % kRoles.size()];
}

namespace {

float code_x_of(Ui& ui, const Area& area, size_t lines) {
  return area.x + ui.width(std::to_string(lines), kTiny_px, Face::mono) + ui.px(14);
}

/// Holds "16.5 sectors/request".
constexpr float kMargin_px = 156;

/// The lines that stand out, and for a listing the source lines that it comes from, as colours.
void draw_marks(Ui& ui, const Area& area, const Code& code, float code_x) {
  const float line_h = ui.px(kCodeLine_px);
  if (code.first > 0) {
    const Area marked = {area.x, area.y + line_h * static_cast<float>(code.first - 1), area.w,
                         line_h * static_cast<float>(code.last - code.first + 1)};
    ui.fill(marked, ui.color(Role::highlight), ui.px(3));
    ui.fill({code_x - ui.px(9), marked.y, ui.px(3), marked.h}, ui.color(Role::series0));
    ui.widgets["marked_line"] = marked;
  }
  const Area seen = {area.x, ImGui::GetWindowPos().y, ImGui::GetWindowWidth(),
                     ImGui::GetWindowHeight()};
  for (size_t i = 0; i < code.origins.size(); ++i) {
    const int from = code.origins[i];
    const Area line = {area.x, area.y + line_h * static_cast<float>(i), area.w, line_h};
    if (from == 0 || line.bottom() < seen.y || line.y > seen.bottom()) continue;
    draw_link(ui, line, code_x, from, from == code.lit);
  }
}

}  // namespace

void draw_link(Ui& ui, const Area& line, float code_x, int source_line, bool is_lit) {
  const Role role = link_role(source_line);
  if (is_lit) ui.widgets["lit:" + std::to_string(source_line)] = line;
  ui.fill({code_x - ui.px(7), line.y, ui.px(3), line.h}, ui.color(role, is_lit ? 1 : 0.75f));
  const Area text = {code_x - ui.px(4), line.y, line.right() - code_x + ui.px(4), line.h};
  ui.fill(text, ui.color(role, is_lit ? 0.3f : 0.09f));
}

int draw_code(Ui& ui, const Area& whole, const Code& code) {
  Area area = whole;
  const float margin_x = code.margin.empty() ? 0 : area.take_left(ui.px(kMargin_px)).right();
  const auto lines = app::split_lines(code.text);
  const float line_h = ui.px(kCodeLine_px), size = kCode_px;
  const float code_x = code_x_of(ui, area, lines.size());
  size_t longest = 0;
  for (const std::string_view line : lines) longest = std::max(longest, code_columns(line));
  draw_marks(ui, area, code, code_x);
  LexState lexer;
  float y = area.y + line_h / 2;
  for (size_t i = 0; i < lines.size(); ++i, y += line_h) {
    // The lexer must see every line (comments span them), but only what is in view is drawn.
    if (y < ImGui::GetWindowPos().y - line_h ||
        y > ImGui::GetWindowPos().y + ImGui::GetWindowHeight() + line_h) {
      if (code.is_source) lex_line(lines[i], &lexer);
      continue;
    }
    ui.text(code_x - ui.px(14), y, std::to_string(i + 1), kTiny_px, Role::muted, Face::mono,
            Anchor::end);
    if (i < code.margin.size())
      ui.text(margin_x - ui.px(12), y, code.margin[i], kTiny_px, Role::series0, Face::mono,
              Anchor::end);
    if (code.is_source)
      draw_code_line(ui, code_x, y, lines[i], &lexer, size);
    else
      ui.text(code_x, y, lines[i], size, Role::text, Face::mono);
  }
  const float code_w = code_column(ui, size) * static_cast<float>(longest);
  ImGui::SetCursorScreenPos({whole.x, whole.y});
  ImGui::Dummy({code_x - whole.x + code_w + ui.px(12),
                line_h * static_cast<float>(lines.size()) + ui.px(8)});
  if (!ImGui::IsWindowHovered()) return 0;
  const float at = (ImGui::GetIO().MousePos.y - area.y) / line_h;
  return at >= 0 && at < static_cast<float>(lines.size()) ? static_cast<int>(at) + 1 : 0;
}

}  // namespace ridge::window
