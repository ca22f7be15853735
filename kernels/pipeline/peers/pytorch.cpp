// ridge: needs=jpeg
//
// Idea      PyTorch's DataLoader on the same files with the same transforms: the peer.
// Changed   Python around libjpeg-turbo: torchvision decodes, tensors are cropped, flipped, normalised
//           and collated by worker processes; on a GPU pinned and copied without blocking.
// Limits    What a worker process does in Python beside the decoding, and its tensors' way back.
// Look at   Its best number of workers, tried before it is timed; it trains nothing, we do.
// Source    torch.utils.data.DataLoader, torchvision.io.decode_jpeg.
#include "kernels/pipeline/loader.h"
#include "kernels/pipeline/peers/loader_process.h"
#include "kernels/runtime/peers/torch_calls.h"

namespace ridge {
namespace {

constexpr pipeline::LoaderPeer kPeer = {.library = "PyTorch",
                                        .counted = "workers",
                                        .package = "torch",
                                        .floor = kTorchFloor,
                                        .beside = "torchvision",
                                        .script = R"py(
import random
import torch
from torchvision.io import decode_jpeg, read_file, ImageReadMode

place = torch.device('cpu' if device < 0 else f'cuda:{device}')
mean = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1) * 255
scale = 1 / (torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1) * 255)

class Files(torch.utils.data.Dataset):
    def __len__(self):
        return images

    def __getitem__(self, i):
        image = decode_jpeg(read_file(f'{folder}/{i:05d}.jpg'), mode=ImageReadMode.RGB)
        room = image.shape[1] - crop + 1
        y, x = random.randrange(room), random.randrange(room)
        image = image[:, y:y + crop, x:x + crop]
        if random.random() < 0.5:
            image = image.flip(-1)
        return (image.float() - mean) * scale, i

def quiet(_):
    torch.set_num_threads(1)

def batches(workers):
    loader = torch.utils.data.DataLoader(
        Files(), batch, shuffle=True, num_workers=workers, pin_memory=device >= 0,
        prefetch_factor=4, persistent_workers=True, worker_init_fn=quiet)
    while True:
        for tensors, numbers in loader:
            yield tensors, numbers

stream = None

def begin(workers):
    global stream
    stream = None
    stream = batches(workers)

def next_numbers():
    tensors, numbers = next(stream)
    there = tensors.to(place, non_blocking=True)
    return numbers.tolist()

def finish():
    if device >= 0:
        torch.cuda.synchronize(place)
)py"};

constexpr Loader kAny = {};

RIDGE_PIPELINE(pipeline, cpu, pytorch, .library = "PyTorch", .external = true,
               .unavailable = pytorch_loader_unavailable, .maker = &kPytorchLoader, .config = &kAny);

}  // namespace

const PipelineMaker kPytorchLoader = {
    .params = pipeline::peer_params,
    .build = [](const PipelineDesc& desc, const Params& params, uint64_t, const FamilyProgress& progress) {
      return pipeline::build_peer(kPeer, desc, params, progress);
    }};

const char* pytorch_loader_unavailable() {
  return pipeline::unavailable(kPeer);
}

}  // namespace ridge
