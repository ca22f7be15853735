// The window's fonts. Dear ImGui 1.86 bakes a font per height, so heights are baked as they are
// first asked for: one frame draws with the nearest, the next with the right one. From 1.92 on the
// atlas does this itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/platform/imgui_compat.h"

namespace ridge::window {

enum class Face { body, strong, mono };

class Fonts {
 public:
  /// The face at a height in whole pixels.
  ImFont* get(Face face, float size_px);
  /// True when a height was asked for that is not baked: build() before the next frame.
  bool wants_build() const { return wants_build_; }
  /// Counts builds: a layout measured with an older one may have measured with a stand-in.
  int version() const { return version_; }
  /// Bakes everything asked for so far into ImGui's atlas. Inter and JetBrains Mono where Debian
  /// puts them, else DejaVu, else ImGui's own font; a file is tested first, since a missing one
  /// aborts in ImGui.
  void build();
  float width(Face face, float size_px, std::string_view text);

 private:
  struct Baked {
    Face face;
    int size_px;
    ImFont* font;
  };
  std::vector<Baked> baked_;
  bool wants_build_ = true;
  int version_ = 0;
};

}  // namespace ridge::window
