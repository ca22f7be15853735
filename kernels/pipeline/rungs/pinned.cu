// ridge: needs=jpeg
//
// Idea      The host's buffers are pinned: the GPU's copy engine reads them itself.
// Changed   No copy into the driver's buffer; the CPU does nothing while bytes cross.
// Limits    Loading on all cores, where copy and step in turns take less.
// Look at   The copy's rate against the pinned ceiling; the CPU time of a copy, next to none.
// Source    CUDA C++ Best Practices Guide, "Pinned memory"; DataLoader's pin_memory.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kPinned = {.by = LoadedBy::threads, .pinned = true};

RIDGE_PIPELINE(pipeline, cuda, pinned, .maker = &kCudaLoader, .config = &kPinned);

}  // namespace
}  // namespace ridge
