// ridge: needs=jpeg
//
// Idea      NVIDIA's DALI on the same files with the same transforms: a graph of operators, and threads in C++ that
//           decode a batch together.
// Changed   No Python beside an image: it is called once a batch.
// Limits    The decoding, as in ours.
// Look at   Its best number of threads, tried before it is timed; it trains nothing, we do.
// Source    NVIDIA DALI, fn.readers.file, fn.decoders.image, fn.crop_mirror_normalize.
#include "kernels/pipeline/loader.h"
#include "kernels/pipeline/peers/loader_process.h"

namespace ridge {
namespace {

constexpr pipeline::LoaderPeer kPeer = {.library = "DALI",
                                        .counted = "threads",
                                        .package = "nvidia/dali",
                                        .floor = "2.0",
                                        .script = R"py(
from nvidia.dali import fn, pipeline_def, types

@pipeline_def
def graph():
    files, numbers = fn.readers.file(
        files=[f'{folder}/{i:05d}.jpg' for i in range(images)], labels=list(range(images)),
        shuffle_after_epoch=True, prefetch_queue_depth=4)
    pixels = fn.decoders.image(files, device='cpu' if device < 0 else 'mixed', output_type=types.RGB)
    place = fn.random.uniform(range=(0, 1)), fn.random.uniform(range=(0, 1))
    tensors = fn.crop_mirror_normalize(
        pixels, dtype=types.FLOAT, output_layout='CHW', crop=(crop, crop), crop_pos_x=place[0],
        crop_pos_y=place[1], mirror=fn.random.coin_flip(),
        mean=[255 * m for m in (0.485, 0.456, 0.406)], std=[255 * s for s in (0.229, 0.224, 0.225)])
    return tensors, numbers

stream = None

def begin(threads):
    global stream
    stream = None
    stream = graph(batch_size=batch, num_threads=threads, device_id=None if device < 0 else device,
                   prefetch_queue_depth=4)
    stream.build()

def next_numbers():
    tensors, numbers = stream.run()  # waits until the tensors are there
    return numbers.as_array().ravel().tolist()

def finish():
    pass
)py"};

constexpr Loader kAny = {};

RIDGE_PIPELINE(pipeline, cpu, dali, .library = "DALI", .external = true, .unavailable = dali_loader_unavailable,
               .maker = &kDaliLoader, .config = &kAny);

}  // namespace

const PipelineMaker kDaliLoader = {
    .params = pipeline::peer_params,
    .build = [](const PipelineDesc& desc, const Params& params, uint64_t, const FamilyProgress& progress) {
      return pipeline::build_peer(kPeer, desc, params, progress);
    }};

const char* dali_loader_unavailable() {
  return pipeline::unavailable(kPeer);
}

}  // namespace ridge
