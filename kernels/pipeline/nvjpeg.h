// nvJPEG, where it is found at run time: its header is not in every toolkit, so what is used of it is
// declared here.
// Source: nvJPEG's documentation (NVIDIA), "Batched image decoding"; hardware decoders since the A100.
#pragma once

#include <cuda_runtime.h>

#include <memory>

#include <string>
#include <vector>

#include "common/core/result.h"

namespace ridge::pipeline {

/// Decodes batches of JPEG files into interleaved RGB on the device. One at a time.
class NvJpeg {
 public:
  static Result<std::unique_ptr<NvJpeg>> make(int batch);
  ~NvJpeg();
  NvJpeg(const NvJpeg&) = delete;
  NvJpeg& operator=(const NvJpeg&) = delete;

  struct Item {
    const unsigned char* file = nullptr;
    size_t bytes = 0;
    unsigned char* rgb = nullptr;  ///< device, side x side x 3
  };
  /// All of them on the stream; `side` is what each must have. False: some cannot be decoded.
  bool decode(const std::vector<Item>& items, int side, cudaStream_t stream);
  /// Whether this file's header can be read and has that side.
  bool readable(const Item& item, int side);
  /// One by one, where a batch failed.
  bool decode_one(const Item& item, int side, cudaStream_t stream);
  /// "nvJPEG, hardware decoder".
  const std::string& name() const { return name_; }

 private:
  NvJpeg() = default;
  bool open(int first, int batch);  ///< the first way from there on that starts
  void close();

  void* library_ = nullptr;
  void* handle_ = nullptr;
  void* batch_state_ = nullptr;
  void* single_state_ = nullptr;
  int batch_ = 0, way_ = 0;
  bool proven_ = false;  ///< a batch was decoded that way
  std::string name_;
  struct Calls;
  std::unique_ptr<Calls> calls_;
};

}  // namespace ridge::pipeline
