#include "app/study/markdown.h"

#include <md4c.h>

#include <array>

namespace ridge::study {
namespace {

struct List {
  bool ordered = false;
  unsigned next = 1;
};

struct Builder {
  std::vector<Block> blocks;
  std::vector<List> lists;
  TextRun style;
  bool in_quote = false, in_head = false, open = false, item_fresh = false;

  void begin(Block::Kind kind, int level = 0) {
    blocks.push_back({kind, level, {}, in_head, {}, {}});
    open = true;
  }
  void add(std::string_view text) {
    if (!open) begin(in_quote ? Block::Kind::quote : Block::Kind::paragraph);
    auto& runs = blocks.back().runs;
    const bool same = !runs.empty() && blocks.back().kind != Block::Kind::row &&
                      runs.back().strong == style.strong &&
                      runs.back().emphasis == style.emphasis && runs.back().code == style.code &&
                      runs.back().link == style.link;
    if (!same && blocks.back().kind != Block::Kind::row) {
      runs.push_back(style);
      runs.back().text.clear();
    }
    if (runs.empty()) return;
    runs.back().text += text;
    if (!style.link.empty())
      runs.back().link = style.link;  // a row's cell has that of its last span
  }
};

int enter_block(MD_BLOCKTYPE type, void* detail, void* user) {
  Builder& to = *static_cast<Builder*>(user);
  switch (type) {
    case MD_BLOCK_H:
      to.begin(Block::Kind::heading,
               static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level));
      break;
    case MD_BLOCK_P:
      // The first paragraph of an item is the item itself.
      if (to.item_fresh)
        to.item_fresh = false;
      else
        to.begin(to.in_quote ? Block::Kind::quote : Block::Kind::paragraph);
      break;
    case MD_BLOCK_QUOTE:
      to.in_quote = true;
      break;
    case MD_BLOCK_UL:
      to.lists.push_back({});
      break;
    case MD_BLOCK_OL:
      to.lists.push_back({true, static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start});
      break;
    case MD_BLOCK_LI: {
      to.begin(Block::Kind::item, static_cast<int>(to.lists.size()));
      List& list = to.lists.back();
      to.blocks.back().marker = list.ordered ? std::to_string(list.next++) + "." : "•";
      to.item_fresh = true;
      break;
    }
    case MD_BLOCK_CODE: {
      to.begin(Block::Kind::code);
      const MD_ATTRIBUTE& info = static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->info;
      to.blocks.back().info.assign(info.text, info.size);
      break;
    }
    case MD_BLOCK_HR:
      to.begin(Block::Kind::rule);
      break;
    case MD_BLOCK_THEAD:
      to.in_head = true;
      break;
    case MD_BLOCK_TR:
      to.begin(Block::Kind::row);
      break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
      to.blocks.back().runs.emplace_back();
      break;
    default:
      break;
  }
  return 0;
}

int leave_block(MD_BLOCKTYPE type, void*, void* user) {
  Builder& to = *static_cast<Builder*>(user);
  if (type == MD_BLOCK_QUOTE) to.in_quote = false;
  if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) to.lists.pop_back();
  if (type == MD_BLOCK_THEAD) to.in_head = false;
  if (type == MD_BLOCK_LI) to.item_fresh = false;
  if (type == MD_BLOCK_P || type == MD_BLOCK_H || type == MD_BLOCK_CODE || type == MD_BLOCK_LI) {
    to.open = false;
  }
  return 0;
}

int change_span(MD_SPANTYPE type, Builder& to, bool on) {
  if (type == MD_SPAN_STRONG) to.style.strong = on;
  if (type == MD_SPAN_EM) to.style.emphasis = on;
  if (type == MD_SPAN_CODE) to.style.code = on;
  return 0;
}

int enter_span(MD_SPANTYPE type, void* detail, void* user) {
  if (type == MD_SPAN_A) {
    const MD_ATTRIBUTE& href = static_cast<MD_SPAN_A_DETAIL*>(detail)->href;
    static_cast<Builder*>(user)->style.link.assign(href.text, href.size);
  }
  return change_span(type, *static_cast<Builder*>(user), true);
}

int leave_span(MD_SPANTYPE type, void*, void* user) {
  if (type == MD_SPAN_A) static_cast<Builder*>(user)->style.link.clear();
  return change_span(type, *static_cast<Builder*>(user), false);
}

std::string_view entity(std::string_view name) {
  static constexpr std::array<std::array<std::string_view, 2>, 8> kEntities = {{{"&amp;", "&"},
                                                                                {"&lt;", "<"},
                                                                                {"&gt;", ">"},
                                                                                {"&quot;", "\""},
                                                                                {"&nbsp;", " "},
                                                                                {"&times;", "×"},
                                                                                {"&middot;", "·"},
                                                                                {"&ndash;", "–"}}};
  for (const auto& [from, to] : kEntities) {
    if (from == name) return to;
  }
  return name;
}

int add_text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user) {
  Builder& to = *static_cast<Builder*>(user);
  switch (type) {
    case MD_TEXT_BR:
    case MD_TEXT_SOFTBR:
      to.add(" ");
      break;
    case MD_TEXT_ENTITY:
      to.add(entity({text, size}));
      break;
    case MD_TEXT_HTML:
      break;
    default:
      to.add({text, size});
      break;
  }
  return 0;
}

}  // namespace

std::vector<Block> parse_markdown(const std::string& text) {
  Builder builder;
  MD_PARSER parser = {};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH;
  parser.enter_block = enter_block;
  parser.leave_block = leave_block;
  parser.enter_span = enter_span;
  parser.leave_span = leave_span;
  parser.text = add_text;
  md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &builder);
  return std::move(builder.blocks);
}

}  // namespace ridge::study
