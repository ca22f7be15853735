// ridge: needs=jpeg
//
// Idea      PyTorch's DataLoader with pinned memory and copies that do not block, to a GPU.
// Changed   As on the CPU (pytorch.cpp), and every batch crosses to the GPU as fp32.
// Limits    The worker processes' Python; one thread that pins what they made.
// Look at   Its best number of workers, tried before it is timed.
// Source    torch.utils.data.DataLoader with pin_memory, Tensor.to(non_blocking=True).
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kAny = {};

RIDGE_PIPELINE(pipeline, cuda, pytorch, .library = "PyTorch", .external = true,
               .unavailable = pytorch_loader_unavailable, .maker = &kPytorchLoader,
               .config = &kAny);

}  // namespace
}  // namespace ridge
