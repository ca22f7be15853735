// Idea      PyTorch trains the same network: the same start, the same images in the same order, fp32.
// Changed   PyTorch around oneDNN or cuDNN and cuBLAS; autograd keeps what backward needs. On a GPU a step is
//           a CUDA graph from the fourth on, the optimizer one kernel.
// Limits    On a CPU, for small batches what calling a layer costs from Python; else its library's kernels.
// Look at   Its step time beside ours, and the same accuracy. A step includes a line to the process and one
//           back, 0.05 ms.
// Source    torch.nn.functional, torch.optim.SGD; TF32 off as here. cuDNN's search is made five times, over all plans,
//           and the fastest counts.
#include <cstdio>
#include <cstring>

#include "common/harness/measure/child.h"
#include "common/harness/measure/python.h"
#include "common/record/params.h"
#include "kernels/mixed/training.h"
#include "kernels/runtime/peers/torch_calls.h"

namespace ridge::mixed {
namespace {

using measure::Child;

/// After kTorchCalls. argv: layers ("conv 28 1 16 0,pool,dense 784 10 0"), images to train and test, batch.
/// fd 4: parameters, train pixels, train labels, test pixels, test labels, order; fp32 and int32 aligned.
constexpr const char* kScript = R"py(
import mmap, sys
import numpy
import torch.nn.functional as F

layers = [l.split() for l in sys.argv[1].split(',')]
train, test, batch = (int(v) for v in sys.argv[2:5])
torch.backends.cudnn.benchmark = True
torch.backends.cudnn.benchmark_limit = 0  # all plans
on_gpu = device >= 0
# Each where it is faster: channels last took a tenth less time on a CPU, a tenth more on a GPU.
layout = torch.contiguous_format if on_gpu else torch.channels_last

def answer(text):
    os.write(3, (text + '\n').encode())

answer('ready')
sys.stdin.readline()  # the memory is filled now
memory = mmap.mmap(4, 0)
at = 0

def take(kind, count):
    global at
    array = numpy.frombuffer(memory, kind, count, at)
    at += (array.nbytes + 63) // 64 * 64
    return array

def parameter(values):
    values = torch.tensor(values.copy(), device=place)
    return (values.contiguous(memory_format=layout) if values.dim() == 4 else values).requires_grad_()

parameters, net, shape = [], [], None
for kind, *numbers in layers:
    if kind == 'pool':
        net.append((kind, None, None, False))
        shape = (shape[0], shape[1] // 2)
        continue
    side, i, o, relu = (int(n) for n in numbers)
    k = 9 * i if kind == 'conv' else i
    w, b = take('f4', o * k).reshape(o, k), take('f4', o)
    if kind == 'conv':
        w = w.reshape(o, 3, 3, i).transpose(0, 3, 1, 2)
        shape = (o, side)
    elif shape is not None:  # after convolutions: their features lie channel by channel here
        w = w.reshape(o, shape[1], shape[1], shape[0]).transpose(0, 3, 1, 2).reshape(o, k)
        shape = None
    w, b = parameter(w), parameter(b)
    parameters += [w, b]
    net.append((kind, w, b, relu == 1))
before = torch.cuda.memory_allocated(place) if on_gpu else 0
sets = []
for count in (train, test):
    pixels = torch.tensor(take('u1', count * 784).reshape(count, 784).copy(), device=place)
    labels = torch.tensor(take('u1', count).copy(), device=place).long()
    sets.append((pixels, labels))
order = take('i4', batch)
data_bytes = torch.cuda.memory_allocated(place) - before if on_gpu else 0  # no part of a training's
# Learning rate and order lie on the GPU there, so that a step can be a CUDA graph.
rate_now = torch.tensor(0.1, device=place) if on_gpu else 0.1
order_now = torch.zeros(batch, dtype=torch.int32, device=place)
optimizer = torch.optim.SGD(parameters, lr=rate_now, momentum=0.9, fused=on_gpu or None)

def scores(pixels):
    x = (pixels.float() - 72.94) * (1 / 90.03)
    if net[0][0] == 'conv':
        x = x.view(-1, 1, 28, 28).contiguous(memory_format=layout)
    for kind, w, b, relu in net:
        if kind == 'conv':
            x = F.conv2d(x, w, b, padding=1)
        elif kind == 'pool':
            x = F.relu(F.max_pool2d(x, 2))
        else:
            x = F.linear(x.flatten(1), w, b)
        if relu:
            x = F.relu(x)
    return x

def gradients():
    images = order_now.long()
    optimizer.zero_grad(set_to_none=True)
    out, labels = scores(sets[0][0][images]), sets[0][1][images]
    loss = F.cross_entropy(out, labels)
    loss.backward()
    return loss, out, labels

def train():
    seen = gradients()
    optimizer.step()
    return seen

def searched():
    torch.autograd.set_multithreading_enabled(False)  # backward in this thread, whose plans it is to use
    return Calls(gradients)

def best_search():
    """cuDNN's picks differ from search to search: the draw of five whose gradients are the fastest. It trains then."""
    order_now.random_(0, len(sets[0][1]))
    draw, _ = fastest_draw(searched, 5, 20)
    draw.result = None  # the plans stay, its recordings go
    optimizer.zero_grad(set_to_none=True)
    return draw

graph, recorded, steps, most_bytes = None, None, 0, 0
side = torch.cuda.Stream(place) if on_gpu else None

def step(rate):
    global graph, recorded, steps, most_bytes
    steps += 1
    order_now.copy_(torch.from_numpy(order))
    if not on_gpu:
        for group in optimizer.param_groups:
            group['lr'] = rate
        return train()
    rate_now.fill_(rate)
    if steps <= 4:  # a step that only replays takes nothing more
        torch.cuda.reset_peak_memory_stats(place)
    if steps <= 3:  # on a stream of its own, as a recording wants them before it
        torch.cuda.synchronize(place)
        with torch.cuda.stream(side):
            seen = train()
    else:
        if graph is None:
            graph = torch.cuda.CUDAGraph()
            optimizer.zero_grad(set_to_none=True)
            with torch.cuda.graph(graph):
                recorded = train()
        graph.replay()
        seen = recorded
    torch.cuda.synchronize(place)
    if steps <= 4:
        most_bytes = max(most_bytes, torch.cuda.max_memory_allocated(place) - data_bytes)
    return seen

def right(which, first, last):
    pixels, labels = sets[which]
    total = 0
    with torch.no_grad():
        for i in range(first, last, 1000):
            end = min(i + 1000, last)
            total += int((scores(pixels[i:end]).argmax(1) == labels[i:end]).sum())
    return total

def serve():
    seen = None
    for line in sys.stdin:
        verb, *words = line.split()
        try:
            if verb == 'step':
                seen = step(float(words[0]))
                answer('ok')
            elif verb == 'report':
                loss, out, labels = seen
                answer('ok %.9g %d' % (float(loss), int((out.argmax(1) == labels).sum())))
            elif verb == 'right':
                answer('ok %d' % right(*(int(w) for w in words)))
            elif verb == 'memory':
                answer('ok %d' % most_bytes)
            else:
                break
        except Exception as error:
            answer('error ' + ' '.join(f'{type(error).__name__}: {error}'.split()))

draw = best_search() if on_gpu and any(kind == 'conv' for kind, *_ in net) else None
answer('ok')
if draw is None:
    serve()
else:
    draw.again(serve)
)py";

size_t aligned(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

std::string layers_text(const Model& model) {
  std::string text;
  for (const Layer& layer : model.layers) {
    text += text.empty() ? "" : ",";
    if (layer.kind == Layer::Kind::pool) {
      text += "pool";
      continue;
    }
    text += layer.kind == Layer::Kind::conv ? "conv " : "dense ";
    text += std::to_string(layer.side) + " " + std::to_string(layer.in) + " " +
            std::to_string(layer.out) + (layer.relu ? " 1" : " 0");
  }
  return text;
}

class PytorchTrainer final : public Trainer {
 public:
  PytorchTrainer(TrainerSetup setup, std::unique_ptr<Child> child)
      : setup_(std::move(setup)), child_(std::move(child)) {}

  void fill(std::byte* memory);
  Result<void> begin() {
    RIDGE_TRY(const std::string answer, ask("begin"));
    return {};
  }
  Result<void> step(const ImageSet&, const int32_t* images, float rate, bool) override {
    std::memcpy(order_, images, size_t(setup_.batch) * 4);
    char line[32];
    std::snprintf(line, sizeof line, "step %.9g", double(rate));
    RIDGE_TRY(const std::string answer, ask(line));
    return {};
  }
  Result<StepReport> report() override {
    RIDGE_TRY(const std::string text, ask("report"));
    StepReport report;
    long long right = 0;
    if (std::sscanf(text.c_str(), "%lf %lld", &report.loss, &right) != 2)
      return Error{ErrorCode::invalid, "it answered '" + text + "'", "PyTorch", ""};
    report.right = right;
    return report;
  }
  GradientCount counted() override { return {}; }
  Result<int64_t> right(const ImageSet& set, const int32_t* images, int64_t count) override {
    const bool test = &set == &garments().test;
    RIDGE_TRY(const std::string text,
              ask("right " + std::to_string(test ? 1 : 0) + " " + std::to_string(images[0]) + " " +
                  std::to_string(images[0] + count)));
    return static_cast<int64_t>(std::atoll(text.c_str()));
  }
  double memory_bytes() const override {
    const auto answer = child_->ask("memory");
    return answer && answer->starts_with("ok") ? std::atof(answer->c_str() + 2) : 0;
  }
  std::vector<float> parameters() override { return {}; }
  std::vector<float> gradient() override { return {}; }

 private:
  Result<std::string> ask(const std::string& line) {
    auto answer = child_->ask(line);
    if (!answer) return answer;
    if (answer->starts_with("ok")) return answer->substr(2);
    return Error{ErrorCode::invalid, *answer, "PyTorch", ""};
  }

  TrainerSetup setup_;
  std::unique_ptr<Child> child_;
  std::byte* order_ = nullptr;
};

size_t memory_needed(const TrainerSetup& setup) {
  const Garments& all = garments();
  size_t bytes = aligned(size_t(setup.batch) * 4);
  for (const Layer& layer : setup.model.layers) {
    if (layer.kind != Layer::Kind::pool)
      bytes += aligned(size_t(layer.weights()) * 4) + aligned(size_t(layer.out) * 4);
  }
  for (const ImageSet* set : {&all.train, &all.test})
    bytes += aligned(set->pixels.size()) + aligned(set->labels.size());
  return bytes;
}

void PytorchTrainer::fill(std::byte* to) {
  const auto put = [&](const void* from, size_t bytes) {
    std::memcpy(to, from, bytes);
    to += aligned(bytes);
  };
  for (const Layer& layer : setup_.model.layers) {
    if (layer.kind == Layer::Kind::pool) continue;
    put(&setup_.parameters[size_t(layer.weight)], size_t(layer.weights()) * 4);
    put(&setup_.parameters[size_t(layer.bias)], size_t(layer.out) * 4);
  }
  for (const ImageSet* set : {&garments().train, &garments().test}) {
    put(set->pixels.data(), set->pixels.size());
    put(set->labels.data(), set->labels.size());
  }
  order_ = to;
}

template <bool gpu>
Result<std::unique_ptr<Trainer>> make(TrainerSetup setup) {
  const std::vector<std::string> command = {measure::Python::here().program(),
                                            "-c",
                                            std::string(kTorchCalls) + kScript,
                                            layers_text(setup.model),
                                            std::to_string(garments().train.count()),
                                            std::to_string(garments().test.count()),
                                            std::to_string(setup.batch)};
  auto child = std::make_unique<Child>(
      "PyTorch", command,
      std::vector<std::pair<std::string, std::string>>{
          {"OMP_WAIT_POLICY", ""}, {"GOMP_SPINCOUNT", ""},
          {"RIDGE_PEER_DEVICE", gpu ? "0" : "-1"},
          {"RIDGE_PEER_THREADS", std::to_string(setup.threads)}},
      gpu);
  RIDGE_TRY(const std::string greeting, child->receive());
  if (greeting != "ready") return Error{ErrorCode::unavailable, greeting, "PyTorch", ""};
  RIDGE_TRY(std::byte* const memory, child->memory(memory_needed(setup)));
  auto made = std::make_unique<PytorchTrainer>(std::move(setup), std::move(child));
  made->fill(memory);
  RIDGE_TRY_VOID(made->begin());
  return std::unique_ptr<Trainer>(std::move(made));
}

}  // namespace
}  // namespace ridge::mixed

namespace ridge {

const TrainMaker kMixedPytorch = {
    .params = mixed::mixed_params,
    .build = [](const TrainDesc& desc, const Params& params, uint64_t) {
      const bool gpu = desc.backend == Backend::cuda;
      return mixed::build_mixed(desc, params, gpu ? mixed::make<true> : mixed::make<false>,
                                [](const mixed::TrainerSetup&) { return 0.0; });
    }};

const char* mixed_pytorch_unavailable() {
  static const std::string reason = [] {
    std::string why;
    measure::PythonPackage package;
    const bool found = measure::Python::here().find("torch", "", kTorchFloor, &package, &why) &&
                       measure::Python::here().find("numpy", "", "", &package, &why);
    return found ? std::string() : why;
  }();
  return reason.empty() ? nullptr : reason.c_str();
}

namespace {

constexpr Precision kPrecision = {};

RIDGE_TRAINING(mixed, cpu, pytorch, .library = "PyTorch", .external = true,
               .unavailable = mixed_pytorch_unavailable, .maker = &kMixedPytorch,
               .config = &kPrecision);

}  // namespace
}  // namespace ridge
