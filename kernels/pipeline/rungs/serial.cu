// ridge: needs=jpeg
//
// Idea      One thread does it all: read, decode, crop and flip, normalise, collate, copy to the GPU, train.
// Changed   The device is a GPU: the step leaves the CPU, the copy crosses PCIe.
// Limits    One core's decoding. The GPU waits for nearly all of the time.
// Look at   The share of the step in a step's time: what the GPU is used for.
// Source    Any training loop as it is first written.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kSerial = {};

RIDGE_PIPELINE(pipeline, cuda, serial, .maker = &kCudaLoader, .config = &kSerial);

}  // namespace
}  // namespace ridge
