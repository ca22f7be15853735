// ridge: needs=jpeg
//
// Idea      The same workers as processes, which write into shared memory.
// Changed   Nothing that helps here. Python needs processes, since one thread at a time holds its lock
//           (the GIL); C++ threads decode side by side anyway.
// Limits    As prefetch, and two context switches an image, for question and answer.
// Look at   No gain: what processes buy elsewhere is not in the decoding but in Python's lock.
// Source    PyTorch's DataLoader again, whose workers are processes for that reason.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kProcesses = {.by = LoadedBy::processes};

RIDGE_PIPELINE(pipeline, cpu, processes, .maker = &kCpuLoader, .config = &kProcesses);

}  // namespace
}  // namespace ridge
