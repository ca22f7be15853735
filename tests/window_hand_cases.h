// What a hand meets: tooltips, the keyboard's focus, a verdict's whole reason. Part of window_test.cpp, in a file of its
// own.
#pragma once

#include "app/platform/key_queue.h"
#include "app/window/views/view.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using compat::Key;
using window::Area;

constexpr int kWaited_frames = 30;  // of 1/60 s: longer than a tooltip waits

bool overlap(const Area& a, const Area& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

TEST_CASE("a tooltip waits, covers nothing of what it explains, and goes with a key", "[window]") {
  Fixture f;
  const std::string rung = "rung:gemm.cpu.naive_o1";
  REQUIRE(f.driver->hover(rung));
  CHECK(f.driver->find("tooltip") == nullptr);
  f.driver->frames(kWaited_frames);
  const Area* shown = f.driver->find("tooltip");
  REQUIRE(shown);
  const Area row = *f.driver->find(rung);
  CHECK_FALSE(overlap(*shown, row));
  // The next thing's comes at once.
  REQUIRE(f.driver->hover("rung:gemm.cpu.naive_o3"));
  CHECK(f.driver->find("tooltip"));
  f.driver->key(Key::up);
  f.driver->frames(kWaited_frames);
  CHECK(f.driver->find("tooltip") == nullptr);
  f.driver->move(row.x + 20, row.middle());
  f.driver->frames(kWaited_frames);
  CHECK(f.driver->find("tooltip"));
}

TEST_CASE("a tab's tooltip stands on no other tab", "[window]") {
  Fixture f(1280, 720);
  for (const char* tab : {"lesson", "source", "diff"}) {
    REQUIRE(f.driver->hover(tab));
    f.driver->frames(kWaited_frames);
    const Area* shown = f.driver->find("tooltip");
    REQUIRE(shown);
    for (const char* other : {"lesson", "source", "diff"})
      CHECK_FALSE(overlap(*shown, *f.driver->find(other)));
  }
}

TEST_CASE("Tab walks from stop to stop, Enter presses, and a ring says where", "[window]") {
  Fixture f;
  CHECK(f.driver->find("focus") == nullptr);
  f.driver->key(Key::tab);
  const Area* focus = f.driver->find("focus");
  REQUIRE(focus);
  CHECK(overlap(*focus, *f.driver->find("menu")));
  // Every stop of the lab once, then the first again: none keeps the focus.
  const Area first = *focus;
  int stops = 1;
  for (; stops < 400; ++stops) {
    f.driver->key(Key::tab);
    REQUIRE(f.driver->find("focus"));
    if (f.driver->find("focus")->x == first.x && f.driver->find("focus")->y == first.y) break;
  }
  CHECK(stops > 10);
  INFO(stops << " stops");
  CHECK(
      stops <
      200);  // the lesson's terms, links and hints among them, each once however many words it has
  f.driver->key(Key::enter);
  f.driver->frames(3);
  REQUIRE(f.state.view.show_menu);
  // The menu lies over the lab: Tab stays in it.
  f.driver->key(Key::tab);
  REQUIRE(f.driver->find("focus"));
  CHECK_FALSE(overlap(*f.driver->find("focus"), *f.driver->find("run")));
  f.driver->key(Key::escape);
  REQUIRE(f.driver->click("lesson"));
  CHECK(f.driver->find("focus") == nullptr);
}

TEST_CASE("a clicker's keys move no focus", "[window]") {
  Fixture f;
  f.driver->key(Key::tab);
  const Area before = *f.driver->find("focus");
  for (const Key key : {Key::page_down, Key::page_up}) {
    f.driver->key(key);
    REQUIRE(f.driver->find("focus"));
    CHECK(f.driver->find("focus")->x == before.x);
  }
}

TEST_CASE("a verdict's reason is whole in a narrow window, and its card stays low in a low one",
          "[window]") {
  float whole = 0;
  for (const float height : {1000.f, 700.f}) {
    Fixture f(1000, height);
    f.run_all();
    f.driver->type('b');
    window::select_rung(f.state, "gemm.cpu.loop_order");
    f.driver->type('c');
    f.session.judge(f.session.last(RequestType::compare), Verdict::faster, 4);
    f.driver->frames(3);
    const Area* words = f.driver->find("verdict_text");
    REQUIRE(words);
    const Area card = *f.driver->find("verdict");
    INFO(height << ": " << words->h << " of " << card.h);
    CHECK(words->y >= card.y);
    CHECK(words->bottom() <= card.bottom());
    if (height < 800) {
      CHECK(card.h < whole);
      continue;
    }
    CHECK(words->h > 60);  // three lines
    CHECK_FALSE(f.driver->find("verdict_reason"));  // nothing of it was cut
    whole = card.h;
  }
}

TEST_CASE("threads are no step where there is one thread", "[window]") {
  Fixture f;
  const auto step_of = [&](const std::string& title) -> std::string {
    window::ChartRows rows;
    const chart::ChartModel model = window::find_view("gains")->build(f.state, &rows);
    for (size_t i = 0; i < model.rows.size(); ++i) {
      if (model.rows[i].label == title) return model.panels.at(1).row_reasons.at(i);
    }
    return "no row";
  };
  window::set_param(f.state, "threads", int64_t{2});
  f.driver->frames(20);
  f.run_all();
  CHECK(step_of("threads").starts_with("≈"));
  window::set_param(f.state, "threads", int64_t{1});
  f.driver->frames(20);
  f.run_all();
  CHECK(step_of("threads") == "no step");
  // What comes after goes on from the rung before.
  CHECK(step_of("inner product").starts_with("≈"));
}

TEST_CASE("a convolution without its layers is no depthwise step", "[window]") {
  Params params = {{"c", int64_t{64}},
                   {"m", int64_t{64}},
                   {"groups", int64_t{1}},
                   {"layout", std::string("nhwc")}};
  CHECK_FALSE(why_no_step("conv.cuda.depthwise", params).empty());
  params["groups"] = int64_t{64};
  CHECK(why_no_step("conv.cuda.depthwise", params).empty());
  CHECK(why_no_step("conv.cuda.direct", params).empty());
}

TEST_CASE("keys and characters reach a text field in the order typed", "[window]") {
  constexpr int kEnter = 257, kBackspace = 259, kControl = 0x2;
  window::KeyQueue queue;
  const auto never = [](int) { return false; };
  queue.press('A', 0), queue.type('a'), queue.press('A', 0), queue.type('a');
  queue.press(kEnter, 0), queue.press('B', 0), queue.type('b');
  queue.press(kBackspace, 0), queue.press('S', kControl);
  CHECK(queue.waits(kBackspace));
  CHECK(queue.take(true, never).characters == U"aa");
  const window::KeyFrame enter = queue.take(true, never);
  CHECK(enter.characters.empty());
  CHECK(enter.pressed == std::u32string(1, kEnter));
  CHECK(queue.take(true, never).characters == U"b");
  CHECK(queue.take(true, [](int key) { return key == kBackspace; }).released == kBackspace);
  CHECK(queue.take(true, never).pressed == std::u32string(1, kBackspace));
  CHECK(queue.take(true, never).modifiers == kControl);
  CHECK(queue.take(true, never).is_empty);
}

TEST_CASE("outside a text field each key has a frame, with its own character", "[window]") {
  window::KeyQueue queue;
  const auto never = [](int) { return false; };
  queue.press('A', 0), queue.type('a'), queue.press('B', 0), queue.type('b');
  CHECK(queue.take(false, never).characters == U"a");
  CHECK(queue.take(false, never).characters == U"b");
  CHECK(queue.empty());
}

}  // namespace
}  // namespace ridge::test
