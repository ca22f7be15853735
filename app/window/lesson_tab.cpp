#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/window/panels.h"

namespace ridge::window {
namespace {

/// "gemm.cpu.loop_order · loop order": a heading that begins with a kernel's id opens that rung's
/// part, up to the next heading of its level or above.
std::string kernel_of(const Block& block, const Lab& lab) {
  if (block.kind != Block::Kind::heading || block.runs.empty()) return {};
  const std::string& text = block.runs.front().text;
  for (const Rung& rung : lab.rungs) {
    const std::string_view id = rung.kernel;
    const bool starts = text.compare(0, id.size(), id) == 0;
    if (starts && (text.size() == id.size() || text[id.size()] == ' ')) return rung.kernel;
  }
  return {};
}

struct Word {
  std::string text;
  Face face = Face::body;
  Role role = Role::text;
  bool space_before = false;
};

std::vector<Word> words_of(const std::vector<TextRun>& runs, Role plain) {
  std::vector<Word> words;
  bool space = false;
  for (const TextRun& run : runs) {
    const Face face = run.code ? Face::mono : run.strong ? Face::strong : Face::body;
    const Role role = run.strong || run.emphasis || run.code ? Role::text : plain;
    size_t at = 0;
    while (at < run.text.size()) {
      if (run.text[at] == ' ' || run.text[at] == '\n') {
        space = true;
        ++at;
        continue;
      }
      const size_t end = std::min(run.text.find_first_of(" \n", at), run.text.size());
      words.push_back({run.text.substr(at, end - at), face, role, space});
      space = false;
      at = end;
    }
  }
  return words;
}

/// Text of mixed faces, broken at spaces; returns the height taken.
float draw_words(Ui& ui, const Area& area, const std::vector<Word>& words, float size,
                 float leading) {
  const float line_h = std::round(ui.px(size) * leading), space_w = ui.width(" ", size);
  float x = area.x, y = area.y;
  for (size_t i = 0; i < words.size();) {
    // Pieces without a space between them ("**C**,") stay together.
    size_t end = i + 1;
    float w = 0;
    const auto word_size = [&](const Word& word) {
      return word.face == Face::mono ? size - 1.5f : size;
    };
    while (end < words.size() && !words[end].space_before) ++end;
    for (size_t k = i; k < end; ++k)
      w += ui.width(words[k].text, word_size(words[k]), words[k].face);
    if (words[i].space_before && x > area.x) x += space_w;
    if (x > area.x && x + w > area.right()) {
      x = area.x;
      y += line_h;
    }
    for (; i < end; ++i) {
      x += ui.text(x, y + line_h / 2, words[i].text, word_size(words[i]), words[i].role,
                   words[i].face);
    }
  }
  return y + line_h - area.y;
}

}  // namespace

float LessonTab::draw_block(Ui& ui, const Area& area, const Block& block) const {
  const float size = kSmall_px + 1;
  switch (block.kind) {
    case Block::Kind::heading: {
      std::string text = block.runs.empty() ? std::string() : block.runs.front().text;
      const std::string kernel = kernel_of(block, *ui.state.view.lab);
      if (const size_t dot = text.find("· "); !kernel.empty() && dot != std::string::npos) {
        text = text.substr(dot + std::string_view("· ").size());
      }
      const float top = ui.px(block.level == 1 ? 2 : 8);
      return top +
             ui.paragraph({area.x, area.y + top, area.w, 0}, text,
                          block.level == 1 ? kHeading_px : kBody_px + 1, Role::text, Face::strong) +
             ui.px(4);
    }
    case Block::Kind::paragraph:
    case Block::Kind::quote:
      return draw_words(ui, area, words_of(block.runs, Role::muted), size, 1.5f) + ui.px(10);
    case Block::Kind::item: {
      const float indent = ui.px(22) * static_cast<float>(std::max(1, block.level));
      const float line_h = std::round(ui.px(size) * 1.5f);
      ui.text(area.x + indent - ui.px(10), area.y + line_h / 2, block.marker, size, Role::muted,
              Face::body, Anchor::end);
      const Area text = {area.x + indent, area.y, area.w - indent, 0};
      return draw_words(ui, text, words_of(block.runs, Role::muted), size, 1.5f) + ui.px(4);
    }
    case Block::Kind::code: {
      const std::string text = block.runs.empty() ? std::string() : block.runs.front().text;
      const auto lines = split_lines(text);
      const float line_h = ui.px(21), h = line_h * static_cast<float>(lines.size()) + ui.px(16);
      ui.fill({area.x, area.y, area.w, h}, ui.color(Role::canvas), ui.px(5));
      LexState lexer;
      float y = area.y + ui.px(8) + line_h / 2;
      for (const std::string_view line : lines) {
        draw_code_line(ui, area.x + ui.px(12), y, line, &lexer, kTiny_px + 1);
        y += line_h;
      }
      return h + ui.px(10);
    }
    case Block::Kind::row: {
      const float w = area.w / static_cast<float>(std::max<size_t>(1, block.runs.size()));
      float x = area.x;
      for (const TextRun& cell : block.runs) {
        ui.text(x, area.y + ui.px(13), cell.text, kSmall_px,
                block.header ? Role::text : Role::muted, block.header ? Face::strong : Face::body,
                Anchor::start, w - ui.px(8));
        x += w;
      }
      return ui.px(26);
    }
    case Block::Kind::rule:
      ui.list->AddLine({area.x, area.y + ui.px(8)}, {area.right(), area.y + ui.px(8)},
                       ui.color(Role::grid));
      return ui.px(18);
  }
  return 0;
}

void LessonTab::draw(Ui& ui, Area area) {
  const Lab& lab = *ui.state.view.lab;
  if (path_ != lab.lesson) {
    path_ = lab.lesson;
    const std::filesystem::path name = std::filesystem::path(path_).filename();
    const std::string folder = asset_folder("lessons");
    const auto text =
        folder.empty() ? std::nullopt : read_text((std::filesystem::path(folder) / name).string());
    blocks_ = text ? parse_markdown(*text) : std::vector<Block>();
  }
  if (blocks_.empty()) {
    draw_empty_state(
        ui, area, "The lesson was not found.",
        "It is " + path_ + "; start ridgepoint from its own folder, or set RIDGEPOINT_ASSETS.");
    return;
  }
  const auto draw_one = [&](const Block& block) { area.y += draw_block(ui, area, block); };
  // The selected rung's part, then everything that belongs to no rung.
  bool in_part = false, found = false;
  for (const Block& block : blocks_) {
    if (block.kind == Block::Kind::heading && block.level <= 2) {
      in_part = kernel_of(block, lab) == ui.state.view.rung;
    }
    if (in_part) draw_one(block), found = true;
  }
  if (found) {
    area.y += ui.px(10);
    ui.list->AddLine({area.x, area.y}, {area.right(), area.y}, ui.color(Role::grid));
    area.y += ui.px(14);
  }
  bool of_a_rung = false;
  for (const Block& block : blocks_) {
    if (block.kind == Block::Kind::heading && block.level <= 2)
      of_a_rung = !kernel_of(block, lab).empty();
    if (!of_a_rung) draw_one(block);
  }
  ImGui::SetCursorScreenPos({area.x, area.y});
  ImGui::Dummy({area.w, ui.px(8)});
}

}  // namespace ridge::window
