// ridge: needs=jpeg
//
// Idea      Worker threads load ahead: each makes a batch, and up to `buffers` wait for the step.
// Changed   Loading runs beside copying and stepping, and on as many cores as there are workers.
// Limits    Copy and step still take turns on one thread; and all share the cores.
// Look at   The queue: full behind fast workers, empty behind slow ones. What is empty is starved.
// Source    PyTorch's DataLoader with num_workers; its prefetch_factor is `buffers` here.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kPrefetch = {.by = LoadedBy::threads};

RIDGE_PIPELINE(pipeline, cpu, prefetch, .maker = &kCpuLoader, .config = &kPrefetch);

}  // namespace
}  // namespace ridge
