// ridge: needs=jpeg
#include <dlfcn.h>

#include <memory>

#include "kernels/pipeline/nvjpeg.h"

namespace ridge::pipeline {
namespace {

// As in nvjpeg.h of version 12 and 13.
constexpr int kOk = 0, kInterleavedRgb = 5;
/// The chip's JPEG engines; all on the SMs, for batches; Huffman codes on a CPU core.
struct Way {
  int number;
  const char* name;
};
constexpr Way kWays[] = {{3, "nvJPEG, hardware engines"},
                         {2, "nvJPEG on the multiprocessors"},
                         {0, "nvJPEG, codes read by a CPU core"}};
constexpr int kWayCount = 3;
constexpr int kComponents = 4;
struct Image {
  unsigned char* channel[kComponents] = {};
  size_t pitch[kComponents] = {};
};

Image image_of(const NvJpeg::Item& item, int side) {
  Image image;
  image.channel[0] = item.rgb;
  image.pitch[0] = static_cast<size_t>(side) * 3;
  return image;
}

}  // namespace

struct NvJpeg::Calls {
  int (*create)(int, void*, void*, unsigned, void**);
  int (*destroy)(void*);
  int (*state_create)(void*, void**);
  int (*state_destroy)(void*);
  int (*info)(void*, const unsigned char*, size_t, int*, int*, int*, int*);
  int (*batch_begin)(void*, void*, int, int, int);
  int (*batch_decode)(void*, void*, const unsigned char* const*, const size_t*, Image*,
                      cudaStream_t);
  int (*decode)(void*, void*, const unsigned char*, size_t, int, Image*, cudaStream_t);
};

Result<std::unique_ptr<NvJpeg>> NvJpeg::make(int batch) {
  std::unique_ptr<NvJpeg> made(new NvJpeg());
  for (const char* name : {"libnvjpeg.so.13", "libnvjpeg.so.12", "libnvjpeg.so"}) {
    if (made->library_ == nullptr) made->library_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (made->library_ == nullptr)
    return Error{ErrorCode::unavailable, "nvJPEG is not installed", "decode on the GPU",
                 "it is part of the CUDA toolkit: libnvjpeg"};
  made->calls_ = std::make_unique<Calls>();
  bool all = true;
  const auto find = [&](const char* name, auto* call) {
    *call = reinterpret_cast<std::remove_pointer_t<decltype(call)>>(::dlsym(made->library_, name));
    all &= *call != nullptr;
  };
  Calls& calls = *made->calls_;
  find("nvjpegCreateEx", &calls.create);
  find("nvjpegDestroy", &calls.destroy);
  find("nvjpegJpegStateCreate", &calls.state_create);
  find("nvjpegJpegStateDestroy", &calls.state_destroy);
  find("nvjpegGetImageInfo", &calls.info);
  find("nvjpegDecodeBatchedInitialize", &calls.batch_begin);
  find("nvjpegDecodeBatched", &calls.batch_decode);
  find("nvjpegDecode", &calls.decode);
  if (!all || !made->open(0, batch))
    return Error{ErrorCode::unavailable, "nvJPEG does not start", "decode on the GPU", ""};
  return std::unique_ptr<NvJpeg>(std::move(made));
}

NvJpeg::~NvJpeg() {
  close();  // the library stays: it has threads and handlers of its own
}

bool NvJpeg::open(int first, int batch) {
  batch_ = batch;
  for (way_ = first; way_ < kWayCount; ++way_) {
    close();
    name_ = kWays[way_].name;
    const bool good =
        calls_->create(kWays[way_].number, nullptr, nullptr, 0, &handle_) == kOk &&
        calls_->state_create(handle_, &batch_state_) == kOk &&
        calls_->state_create(handle_, &single_state_) == kOk &&
        calls_->batch_begin(handle_, batch_state_, batch, 1, kInterleavedRgb) == kOk;
    if (good) return true;
  }
  close();
  return false;
}

void NvJpeg::close() {
  if (batch_state_ != nullptr) calls_->state_destroy(batch_state_);
  if (single_state_ != nullptr) calls_->state_destroy(single_state_);
  if (handle_ != nullptr) calls_->destroy(handle_);
  batch_state_ = single_state_ = handle_ = nullptr;
}

bool NvJpeg::readable(const Item& item, int side) {
  int components = 0, subsampling = 0, widths[kComponents] = {}, heights[kComponents] = {};
  return calls_->info(handle_, item.file, item.bytes, &components, &subsampling, widths, heights) ==
             kOk &&
         widths[0] == side && heights[0] == side;
}

bool NvJpeg::decode(const std::vector<Item>& items, int side, cudaStream_t stream) {
  std::vector<const unsigned char*> files;
  std::vector<size_t> sizes;
  std::vector<Image> images;
  for (const Item& item : items) {
    files.push_back(item.file);
    sizes.push_back(item.bytes);
    images.push_back(image_of(item, side));
  }
  const auto run = [&] {
    return calls_->batch_decode(handle_, batch_state_, files.data(), sizes.data(), images.data(),
                                stream) == kOk;
  };
  bool good = run();
  // A GPU without the engines, or a driver that withholds them, says so only now.
  while (!good && !proven_ && open(way_ + 1, batch_)) good = run();
  proven_ |= good;
  return good;
}

bool NvJpeg::decode_one(const Item& item, int side, cudaStream_t stream) {
  Image image = image_of(item, side);
  return calls_->decode(handle_, single_state_, item.file, item.bytes, kInterleavedRgb, &image,
                        stream) == kOk;
}

}  // namespace ridge::pipeline
