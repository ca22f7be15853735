#include "common/view/chart/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "common/view/chart/ramp.h"
#include "common/view/chart/theme.h"

namespace ridge::chart {
namespace {

std::string name_of(Role role) {
  return kTheme[static_cast<size_t>(role)].name;
}

/// Tenths of a pixel: enough for the eye, and short.
std::string px(float value) {
  if (!std::isfinite(value)) return "0";
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

/// Of a growing chart: how long it is whole at first (a first frame, or a renderer without motion, shows no empty
/// chart), how long a bar takes, and how long after the one above it begins.
constexpr double kWhole_s = 1.5, kGrow_s = 0.5, kNextRow_s = 0.6;

/// Each part has two animations, one after the other: it is away, it grows.
std::string motion_css() {
  return "@media (prefers-reduced-motion:no-preference){\n"
         ".ridge-chart .grow{transform-box:fill-box;transform-origin:left;animation-name:away,grow;"
         "animation-timing-function:linear,ease-out}\n"
         ".ridge-chart .come{animation-name:gone,come;animation-timing-function:linear,ease-in}\n"
         "@keyframes away{from,to{transform:scaleX(0)}}\n"
         "@keyframes grow{from{transform:scaleX(0)}}\n"
         "@keyframes gone{from,to{opacity:0}}\n"
         "@keyframes come{from{opacity:0}}\n"
         "}\n";
}

std::string variables(bool dark) {
  std::string text;
  for (const RoleColour& entry : kTheme) {
    text += fmt::format("--{}:#{:06X};", entry.name, dark ? entry.dark_rgb : entry.light_rgb);
  }
  return text;
}

std::string role_css() {
  std::string text;
  for (const RoleColour& entry : kTheme) {
    text += fmt::format(
        ".ridge-chart .f-{0}{{fill:#{1:06X};fill:var(--{0})}}"
        ".ridge-chart .s-{0}{{fill:none;stroke:#{1:06X};stroke:var(--{0})}}\n",
        entry.name, entry.light_rgb);
  }
  return text;
}

class Writer {
 public:
  Writer(const ChartModel& model, const Scene& scene, const SvgOptions& options)
      : model_(model), scene_(scene), options_(options) {
    for (const char sign : model.id)
      id_ += std::isalnum(static_cast<unsigned char>(sign)) ? sign : '-';
    if (id_.empty()) id_ = "chart";
  }

  std::string write() {
    const std::string w = px(scene_.width), h = px(scene_.height);
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ridge-chart\" role=\"img\" "
        "width=\"{0}\" "
        "height=\"{1}\" viewBox=\"0 0 {0} {1}\" aria-labelledby=\"{2}-title {2}-desc\">\n",
        w, h, id_);
    out_ += fmt::format("<title id=\"{}-title\">{}</title>\n", id_,
                        escape_xml(model_.title.empty() ? model_.id : model_.title));
    out_ += fmt::format("<desc id=\"{}-desc\">{}</desc>\n", id_, escape_xml(model_.summary));
    if (!options_.embedded) {
      out_ += "<style>\n" + theme_css(".ridge-chart") + svg_css() +
              (options_.growing ? motion_css() : "") + "</style>\n";
      out_ += fmt::format("<rect width=\"{}\" height=\"{}\" class=\"f-panel\"/>\n", w, h);
    }
    write_ramp();
    write_hatches();
    for (const Primitive& primitive : scene_.primitives) write_moving(primitive);
    return out_ + "</svg>\n";
  }

 private:
  /// The row in which a primitive lies, if it comes with the row's bar: the row's name is there from the start.
  int moving_row(const Primitive& p) const {
    if (!options_.growing || scene_.x_axes.empty()) return -1;
    const float y = p.kind == Primitive::Kind::rect ? (p.a.y + p.b.y) / 2 : p.a.y;
    const float y_end = p.kind == Primitive::Kind::line ? p.b.y : y;
    for (const Hit& hit : scene_.hits) {
      if (hit.panel != -1 || hit.row < 0 || p.a.x < hit.b.x) continue;
      if (y >= hit.a.y && y < hit.b.y && y_end >= hit.a.y && y_end < hit.b.y) return hit.row;
    }
    return -1;
  }

  void write_moving(const Primitive& p) {
    const int row = moving_row(p);
    if (row < 0) return write(p);
    const bool is_bar = p.kind == Primitive::Kind::rect && p.alpha == 1;
    const char* how = is_bar ? "grow" : "come";
    const double away_s = row * kNextRow_s;
    out_ += fmt::format(
        "<g class=\"{}\" "
        "style=\"animation-delay:{:.1f}s,{:.1f}s;animation-duration:{:.1f}s,{:.1f}s\">",
        how, kWhole_s, kWhole_s + away_s, away_s, kGrow_s);
    write(p);
    out_ += "</g>\n";
  }

  /// The shades are no variables of the page: a heatmap brings their rules itself.
  void write_ramp() {
    const bool any = std::any_of(scene_.primitives.begin(), scene_.primitives.end(),
                                 [](const Primitive& p) { return p.shade >= 0; });
    if (!any) return;
    const auto rules = [](bool dark) {
      std::string text;
      for (int step = 0; step < kRampSteps; ++step)
        text += fmt::format(".ridge-chart .v-{}{{fill:#{:06X}}}", step, ramp_rgb(step, dark));
      return text;
    };
    out_ += "<style>" + rules(false) + "@media screen and (prefers-color-scheme:dark){" +
            rules(true) + "}</style>\n";
  }

  void write_hatches() {
    std::set<Role> roles;
    for (const Primitive& primitive : scene_.primitives) {
      if (primitive.hatched) roles.insert(primitive.role);
    }
    if (roles.empty()) return;
    out_ += "<defs>\n";
    for (const Role role : roles) {
      out_ += fmt::format(
          "<pattern id=\"{0}-hatch-{1}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" class=\"f-{1}\" "
          "opacity=\"0.18\"/><rect width=\"2.2\" height=\"6\" class=\"f-{1}\" "
          "opacity=\"0.75\"/></pattern>\n",
          id_, name_of(role));
    }
    out_ += "</defs>\n";
  }

  /// Fill or stroke, line width, dash and opacity of a shape.
  std::string paint(const Primitive& p, bool fill) const {
    std::string text;
    if (fill && p.shade >= 0) {
      text = fmt::format(" class=\"v-{}\"", p.shade);
    } else if (fill && p.hatched) {
      text = fmt::format(" fill=\"url(#{}-hatch-{})\"", id_, name_of(p.role));
    } else if (fill) {
      text = fmt::format(" class=\"f-{}\"", name_of(p.role));
    } else {
      text = fmt::format(" class=\"s-{}\" stroke-width=\"{}\"", name_of(p.role), px(p.size_px));
      if (p.dashed) text += " stroke-dasharray=\"4 3\"";
    }
    if (p.alpha < 1) text += fmt::format(" opacity=\"{:.2f}\"", p.alpha);
    return text;
  }

  void write(const Primitive& p) {
    switch (p.kind) {
      case Primitive::Kind::rect:
        return write_rect(p);
      case Primitive::Kind::line:
        out_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>\n", px(p.a.x),
                            px(p.a.y), px(p.b.x), px(p.b.y), paint(p, false));
        return;
      case Primitive::Kind::text:
        return write_text(p);
      case Primitive::Kind::marker:
        return write_marker(p);
      case Primitive::Kind::slab:
        // Without smoothing, so that slabs side by side leave no seam.
        out_ += fmt::format(
            "<polygon points=\"{0},{1} {2},{3} {2},{4} {0},{5}\" shape-rendering=\"crispEdges\""
            "{6}/>\n",
            px(p.a.x), px(p.a.y), px(p.b.x), px(p.b.y), px(p.b.y + p.below_b),
            px(p.a.y + p.below_a), paint(p, true));
        return;
    }
  }

  void write_rect(const Primitive& p) {
    out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", px(p.a.x), px(p.a.y),
                        px(p.b.x - p.a.x), px(p.b.y - p.a.y));
    if (p.radius_px > 0) out_ += fmt::format(" rx=\"{}\"", px(p.radius_px));
    out_ += paint(p, p.filled) + "/>\n";
  }

  void write_text(const Primitive& p) {
    static constexpr const char* kAnchors[] = {"start", "middle", "end"};
    std::string classes = "f-" + name_of(p.role);
    classes += p.mono ? " mono" : " sans";
    if (p.bold) classes += " bold";
    // 0.35 em under the middle is the base line of both fonts.
    out_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" class=\"{}\"", px(p.a.x),
                        px(p.a.y + 0.35f * p.size_px), px(p.size_px), classes);
    if (p.angle != 0) {
      out_ += fmt::format(" transform=\"rotate({} {} {})\"", px(p.angle * 57.29578f), px(p.a.x),
                          px(p.a.y));
    }
    if (p.anchor != Anchor::start) {
      out_ += fmt::format(" text-anchor=\"{}\"", kAnchors[static_cast<size_t>(p.anchor)]);
    }
    out_ += ">" + escape_xml(p.text) + "</text>\n";
  }

  void write_marker(const Primitive& p) {
    const float x = p.a.x, y = p.a.y, r = p.size_px;
    Primitive stroke = p;
    stroke.size_px = 1.4f;
    const bool solid = p.filled && p.marker != Marker::cross;
    const std::string style = solid ? paint(p, true) : paint(stroke, false);
    auto polygon = [&](std::initializer_list<Point> points) {
      std::string text;
      for (const Point& point : points) text += px(x + point.x) + "," + px(y + point.y) + " ";
      text.pop_back();
      out_ += fmt::format("<polygon points=\"{}\"{}/>\n", text, style);
    };
    switch (p.marker) {
      case Marker::none:
        return;
      case Marker::dot:
        out_ +=
            fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", px(x), px(y), px(r), style);
        return;
      case Marker::square:
        return polygon({{-r, -r}, {r, -r}, {r, r}, {-r, r}});
      case Marker::triangle:
        return polygon({{0, -r * 1.2f}, {r * 1.1f, r}, {-r * 1.1f, r}});
      case Marker::diamond:
        return polygon({{0, -r * 1.3f}, {r * 1.3f, 0}, {0, r * 1.3f}, {-r * 1.3f, 0}});
      case Marker::cross:
        out_ += fmt::format("<path d=\"M{0} {1}L{2} {3}M{0} {3}L{2} {1}\"{4}/>\n", px(x - r),
                            px(y - r), px(x + r), px(y + r), style);
        return;
    }
  }

  const ChartModel& model_;
  const Scene& scene_;
  const SvgOptions& options_;
  std::string id_, out_;
};

}  // namespace

std::string escape_xml(const std::string& text) {
  const auto is_plain = [](char sign) {
    const auto code = static_cast<unsigned char>(sign);
    return code >= 0x20 && code != 0xef && code != '&' && code != '<' && code != '>' &&
           code != '"' && code != '\'';
  };
  if (std::all_of(text.begin(), text.end(), is_plain)) return text;  // most are
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    const char sign = text[at];
    if (const auto three = std::string_view(text).substr(at, 3);
        three == "\xef\xbf\xbe" || three == "\xef\xbf\xbf") {
      at += 2;
      continue;
    }
    switch (sign) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(sign) >= 0x20 || sign == '\n' || sign == '\t') out += sign;
    }
  }
  return out;
}

std::string theme_css(const std::string& selector) {
  static const std::string kLight = variables(false), kDark = variables(true);
  return fmt::format("{0}{{{1}}}\n@media screen and (prefers-color-scheme:dark){{{0}{{{2}}}}}\n",
                     selector, kLight, kDark);
}

std::string svg_css() {
  // The plain colour before each var() is for readers of SVG that know no variables.
  static const std::string kRoles = role_css();
  return ".ridge-chart .sans{font-family:Inter,system-ui,'Segoe "
         "UI',Roboto,sans-serif;font-weight:500}\n"
         ".ridge-chart .mono{font-family:'JetBrains Mono',ui-monospace,Menlo,Consolas,monospace;"
         "font-variant-numeric:tabular-nums}\n"
         ".ridge-chart .bold{font-weight:650}\n" +
         kRoles;
}

std::string to_svg(const ChartModel& model, const Scene& scene, const SvgOptions& options) {
  return Writer(model, scene, options).write();
}

std::string to_svg(const ChartModel& model, const LayoutOptions& layout_options,
                   const SvgOptions& options) {
  return to_svg(model, layout(model, layout_options), options);
}

}  // namespace ridge::chart
