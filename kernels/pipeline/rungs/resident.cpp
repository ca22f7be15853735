// ridge: needs=jpeg
//
// Idea      The decoded set lies in the device's memory. A batch is the numbers of its pictures, where they
//           are cropped and whether they are flipped.
// Changed   Nothing is loaded and nothing but numbers is copied: the step reads the pictures where they are.
// Limits    The device's memory: 20,000 pictures of 256 x 256 are 3.9 GB. And the step.
// Look at   Loading and copying in the table: next to nothing. The bound is the step alone.
// Source    Data sets kept on the accelerator, as in the CIFAR-10 speed records (airbench; hlb-CIFAR10).
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kResident = {.from = ImageFrom::memory,
                              .by = LoadedBy::threads,
                              .share_batch = true,
                              .gives_way = true,
                              .carried = Carried::number,
                              .copies_ahead = true,
                              .device_buffers = 0};

RIDGE_PIPELINE(pipeline, cpu, resident, .maker = &kCpuLoader, .config = &kResident);

}  // namespace
}  // namespace ridge
