#include "app/window/shell/fonts.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "app/query/recordings.h"

namespace ridge::window {
namespace {

/// An installed program has them beside its lessons (cmake/install.cmake reads the paths here). Empty: none is there.
std::string first_readable(std::initializer_list<const char*> paths) {
  static const std::string own = app::asset_folder("fonts");
  for (const std::string path : paths) {
    const std::string copy = own + path.substr(path.rfind('/'));
    for (const std::string& file : {copy, path}) {
      if (access(file.c_str(), R_OK) == 0) return file;
    }
  }
  return "";
}

std::string file_of(Face face) {
  switch (face) {
    case Face::body:
      return first_readable({"/usr/share/fonts/opentype/inter/Inter-Medium.otf",
                             "/usr/share/fonts/truetype/inter/Inter-Medium.ttf",
                             "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"});
    case Face::strong:
      return first_readable({"/usr/share/fonts/opentype/inter/Inter-SemiBold.otf",
                             "/usr/share/fonts/truetype/inter/Inter-SemiBold.ttf",
                             "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"});
    case Face::mono:
      return first_readable({"/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf",
                             "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"});
  }
  return "";
}

/// For the few signs a face lacks: a cross in Inter, the narrow space between thousands in
/// JetBrains Mono.
std::string fallback_of(Face face) {
  return face == Face::mono
             ? first_readable({"/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"})
             : first_readable({"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"});
}

const ImWchar* glyph_ranges() {
  // Latin, Greek, dashes and thin spaces, super- and subscripts, arrows, mathematics, shapes, ticks.
  static constexpr ImWchar kRanges[] = {0x20,   0xFF,   0x391,  0x3C9,  0x2009, 0x203A,
                                        0x2070, 0x209C, 0x2190, 0x2193, 0x2207, 0x2207,
                                        0x2211, 0x221E, 0x2248, 0x2265, 0x22C5, 0x22C5,
                                        0x25A0, 0x25CF, 0x2713, 0x2717, 0};
  return kRanges;
}

ImFont* add_face(Face face, float size_px) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  const std::string file = file_of(face);
  ImFontConfig config;
  config.OversampleH = 1;  // FreeType hints to whole pixels: oversampling only costs memory
  config.PixelSnapH = true;
  if (file.empty()) {
    config.SizePixels = size_px;
    return atlas.AddFontDefault(&config);
  }
  ImFont* font = atlas.AddFontFromFileTTF(file.c_str(), size_px, &config, glyph_ranges());
  const std::string fallback = fallback_of(face);
  if (!fallback.empty() && fallback != file) {
    config.MergeMode = true;
    static constexpr ImWchar kText[] = {0x2207, 0x2207, 0x22C5, 0x22C5, 0x2715, 0x2715, 0};
    static constexpr ImWchar kMono[] = {0x2009, 0x2009, 0x202F, 0x202F, 0x207B, 0x207B, 0};
    atlas.AddFontFromFileTTF(fallback.c_str(), size_px, &config,
                             face == Face::mono ? kMono : kText);
  }
  return font;
}

#if IMGUI_VERSION_NUM < 19200
/// High and narrow as ImGui makes it, the texture of a presenter's letters at scale 2 is higher than a browser allows. With
/// a height that is no power of two one more letter does not double it.
void build_texture(ImFontAtlas& atlas) {
  constexpr int kMost_px = 8192;
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  atlas.TexDesiredWidth = 0;
  atlas.Build();
  if (atlas.TexHeight <= kMost_px) return;
  atlas.TexDesiredWidth = kMost_px;
  atlas.Build();
}
#endif

}  // namespace

ImFont* Fonts::get(Face face, float size_px) {
  const int wanted = std::max(6, static_cast<int>(std::lround(size_px)));
  Baked* nearest = nullptr;
  for (Baked& baked : baked_) {
    if (baked.face != face) continue;
    if (compat::kDynamicFonts && baked.font) return baked.font;
    if (baked.size_px == wanted && baked.font) return baked.font;
    const auto distance = [&](const Baked& b) { return std::abs(b.size_px - wanted); };
    if (baked.font && (!nearest || distance(baked) < distance(*nearest))) nearest = &baked;
  }
  const bool known = std::any_of(baked_.begin(), baked_.end(), [&](const Baked& baked) {
    return baked.face == face && baked.size_px == wanted;
  });
  ImFont* use = nearest ? nearest->font : nullptr;
  if (!known) baked_.push_back({face, wanted, nullptr});
  wants_build_ = true;
  return use ? use : ImGui::GetFont();
}

void Fonts::build() {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  if (baked_.empty()) {
    for (const Face face : {Face::body, Face::strong, Face::mono})
      baked_.push_back({face, 18, nullptr});
  }
  // Heights pile up while the scale is changed; the newest forty are more than one picture uses.
  if (baked_.size() > 40) baked_.erase(baked_.begin(), baked_.end() - 40);
  for (Baked& baked : baked_) baked.font = add_face(baked.face, static_cast<float>(baked.size_px));
#if IMGUI_VERSION_NUM < 19200
  build_texture(atlas);
#endif
  ImGui::GetIO().FontDefault = baked_.front().font;
  wants_build_ = false;
  ++version_;
}

float Fonts::width(Face face, float size_px, std::string_view text) {
  return compat::text_width(get(face, size_px), std::round(size_px), text.data(),
                            text.data() + text.size());
}

}  // namespace ridge::window
