#include "app/window/views/chart_draw.h"

#include <algorithm>
#include <cmath>

#include "app/window/teach/study.h"

namespace ridge::window {
namespace {

using chart::Marker;
using chart::Point;
using chart::Primitive;

Face face_of(const Primitive& p) {
  return p.mono ? Face::mono : p.bold ? Face::strong : Face::body;
}

class SceneDrawer {
 public:
  SceneDrawer(Ui& ui, float x, float y) : ui_(ui), x_(x), y_(y) {}

  void draw(const Primitive& p) {
    switch (p.kind) {
      case Primitive::Kind::rect:
        return rect(p);
      case Primitive::Kind::line:
        return line(at(p.a), at(p.b), ui_.color(p.role, p.alpha), p.size_px, p.dashed);
      case Primitive::Kind::text:
        return text(p);
      case Primitive::Kind::marker:
        return marker(p);
      case Primitive::Kind::slab:
        return slab(p);
    }
  }

 private:
  ImVec2 at(Point point) const { return {x_ + point.x, y_ + point.y}; }

  // On half pixels, so that a line of one pixel covers one row of pixels and not two half ones.
  static ImVec2 crisp(ImVec2 p) { return {std::floor(p.x) + 0.5f, std::floor(p.y) + 0.5f}; }

  void line(ImVec2 a, ImVec2 b, ImU32 color, float width, bool dashed) {
    if (a.x == b.x || a.y == b.y) a = crisp(a), b = crisp(b);
    if (!dashed) {
      ui_.list->AddLine(a, b, color, width);
      return;
    }
    const float dx = b.x - a.x, dy = b.y - a.y, length = std::sqrt(dx * dx + dy * dy);
    const float on = ui_.px(5), period = ui_.px(9);
    for (float from = 0; from < length; from += period) {
      const float to = std::min(from + on, length);
      ui_.list->AddLine({a.x + dx * from / length, a.y + dy * from / length},
                        {a.x + dx * to / length, a.y + dy * to / length}, color, width);
    }
  }

  void rect(const Primitive& p) {
    const ImVec2 a = at(p.a), b = at(p.b);
    const ImU32 color = p.shade < 0 ? ui_.color(p.role, p.alpha) : ui_.shade(p.shade);
    if (p.filled && p.hatched) return hatch(p, a, b);
    if (p.filled) {
      ui_.list->AddRectFilled(a, b, color, p.radius_px);
    } else if (p.dashed) {
      line(a, {b.x, a.y}, color, p.size_px, true);
      line({a.x, b.y}, b, color, p.size_px, true);
      line(a, {a.x, b.y}, color, p.size_px, true);
      line({b.x, a.y}, b, color, p.size_px, true);
    } else {
      compat::add_rect(ui_.list, crisp(a), crisp(b), color, p.radius_px, p.size_px);
    }
  }

  /// Without smoothing, so that slabs side by side leave no seam.
  void slab(const Primitive& p) {
    const ImDrawListFlags flags = ui_.list->Flags;
    ui_.list->Flags &= ~ImDrawListFlags_AntiAliasedFill;
    ui_.list->AddQuadFilled(at(p.a), at(p.b), at({p.b.x, p.b.y + p.below_b}),
                            at({p.a.x, p.a.y + p.below_a}), ui_.color(p.role, p.alpha));
    ui_.list->Flags = flags;
  }

  void hatch(const Primitive& p, ImVec2 a, ImVec2 b) {
    ui_.list->AddRectFilled(a, b, ui_.color(p.role, 0.18f * p.alpha), p.radius_px);
    const float step = ui_.px(8), height = b.y - a.y;
    const ImU32 color = ui_.color(p.role, 0.75f * p.alpha);
    ui_.list->PushClipRect(a, b, true);
    for (float x = a.x - height; x < b.x; x += step) {
      ui_.list->AddLine({x, b.y}, {x + height, a.y}, color, ui_.px(2));
    }
    ui_.list->PopClipRect();
  }

  void text(const Primitive& p) {
    // ui.text() takes heights at scale 1; the scene's are in pixels already.
    const Face face = face_of(p);
    const float size = std::round(p.size_px);
    ui_.note_text(p.text, size);
    ImFont* font = ui_.fonts.get(face, size);
    const float width = ui_.fonts.width(face, size, p.text);
    if (p.angle != 0) return rotated(p, font, size);
    float x = x_ + p.a.x;
    if (p.anchor == Anchor::middle) x -= width / 2;
    if (p.anchor == Anchor::end) x -= width;
    ui_.list->AddText(font, size, {std::round(x), std::round(y_ + p.a.y - size / 2)},
                      ui_.color(p.role, p.alpha), p.text.data(), p.text.data() + p.text.size());
  }

  /// Drawn level, then its corners are turned: ImGui has no rotated text.
  void rotated(const Primitive& p, ImFont* font, float size) {
    const ImVec2 pivot = at(p.a);
    const int first = ui_.list->VtxBuffer.Size;
    ui_.list->AddText(font, size, {pivot.x, pivot.y - size / 2}, ui_.color(p.role, p.alpha),
                      p.text.data(), p.text.data() + p.text.size());
    const float cosine = std::cos(p.angle), sine = std::sin(p.angle);
    for (int i = first; i < ui_.list->VtxBuffer.Size; ++i) {
      ImVec2& corner = ui_.list->VtxBuffer[i].pos;
      const float x = corner.x - pivot.x, y = corner.y - pivot.y;
      corner = {pivot.x + x * cosine - y * sine, pivot.y + x * sine + y * cosine};
    }
  }

  void polygon(const Primitive& p, std::initializer_list<Point> offsets) {
    ImVec2 points[5];
    int count = 0;
    for (const Point& offset : offsets) {
      points[count++] = at({p.a.x + offset.x, p.a.y + offset.y});
    }
    const ImU32 color = ui_.color(p.role, p.alpha);
    if (p.filled) {
      ui_.list->AddConvexPolyFilled(points, count, color);
    } else {
      points[count] = points[0];
      compat::add_polyline(ui_.list, points, count + 1, color, 1.4f);
    }
  }

  void marker(const Primitive& p) {
    const float r = p.size_px;
    const ImU32 color = ui_.color(p.role, p.alpha);
    switch (p.marker) {
      case Marker::none:
        return;
      case Marker::dot:
        if (p.filled)
          ui_.list->AddCircleFilled(at(p.a), r, color);
        else
          ui_.list->AddCircle(at(p.a), r, color, 0, 1.4f);
        return;
      case Marker::square:
        return polygon(p, {{-r, -r}, {r, -r}, {r, r}, {-r, r}});
      case Marker::triangle:
        return polygon(p, {{0, -r * 1.2f}, {r * 1.1f, r}, {-r * 1.1f, r}});
      case Marker::diamond:
        return polygon(p, {{0, -r * 1.3f}, {r * 1.3f, 0}, {0, r * 1.3f}, {-r * 1.3f, 0}});
      case Marker::cross:
        ui_.list->AddLine(at({p.a.x - r, p.a.y - r}), at({p.a.x + r, p.a.y + r}), color, 1.4f);
        ui_.list->AddLine(at({p.a.x - r, p.a.y + r}), at({p.a.x + r, p.a.y - r}), color, 1.4f);
        return;
    }
  }

  Ui& ui_;
  float x_, y_;
};

}  // namespace

chart::TextWidth text_width_of(Fonts& fonts) {
  return [&fonts](const std::string& text, float size_px, bool mono) {
    return fonts.width(mono ? Face::mono : Face::body, size_px, text);
  };
}

void draw_scene(Ui& ui, const chart::Scene& scene, float x, float y) {
  SceneDrawer drawer(ui, x, y);
  for (const Primitive& primitive : scene.primitives) drawer.draw(primitive);
}

const chart::Hit* hit_at(const chart::Scene& scene, float x, float y) {
  for (auto hit = scene.hits.rbegin(); hit != scene.hits.rend(); ++hit) {
    if (x >= hit->a.x && x < hit->b.x && y >= hit->a.y && y < hit->b.y) return &*hit;
  }
  return nullptr;
}

std::string hit_text(const chart::Hit& hit, const chart::ChartModel& model) {
  const bool says = !hit.value_text.empty() || !hit.note.empty();
  const auto panel = static_cast<size_t>(hit.panel);
  if (!says && hit.row < 0 && hit.panel >= 0 && panel < model.panels.size())
    return metric_text(model.panels[panel].metric);
  return hit.value_text + (hit.value_text.empty() || hit.note.empty() ? "" : "\n") + hit.note;
}

}  // namespace ridge::window
