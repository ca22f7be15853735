// Pictures of the window: for `shot`, and of a chart alone.
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include <stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include <algorithm>
#include <cmath>

#include "app/platform/platform.h"

namespace ridge::window {

Result<void> write_png(const std::string& path, const unsigned char* rgb, int width, int height,
                       int row_pixels) {
  if (width > 0 && height > 0 &&
      stbi_write_png(path.c_str(), width, height, 3, rgb, row_pixels * 3))
    return {};
  return Error{ErrorCode::cannot_write, "the picture could not be written", path,
               "choose a folder that exists and is writable"};
}

Result<void> Platform::save_png(const std::string& path, Area part) const {
  int width = 0, height = 0;
  const auto pixels = read_pixels(&width, &height);
  const auto within = [](float at, int most) {
    return std::clamp(static_cast<int>(std::lround(at)), 0, most);
  };
  const int left = within(part.x, width), right = within(part.right(), width);
  const int top = within(part.y, height), bottom = within(part.bottom(), height);
  const size_t first =
      (static_cast<size_t>(top) * static_cast<size_t>(width) + static_cast<size_t>(left)) * 3;
  return write_png(path, pixels.data() + first, right - left, bottom - top, width);
}

}  // namespace ridge::window
