// The data sets: IDX files as they should be, and every way in which they are not; the split; the
// synthetic set that stands in and says so.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "common/harness/data/fashion_mnist.h"
#include "tests/catch.h"

using namespace ridge;
namespace fs = std::filesystem;

namespace {

/// A folder with a small set in plain IDX files; gone at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / "ridgepoint_data_test";
  Folder() {
    fs::remove_all(path);
    fs::create_directories(path);
    for (const char* name : {"train", "t10k"}) write(name, 3, 3);
  }
  ~Folder() { fs::remove_all(path); }

  static std::string head(int dims, int count) {
    std::string text = {0, 0, 8, static_cast<char>(dims), 0, 0, 0, static_cast<char>(count)};
    for (int d = 1; d < dims; ++d) text += std::string({0, 0, 0, 28});
    return text;
  }
  void put(const std::string& file, const std::string& bytes) const {
    std::ofstream(path / file, std::ios::binary) << bytes;
  }
  void write(const std::string& name, int images, int labels) const {
    std::string pixels = head(3, images);
    for (int i = 0; i < images * 784; ++i) pixels += static_cast<char>(i % 251);
    put(name + "-images-idx3-ubyte", pixels);
    put(name + "-labels-idx1-ubyte", head(1, labels) + std::string(size_t(labels), 7));
  }
  std::string error() const {
    const auto set = load_garments(path.string());
    return set ? "" : set.error().sentence();
  }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("IDX files are read, big-endian, images in order") {
  const Folder folder;
  const auto set = load_garments(folder.path.string());
  REQUIRE(set);
  CHECK(set->train.count() == 3);
  CHECK(set->test.labels == std::vector<uint8_t>{7, 7, 7});
  CHECK(set->train.image(1)[0] == 784 % 251);
  CHECK(set->missing.empty());
}

TEST_CASE(
    "a file that is not what it should be is refused in a sentence with the file and the remedy") {
  const Folder folder;
  const std::string images = "train-images-idx3-ubyte", labels = "train-labels-idx1-ubyte";
  const auto refuses = [&](const std::string& file, const std::string& bytes,
                           const std::string& why) {
    folder.put(file, bytes);
    INFO(why);
    CHECK(contains(folder.error(), why));
    CHECK(contains(folder.error(), file));
    CHECK(contains(folder.error(), "apt-get install dataset-fashion-mnist"));
    folder.write("train", 3, 3);
    CHECK(folder.error() == "");
  };
  refuses(images, "", "ends inside its header");
  refuses(images, Folder::head(1, 3) + std::string(2400, 'x'), "no IDX file");
  refuses(images, Folder::head(3, 3) + "short", "cut short");
  refuses(images, std::string({0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 9}),
          "not of 784 bytes");
  refuses(labels, Folder::head(1, 2) + "\1\2", "not as many labels");
  refuses(labels, Folder::head(1, 3) + "\1\2\x0a", "label above 9");
  refuses(labels, std::string({0, 0, 8, 1, 127, 0, 0, 0}), "or none is there");
  fs::remove(folder.path / images);
  CHECK(contains(folder.error(), "cannot be read"));
}

TEST_CASE("RIDGEPOINT_DATA alone is looked at where it is set") {
  ::setenv("RIDGEPOINT_DATA", "/some/where", 1);
  CHECK(garment_folders() == std::vector<std::string>{"/some/where"});
  ::unsetenv("RIDGEPOINT_DATA");
  ::setenv("XDG_DATA_HOME", "/data", 1);
  const auto folders = garment_folders();
  CHECK(folders.front() == "/data/ridgepoint/fashion-mnist");
  CHECK(folders.back() == "/usr/share/datasets/fashion-mnist");
}

TEST_CASE("without the data a synthetic set stands in, and says what it is and what to do") {
  ::setenv("RIDGEPOINT_DATA", "/nowhere/at/all", 1);
  const Garments& set = garments();
  CHECK(set.name == "synthetic garments");
  CHECK(contains(set.missing, "/nowhere/at/all"));
  CHECK(contains(set.missing, "apt-get install dataset-fashion-mnist"));
  CHECK(set.train.count() == 20'000);
}

TEST_CASE("synthetic images are the seed's: every class there, other images for the test") {
  const Garments one = synthetic_garments(300, 100, 1), again = synthetic_garments(300, 100, 1);
  CHECK(one.train.pixels == again.train.pixels);
  CHECK_FALSE(one.train.pixels == synthetic_garments(300, 100, 2).train.pixels);
  CHECK(std::set<uint8_t>(one.train.labels.begin(), one.train.labels.end()).size() == 10);
  CHECK_FALSE(std::equal(one.test.pixels.begin(), one.test.pixels.end(), one.train.pixels.begin()));
}

TEST_CASE("a split has every image once, and is the seed's") {
  const Split split = split_images(1000, 100, 5);
  CHECK(split.train.size() == 900);
  std::set<int32_t> all(split.train.begin(), split.train.end());
  all.insert(split.held_out.begin(), split.held_out.end());
  CHECK(all.size() == 1000);
  CHECK(split.train == split_images(1000, 100, 5).train);
  CHECK_FALSE(split.train == split_images(1000, 100, 6).train);
  CHECK(split_images(10, 20, 1).train.empty());
}
