// How a rung of this lab sets up the engine (engine.h): everything that the rungs differ in. C-like:
// a rung's file is its idea and a few of these lines.
#pragma once

#include "common/harness/kernel/pipeline_rung.h"

namespace ridge {

enum class ImageFrom : uint8_t {
  files,   ///< one JPEG file an image: open, read, close
  shards,  ///< the same bytes, packed into one file with an index
  memory   ///< decoded once, kept
};

enum class LoadedBy : uint8_t {
  the_step,  ///< nobody else: the thread that steps
  threads,   ///< as many as `workers` says
  processes  ///< forked ones, which write into shared memory
};

/// What a batch holds when it crosses to the device.
enum class Carried : uint8_t {
  tensor,  ///< cropped, flipped, normalised: planes of fp32
  pixels,  ///< decoded: whole images of bytes, which the device transforms
  jpeg,    ///< as read, which the device decodes and transforms
  number   ///< no picture: the device holds them all, decoded
};

struct Loader {
  ImageFrom from = ImageFrom::files;
  LoadedBy by = LoadedBy::the_step;
  bool share_batch = false;  ///< workers fill one batch together, image by image; else one each
  bool gives_way = false;    ///< workers run at a lower priority than whoever copies and steps
  Carried carried = Carried::tensor;
  bool pinned = false;        ///< GPU: the device reads the host's buffers itself
  bool copies_ahead = false;  ///< a thread (GPU: a stream) of its own copies the next batch
  bool queues_ahead = false;  ///< GPU: the next copy and step are queued before these are done
  int device_buffers = 1;     ///< batches on the device; 0: as many as `buffers` says
};

/// Their config is a Loader; the device is a second thread pool, or a GPU.
extern const PipelineMaker kCpuLoader, kCudaLoader;

/// PyTorch's DataLoader on the same files (peers/pytorch.cpp); its config says nothing.
extern const PipelineMaker kPytorchLoader;
const char* pytorch_loader_unavailable();

}  // namespace ridge
