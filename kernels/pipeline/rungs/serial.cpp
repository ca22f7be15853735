// ridge: needs=jpeg
//
// Idea      One thread does it all: read a file, decode it, crop and flip, normalise, collate, copy the
//           batch to the device, train a step. Then the next.
// Changed   Nothing yet: this is the loop as it is first written.
// Limits    The sum of all stages, and one core: while one stage works, everything else waits.
// Look at   The timeline: a staircase, no two spans at one time. Which step is the widest?
// Source    Any training loop; the stages are those of torchvision's transforms.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kSerial = {};

RIDGE_PIPELINE(pipeline, cpu, serial, .maker = &kCpuLoader, .config = &kSerial);

}  // namespace
}  // namespace ridge
