// Every scene of `ridgepoint shot` in both themes at scale 1 and 2, against tests/golden/screens (run.jsonl; those of kOwnRuns
// of another, so that no view is tested by its empty state):
//   golden-screens GOLDEN_FOLDER DIFFERENCES_FOLDER, or --made-with: the version of what draws text
// What is kept of a picture is the mean colour of each cell of 10 x 10 pixels, in steps of 4 of 255; the four
// looks of a scene are one PNG (dark above light, scale 1 left of scale 2), about 40 KB, that can be looked at.
//
// Tolerance: a cell is the same if no channel's mean moved by more than 8 of 255, and a picture is if at most
// one cell differs. Measured (Mesa 22.3.6): llvmpipe repeats itself exactly; softpipe, which rasterises in
// another way, stays within it in 94 of 96 pictures and moves 49 cells by up to 20 where thin lines of telemetry
// cross; one letter of a button that is cut off moves 2 to 12 cells by up to 28; a series colour that is
// changed by 16 of 255 moves 80.
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include <stb_image.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "app/platform/platform.h"
#include "app/window/shell/window.h"

using namespace ridge;
namespace fs = std::filesystem;

namespace {

constexpr int kCell_px = 10, kStep = 4, kMostMoved = 8, kMaxCells = 1;

struct Image {
  int width = 0, height = 0;
  std::vector<unsigned char> rgb;
  Image(int w, int h) : width(w), height(h), rgb(static_cast<size_t>(w) * h * 3) {}
  unsigned char* at(int x, int y) { return &rgb[(static_cast<size_t>(y) * width + x) * 3]; }
  const unsigned char* at(int x, int y) const { return const_cast<Image*>(this)->at(x, y); }
};

Image cells_of(const window::Picture& picture) {
  Image made(picture.width / kCell_px, picture.height / kCell_px);
  for (int y = 0; y < made.height; ++y) {
    for (int x = 0; x < made.width; ++x) {
      int sum[3] = {};
      for (int dy = 0; dy < kCell_px; ++dy) {
        const size_t row = static_cast<size_t>(y * kCell_px + dy) * picture.width;
        const unsigned char* from = &picture.rgb[(row + static_cast<size_t>(x) * kCell_px) * 3];
        for (int i = 0; i < kCell_px * 3; ++i) sum[i % 3] += from[i];
      }
      for (int c = 0; c < 3; ++c) {
        const int mean = sum[c] / (kCell_px * kCell_px);
        made.at(x, y)[c] =
            static_cast<unsigned char>(std::min(255, (mean + kStep / 2) / kStep * kStep));
      }
    }
  }
  return made;
}

/// How many cells of `now` differ from the part of `golden` at (left, top), said in one line where
/// that is too many.
int compare(const Image& now, const Image& golden, int left, int top, const std::string& name) {
  int count = 0, most = 0, first_x = 0, first_y = 0;
  for (int y = 0; y < now.height; ++y) {
    for (int x = 0; x < now.width; ++x) {
      int moved = 0;
      for (int c = 0; c < 3; ++c)
        moved = std::max(moved, std::abs(now.at(x, y)[c] - golden.at(left + x, top + y)[c]));
      if (moved <= kMostMoved) continue;
      if (count++ == 0) first_x = x * kCell_px, first_y = y * kCell_px;
      most = std::max(most, moved);
    }
  }
  if (count > kMaxCells) {
    std::printf("%s: %d of %d cells differ, by up to %d of 255, the topmost at (%d, %d)\n",
                name.c_str(), count, now.width * now.height, most, first_x, first_y);
  }
  return count;
}

/// A scene that says it has nothing to show tests nothing, but for these: a picture is of one run.
constexpr const char* kEmptyScenes[] = {"beside"};

bool may_be_empty(const std::string& scene) {
  return std::find(std::begin(kEmptyScenes), std::end(kEmptyScenes), scene) !=
         std::end(kEmptyScenes);
}

/// The looks of one scene, and whether they are the golden ones.
class Scenes {
 public:
  Scenes(std::string golden, std::string differences)
      : golden_(std::move(golden)), differences_(std::move(differences)) {
    updates_ = std::getenv("RIDGE_UPDATE_GOLDEN") != nullptr;
  }

  Result<void> take(const window::Picture& picture) {
    if (!picture.empty.empty() && !may_be_empty(picture.scene)) {
      std::printf("%s: it has nothing to show: \"%s\"\n", picture.name().c_str(),
                  picture.empty.c_str());
      ++different_;
    }
    const Image now = cells_of(picture);
    const int left = picture.scale > 1 ? now.width : 0;
    const int top = picture.theme == "light" ? now.height : 0;
    const std::string path = golden_ + "/" + picture.scene + ".png";
    if (seen_.insert(picture.scene).second) open(path, 2 * now.width, 2 * now.height);
    ++pictures_;
    for (int y = 0; updates_ && y < now.height; ++y)
      std::copy_n(now.at(0, y), now.width * 3, sheet_.at(left, top + y));
    if (updates_)
      return window::write_png(path, sheet_.rgb.data(), sheet_.width, sheet_.height, sheet_.width);
    if (!is_read_ || compare(now, sheet_, left, top, picture.name()) > kMaxCells) {
      ++different_;
      return window::write_png(differences_ + "/" + picture.name() + ".png", picture.rgb.data(),
                               picture.width, picture.height, picture.width);
    }
    return {};
  }

  /// A golden that no scene has any more would never be looked at again.
  int finish() {
    for (const auto& entry : fs::directory_iterator(golden_)) {
      if (entry.path().extension() != ".png" || seen_.count(entry.path().stem().string())) continue;
      std::printf("%s: there is no such scene\n", entry.path().filename().c_str());
      ++different_;
    }
    std::printf(
        "%d pictures of %zu scenes, %d differ%s\n", pictures_, seen_.size(), different_,
        different_ ? ": see the differences' folder; RIDGE_UPDATE_GOLDEN=1 writes anew" : "");
    return different_ ? 1 : 0;
  }

 private:
  void open(const std::string& path, int width, int height) {
    sheet_ = Image(width, height);
    is_read_ = false;
    if (updates_) return;
    int w = 0, h = 0, channels = 0;
    unsigned char* read = stbi_load(path.c_str(), &w, &h, &channels, 3);
    is_read_ = read && w == width && h == height;
    if (is_read_) std::copy_n(read, sheet_.rgb.size(), sheet_.rgb.begin());
    if (!is_read_) std::printf("%s: %s\n", path.c_str(), read ? "of another size" : "not there");
    stbi_image_free(read);
  }

  std::string golden_, differences_;
  bool updates_ = false, is_read_ = false;
  Image sheet_{0, 0};
  std::set<std::string> seen_;
  int pictures_ = 0, different_ = 0;
};

/// What these scenes show is in runs of their own, without samples and telemetry. `lab`, `rung`: empty, as they open.
struct OwnRun {
  const char *scene, *run, *lab, *rung;
};
constexpr OwnRun kOwnRuns[] = {{"workbench", "edit", "", ""},  // an exercise, failed and solved
                               {"assembly", "edit", "", "turned_loops_edit"},
                               {"training", "mixed", "", ""},
                               {"decode", "model", "quant", ""},
                               {"queue", "serve", "attention", "decode.cpu.split"},
                               {"messages", "collectives", "", ""},
                               {"scaling", "scaling", "parallel", "parallel.cpu.gpipe"},
                               {"requests", "counts", "gemm", "gemm.cuda.naive"},
                               {"puzzles", "edit", "puzzles", "puzzles.cuda.transpose"},
                               {"frontier", "weightless", "", ""},
                               {"score", "weightless", "", ""}};

const OwnRun* find_own_run(const std::string& scene) {
  const auto found = std::find_if(std::begin(kOwnRuns), std::end(kOwnRuns),
                                  [&](const OwnRun& own) { return scene == own.scene; });
  return found == std::end(kOwnRuns) ? nullptr : &*found;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--made-with") {
    std::printf("Dear ImGui %s\n", IMGUI_VERSION);
    return 0;
  }
  if (argc != 3) {
    std::fprintf(stderr, "usage: golden-screens GOLDEN_FOLDER DIFFERENCES_FOLDER\n");
    return 64;
  }
  window::ShotOptions options;
  options.scenes = {"all"};
  options.themes = {"dark", "light"};
  options.scales = {1, 2};
  options.width = 2000,
  options.height = 1120;  // the least that has room for scale 2 (fitting_scale)
  options.replay = std::string(argv[1]) + "/run.jsonl";
  options.kept = true;
  Scenes scenes(argv[1], argv[2]);
  const auto take = [&](const window::Picture& picture) { return scenes.take(picture); };
  auto drawn = window::draw_pictures(options, [&](const window::Picture& picture) {
    return find_own_run(picture.scene) ? Result<void>() : take(picture);
  });
  for (const OwnRun& own : kOwnRuns) {
    if (!drawn) break;
    options.scenes = {own.scene};
    options.replay = std::string(argv[1]) + "/" + own.run + ".jsonl";
    options.lab = own.lab;
    options.rung = own.rung;
    drawn = window::draw_pictures(options, take);
  }
  if (!drawn) {
    std::fprintf(stderr, "golden-screens: %s\n", drawn.error().sentence().c_str());
    return drawn.error().exit_code();
  }
  return scenes.finish();
}
