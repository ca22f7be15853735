// ridge: needs=jpeg
//
// Idea      Images packed into one file with an index: an image is one read at an offset.
// Changed   No open, no look-up of a name, no close; the same bytes, the same order.
// Limits    Decoding, as before: opening a file in the page cache takes a few microseconds.
// Look at   The span of read, shorter than in serial, and its share of the whole.
// Source    TFRecord, WebDataset: what they gain on disks and networks of many small files.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kShards = {.from = ImageFrom::shards};

RIDGE_PIPELINE(pipeline, cpu, shards, .maker = &kCpuLoader, .config = &kShards);

}  // namespace
}  // namespace ridge
