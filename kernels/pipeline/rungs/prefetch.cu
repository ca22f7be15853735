// ridge: needs=jpeg
//
// Idea      Worker threads load ahead: each makes a batch, `buffers` may wait.
// Changed   All cores decode, beside copying and stepping.
// Limits    The copy and the step take turns on one stream; the copy from pageable memory goes through
//           a buffer of the driver's, piece by piece.
// Look at   The copy's rate, a fraction of the bus.
// Source    PyTorch's DataLoader with num_workers.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kPrefetch = {.by = LoadedBy::threads};

RIDGE_PIPELINE(pipeline, cuda, prefetch, .maker = &kCudaLoader, .config = &kPrefetch);

}  // namespace
}  // namespace ridge
