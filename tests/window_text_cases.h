// The window's own text tools: lexer, diff, markdown, and recordings snapped to a size. Part of
// window_test.cpp, in a file of its own.
#pragma once

#include "app/query/diff.h"
#include "app/query/recordings.h"
#include "app/study/markdown.h"
#include "app/window/panels/source_tab.h"
#include "tests/catch.h"
#include "tests/synthetic_run.h"

namespace ridge::test {
namespace {

using namespace ridge::window;

std::string joined(const std::vector<Token>& tokens) {
  std::string all;
  for (const Token& token : tokens) all += token.text;
  return all;
}

TEST_CASE("tokens cover a line without gaps and know their kind", "[window]") {
  LexState state;
  const std::string line = "  for (int i = 0x1F; i < n; ++i) s += \"a \\\" // b\"[i];  // sum";
  const auto tokens = lex_line(line, &state);
  CHECK(joined(tokens) == line);
  const auto kind_of = [&](std::string_view text) {
    for (const Token& token : tokens) {
      if (token.text == text) return token.kind;
    }
    return TokenKind::directive;
  };
  CHECK(kind_of("for") == TokenKind::keyword);
  CHECK(kind_of("int") == TokenKind::type);
  CHECK(kind_of("0x1F") == TokenKind::number);
  CHECK(kind_of("\"a \\\" // b\"") == TokenKind::text);
  CHECK(kind_of("// sum") == TokenKind::comment);
}

TEST_CASE("a comment spans lines until it is closed", "[window]") {
  LexState state;
  CHECK(lex_line("a /* b", &state).back().kind == TokenKind::comment);
  CHECK(state.in_comment);
  CHECK(lex_line("for int", &state).front().kind == TokenKind::comment);
  const auto closing = lex_line("c */ for", &state);
  CHECK(closing.front().text == "c */");
  CHECK(closing.back().kind == TokenKind::keyword);
  CHECK_FALSE(state.in_comment);
  CHECK(lex_line("#include <a>", &state).front().kind == TokenKind::directive);
  CHECK(lex_line("", &state).empty());
}

TEST_CASE("a diff is least, in order, and rebuilds both sides", "[window]") {
  const std::string before = "a\nb\nc\nd\n", after = "a\nx\nc\nd\ne";
  const auto lines = app::diff_lines(before, after);
  CHECK(app::count_changes(lines).added == 2);
  CHECK(app::count_changes(lines).removed == 1);
  std::string old_text, new_text;
  for (const app::DiffLine& line : lines) {
    if (line.kind != app::DiffLine::Kind::added) old_text += std::string(line.text) + "\n";
    if (line.kind != app::DiffLine::Kind::removed) new_text += std::string(line.text) + "\n";
  }
  CHECK(old_text == before);
  CHECK(new_text == after + "\n");
  CHECK(app::count_changes(app::diff_lines(before, before)).added == 0);
  CHECK(app::diff_lines("", "").empty());
  CHECK(app::count_changes(app::diff_lines("", after)).added == 5);
}

TEST_CASE("a change stands as late as it can", "[window]") {
  const auto text = [](const std::string& before, const std::string& after) {
    std::string kinds;
    for (const app::DiffLine& line : app::diff_lines(before, after))
      kinds += line.kind == app::DiffLine::Kind::added     ? '+'
               : line.kind == app::DiffLine::Kind::removed ? '-'
                                                           : '=';
    return kinds;
  };
  CHECK(text("a\n}\n", "a\n}\nb\n}\n") == "==++");
  CHECK(text("p\n}\n", "r\n}\ns\n}\n") == "-+=++");
  CHECK(text("a\n}\nb\n}\n", "a\n}\n") == "==--");
  CHECK(text("x\n", "x\nx\nx\n") == "=++");
}

TEST_CASE("a diff of long texts takes bounded memory, and finds equal ends", "[window]") {
  std::string before = "first\n", after = "first\n";
  for (int i = 0; i < 20000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  const auto lines = app::diff_lines(before + "last\n", after + "last\n");
  CHECK(app::count_changes(lines).added == 20000);
  CHECK(app::count_changes(lines).removed == 20000);
  CHECK(lines.front().kind == app::DiffLine::Kind::same);
  CHECK(lines.back().new_number == 20002);
}

TEST_CASE("equal lines far from a change are folded", "[window]") {
  std::string before, after;
  for (int i = 0; i < 30; ++i) before += std::to_string(i) + "\n";
  after = before + "new\n";
  const auto folded = app::fold_equal(app::diff_lines(before, after), 3);
  REQUIRE(folded.size() == 5);  // the cut, three lines, the new one
  CHECK(folded[0].old_number == 0);
  CHECK(folded[1].text == "27");
  CHECK(folded[4].kind == app::DiffLine::Kind::added);
}

TEST_CASE("a line of code that is too wide stands in rows, whole and further in", "[window]") {
  const auto letters = [](std::string text) {
    std::erase(text, ' ');
    return text;
  };
  const std::string longest(70, 'x');
  for (const std::string& line :
       {std::string("    for (int64_t i = 0; i < count; ++i) total += values[i] * weights[i];"),
        std::string("        ") + longest, std::string(), std::string("}")}) {
    for (size_t columns = 20; columns < 90; ++columns) {
      INFO(line << ", " << columns);
      const std::vector<app::CodeRow> rows = app::rows_of(line, columns);
      REQUIRE_FALSE(rows.empty());
      std::string joined;
      for (const app::CodeRow& row : rows) {
        CHECK(row.margin + row.text.size() <= columns);
        joined += row.text;
      }
      CHECK(letters(joined) == letters(line));
      CHECK(rows.front().margin == 0);
      CHECK((rows.size() == 1) == (line.size() <= columns));
      if (rows.size() > 1)
        CHECK(rows[1].margin == std::min(line.find_first_not_of(' ') + 4, columns / 2));
    }
  }
}

TEST_CASE("a lesson becomes blocks; markup never shows", "[window]") {
  const auto blocks = study::parse_markdown(
      "# Head\n\nPlain **bold** and `code` &amp; more\nsame line.\n\n1. one\n2. two\n\n```\nint "
      "a;\n```\n\n"
      "| a | b |\n|---|---|\n| 1 | 2 |\n");
  REQUIRE(blocks.size() == 7);
  CHECK(blocks[0].kind == study::Block::Kind::heading);
  CHECK(blocks[0].level == 1);
  CHECK(blocks[1].runs[1].strong);
  CHECK(blocks[1].runs[3].code);
  CHECK(blocks[1].runs[4].text == " & more same line.");
  CHECK(blocks[3].marker == "2.");
  CHECK(blocks[4].kind == study::Block::Kind::code);
  CHECK(blocks[5].header);
  CHECK(blocks[6].runs[1].text == "2");
  CHECK(study::parse_markdown("").empty());
}

Run recorded(const std::vector<int64_t>& sizes) {
  Transcript lines;
  add_start(&lines);
  WorkRequest request = request_for(RequestType::run, 4);
  request.kernels.clear();
  for (const int64_t n : sizes) request.kernels.push_back({kFirst, {{"n", n}}});
  lines.send(request);
  for (size_t i = 0; i < sizes.size(); ++i) {
    Series series = outcome(4, static_cast<int>(i), kFirst);
    series.params["n"] = sizes[i];
    lines.worker("result", with(about(4, static_cast<int>(i)), "outcome", series));
  }
  Run run;
  for (const std::string& line : lines.lines) run.apply_line(line);
  return run;
}

TEST_CASE("a recording is snapped to the nearest size, which is named", "[window]") {
  const Run run = recorded({512, 1024, 4096});
  const auto at = [&](int64_t n) {
    return app::nearest_series(run, kFirst, {{"n", n}, {"dtype", std::string("fp32")}},
                               CacheMode::hot);
  };
  CHECK(at(1024).exact);
  CHECK(at(1024).shown_size.empty());
  CHECK_FALSE(at(8192).exact);
  CHECK(at(8192).shown_size == "n = 4096");
  CHECK(at(1500).shown_size == "n = 1024");  // nearest in ratio
  CHECK(at(1).shown_size == "n = 512");
  CHECK(app::nearest_series(run, kFirst, {{"n", int64_t{512}}}, CacheMode::cold).series == nullptr);
  CHECK(app::nearest_series(run, kFirst, {{"dtype", std::string("bf16")}}, CacheMode::hot).series ==
        nullptr);
  CHECK(app::nearest_series(run, kSecond, {{"n", int64_t{512}}}, CacheMode::hot).series == nullptr);
}

}  // namespace
}  // namespace ridge::test
