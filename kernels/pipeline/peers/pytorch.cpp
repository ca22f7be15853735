// ridge: needs=jpeg
//
// Idea      PyTorch's DataLoader on the same files with the same transforms: the peer.
// Changed   Python around libjpeg-turbo: torchvision decodes, tensors are cropped, flipped, normalised
//           and collated by worker processes; on a GPU pinned and copied without blocking.
// Limits    What a worker process does in Python beside the decoding, and its tensors' way back.
// Look at   Its best number of workers, tried before it is timed; it trains nothing, we do.
// Source    torch.utils.data.DataLoader, torchvision.io.decode_jpeg.
#include <cstdio>
#include <set>

#include "common/harness/measure/child.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/python.h"
#include "common/record/params.h"
#include "kernels/pipeline/engine.h"

namespace ridge {
namespace {

using measure::Child;

/// argv: folder, images, crop, batch, device (-1: CPU). Lines: "workers N", "window S", "check".
constexpr const char* kScript = R"py(
import os, sys, time, random
import torch
from torchvision.io import decode_jpeg, read_file, ImageReadMode

folder = sys.argv[1]
images, crop, batch, device = (int(v) for v in sys.argv[2:6])
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

def make(workers):
    return torch.utils.data.DataLoader(
        Files(), batch, shuffle=True, num_workers=workers, pin_memory=device >= 0,
        prefetch_factor=4, persistent_workers=True, worker_init_fn=quiet)

def batches(loader):
    while True:
        for tensors, numbers in loader:
            yield tensors, numbers

seen = torch.zeros(images, dtype=torch.int64)
stream = None

def window(seconds):
    items, start = 0, time.monotonic()
    while True:
        tensors, numbers = next(stream)
        there = tensors.to(place, non_blocking=True)
        seen[numbers] += 1
        items += len(numbers)
        now = time.monotonic()
        if now - start >= seconds:
            if device >= 0:
                torch.cuda.synchronize(place)
            return items, time.monotonic() - start

def answer(text):
    os.write(3, (text + '\n').encode())

answer('ready')
for line in sys.stdin:
    verb, *words = line.split()
    try:
        if verb == 'workers':
            stream = None
            seen.zero_()
            stream = batches(make(int(words[0])))
            window(0.5)
            answer('ok')
        elif verb == 'window':
            answer('ok %d %.9f' % window(float(words[0])))
        elif verb == 'check':
            answer('ok %d %d %d' % (seen.min(), seen.max(), seen.sum()))
        else:
            break
    except Exception as error:
        answer('error ' + ' '.join(f'{type(error).__name__}: {error}'.split()))
)py";

class PytorchLoader final : public Pipeline {
 public:
  PytorchLoader(std::shared_ptr<const pipeline::FileSet> set, std::unique_ptr<Child> child)
      : set_(std::move(set)), child_(std::move(child)) {}

  /// The best of some numbers of workers, a second each.
  Result<void> choose_workers(int cores, const FamilyProgress& progress);

  Result<PipelineWindow> run_window(double window_s, const SpanSink&) override {
    RIDGE_TRY(const std::string text, ask("window " + std::to_string(window_s)));
    long long items = 0;
    double took_s = 0;
    if (std::sscanf(text.c_str(), "%lld %lf", &items, &took_s) != 2)
      return Error{ErrorCode::invalid, "it answered '" + text + "'", "PyTorch", ""};
    return PipelineWindow{items, took_s};
  }
  QualityCheck check() override;
  double bytes_per_item() const override {
    return double(set_->starts.back()) / double(set_->count());
  }
  std::string note() const override { return note_; }

 private:
  Result<std::string> ask(const std::string& line) {
    auto answer = child_->ask(line);
    if (!answer) return answer;
    if (answer->starts_with("ok")) return answer->substr(2);
    return Error{ErrorCode::invalid, *answer, "PyTorch", ""};
  }

  std::shared_ptr<const pipeline::FileSet> set_;
  std::unique_ptr<Child> child_;
  std::string note_;
};

Result<void> PytorchLoader::choose_workers(int cores, const FamilyProgress& progress) {
  const std::set<int> tries = {std::max(1, cores / 2), std::max(1, cores - 2), cores,
                               cores + std::max(1, cores / 4)};
  double best = 0;
  int chosen = 0;
  std::string tried;
  for (const int workers : tries) {
    if (progress && !progress("PyTorch: trying " + std::to_string(workers) + " workers",
                              double(tried.size()) / 100))
      return Error{ErrorCode::cancelled, "cancelled", "", ""};
    RIDGE_TRY_VOID(ask("workers " + std::to_string(workers)));
    RIDGE_TRY(const PipelineWindow window, run_window(1, {}));
    tried += (tried.empty() ? "" : ", ") + std::to_string(workers);
    const double rate = double(window.items) / window.took_s;
    if (rate > best) best = rate, chosen = workers;
  }
  note_ = "workers: " + std::to_string(chosen) + ", the best of " + tried +
          "; it loads and copies, and trains nothing";
  RIDGE_TRY_VOID(ask("workers " + std::to_string(chosen)));
  return {};
}

QualityCheck PytorchLoader::check() {
  QualityCheck check;
  check.what = "each image once an epoch";
  const auto text = ask("check");
  long long least = 0, most = 0, total = 0;
  if (!text || std::sscanf(text->c_str(), "%lld %lld %lld", &least, &most, &total) != 3) {
    check.reason = text ? "it answered '" + *text + "'" : text.error().what;
    return check;
  }
  check.checked = total;
  check.task["epochs"] = double(total) / double(set_->count());
  check.passed = total > 0 && most - least <= 1;
  if (!check.passed) check.reason = "an image came more than once in an epoch";
  return check;
}

std::vector<ParamSpec> params_of(const PipelineDesc& desc) {
  std::vector<ParamSpec> specs = pipeline::loader_params(desc);
  std::erase_if(specs, [](const ParamSpec& spec) {
    return spec.name != "images" && spec.name != "side" && spec.name != "batch";
  });
  return specs;
}

Result<std::unique_ptr<Pipeline>> build(const PipelineDesc& desc, const Params& params, uint64_t,
                                        const FamilyProgress& progress) {
  const int side = static_cast<int>(param_int(params, "side"));
  RIDGE_TRY(auto set, pipeline::file_set(param_int(params, "images"), side, progress));
  const int crop = side * 7 / 8 / pipeline::kPool * pipeline::kPool;
  const std::vector<std::string> command = {measure::Python::here().program(),
                                            "-c",
                                            kScript,
                                            set->folder,
                                            std::to_string(set->count()),
                                            std::to_string(crop),
                                            std::to_string(param_int(params, "batch")),
                                            desc.backend == Backend::cpu ? "-1" : "0"};
  const int cores = measure::read_cpu().cores;
  auto child = std::make_unique<Child>("PyTorch", command,
                                       std::vector<std::pair<std::string, std::string>>{
                                           {"OMP_NUM_THREADS", "1"}, {"OMP_WAIT_POLICY", ""}, {"GOMP_SPINCOUNT", ""}},
                                       desc.backend == Backend::cuda);
  if (progress) progress("starting PyTorch", 0);
  RIDGE_TRY(const std::string greeting, child->receive());
  if (greeting != "ready") return Error{ErrorCode::unavailable, greeting, "PyTorch", ""};
  auto loader = std::make_unique<PytorchLoader>(std::move(set), std::move(child));
  RIDGE_TRY_VOID(loader->choose_workers(cores, progress));
  return std::unique_ptr<Pipeline>(std::move(loader));
}

constexpr Loader kAny = {};

RIDGE_PIPELINE(pipeline, cpu, pytorch, .library = "PyTorch", .external = true,
               .unavailable = pytorch_loader_unavailable, .maker = &kPytorchLoader,
               .config = &kAny);

}  // namespace

const PipelineMaker kPytorchLoader = {.params = params_of, .build = build};

const char* pytorch_loader_unavailable() {
  static const std::string reason = [] {
    std::string why;
    measure::PythonPackage package;
    for (const char* name : {"torch", "torchvision"}) {
      if (!measure::Python::here().find(name, "", &package, &why)) return why;
    }
    return std::string();
  }();
  return reason.empty() ? nullptr : reason.c_str();
}

}  // namespace ridge
