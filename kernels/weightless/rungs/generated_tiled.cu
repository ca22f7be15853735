// ridge: arch=75
//
// Idea      The same program, its blocks in another order: 135,168 images go through all ten classes before
//           the next ones come.
// Changed   Their planes, 39 MB at 2352 features, fit the L2 while all classes read them: device memory would
//           be read once. By the counters a part is read again.
// Limits    Waiting for the L2: a class reads some 750 planes, ten read 7,500, of 2,352 that there are.
// Look at   Bandwidth from device memory falls though the speed rises. The instructions are the same.
// Source    Blocking for a cache, as in any text on matrix products.
#include "kernels/weightless/rungs/generated_words.h"

namespace {

using Tiled = ridge::words::GeneratedWords<135'168>;

}  // namespace

RIDGE_KERNEL(weightless, cuda, generated_tiled, .dtypes = "bits",
             .unavailable = ridge::device::nvrtc_missing,
             .prepare = ridge::words::prepare_state<Tiled>,
             .launch = ridge::words::launch_generated<Tiled>);
