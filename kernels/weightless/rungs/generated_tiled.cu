// ridge: arch=75
//
// Idea      The same program, its blocks in another order: 135,168 images go through all ten classes before
//           the next ones come.
// Changed   Their planes, 29 MB of the 1,729 that the recorded network reads, fit the H100's L2 while all classes
//           read them: device memory would be read once. By the counters a part is read again.
// Limits    Probably code that is loaded again for each quarter of the images; and the L2, from which ten classes
//           read some 7,500 planes.
// Look at   Bytes from device memory fall, and the speed rises. The instructions are the same.
// Source    Blocking for a cache, as in any text on matrix products.
#include "kernels/weightless/rungs/generated_words.h"

namespace {

using Tiled = ridge::words::GeneratedWords<135'168>;

}  // namespace

RIDGE_KERNEL(weightless, cuda, generated_tiled, .dtypes = "bits",
             .unavailable = ridge::device::nvrtc_missing,
             .prepare = ridge::words::prepare_state<Tiled>,
             .launch = ridge::words::launch_generated<Tiled>);
