// Where a scene's texts stand: none over another, none outside, labels of bars inside or beyond them.
#pragma once

#include <cmath>
#include <vector>

#include "common/view/chart/model.h"
#include "common/view/chart/text.h"
#include "tests/catch.h"

namespace ridge::test {

struct Box {
  float x0, x1, y0, y1;
};

inline Box box_of(const chart::Primitive& text) {
  const float px =
      chart::builtin_text_width(text.text, text.size_px, text.mono) * (text.bold ? 1.05f : 1);
  const float x0 = text.anchor == chart::Anchor::start    ? text.a.x
                   : text.anchor == chart::Anchor::middle ? text.a.x - px / 2
                                                          : text.a.x - px;
  return {x0, x0 + px, text.a.y - text.size_px / 2, text.a.y + text.size_px / 2};
}

inline bool overlap(const Box& a, const Box& b) {
  return a.x0 < b.x1 - 0.1f && b.x0 < a.x1 - 0.1f && a.y0 < b.y1 - 0.1f && b.y0 < a.y1 - 0.1f;
}

/// Texts inside the scene and apart from one another; labels of bars either inside or beyond them.
inline void check_scene(const chart::Scene& scene) {
  std::vector<Box> texts;
  for (const chart::Primitive& p : scene.primitives) {
    CHECK(std::isfinite(p.a.x + p.a.y + p.b.x + p.b.y));
    if (p.kind == chart::Primitive::Kind::text) {
      const Box box = box_of(p);
      INFO("'" << p.text << "' from " << box.x0 << " to " << box.x1 << " of " << scene.width);
      CHECK(box.x0 >= 0);
      CHECK(box.x1 <= scene.width);
      CHECK(box.y0 >= 0);
      CHECK(box.y1 <= scene.height);
      for (const Box& other : texts) CHECK_FALSE(overlap(box, other));
      texts.push_back(box);
    }
  }
  for (const chart::Primitive& text : scene.primitives) {
    if (text.kind != chart::Primitive::Kind::text || !text.mono) continue;
    const Box label = box_of(text);
    for (const chart::Primitive& bar : scene.primitives) {
      if (bar.kind != chart::Primitive::Kind::rect || bar.role == chart::Role::highlight) continue;
      if (bar.alpha < 0.2f) continue;  // a band is background
      const Box area{bar.a.x, bar.b.x, bar.a.y, bar.b.y};
      if (!overlap(label, area)) continue;
      INFO("'" << text.text << "' on a bar from " << area.x0 << " to " << area.x1);
      CHECK(text.role == chart::Role::canvas);  // readable on the bar ...
      CHECK(label.x0 >= area.x0);               // ... and wholly on it
      CHECK(label.x1 <= area.x1);
      CHECK(area.y1 - area.y0 >= text.size_px * 0.9f);  // in height as well
      CHECK_FALSE(bar.hatched);
    }
  }
}

}  // namespace ridge::test
