// ridge: needs=jpeg
#include "kernels/pipeline/peers/loader_process.h"

#include <cstdio>
#include <map>
#include <set>

#include "common/harness/measure/child.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/python.h"
#include "common/record/params.h"
#include "kernels/pipeline/engine.h"

namespace ridge::pipeline {
namespace {

using measure::Child;

/// Before the peer's script. argv: folder, images, crop, batch, device (-1: CPU).
constexpr const char* kSettings = R"py(
import os, sys, time

folder = sys.argv[1]
images, crop, batch, device = (int(v) for v in sys.argv[2:6])
)py";

/// Behind it. Lines: "workers N", "window S", "check".
constexpr const char* kServe = R"py(
seen = [0] * images

def window(seconds):
    items, start = 0, time.monotonic()
    while True:
        numbers = next_numbers()
        for i in numbers:
            seen[i] += 1
        items += len(numbers)
        if time.monotonic() - start >= seconds:
            finish()
            return items, time.monotonic() - start

def answer(text):
    os.write(3, (text + '\n').encode())

answer('ready')
for line in sys.stdin:
    verb, *words = line.split()
    try:
        if verb == 'workers':
            seen[:] = [0] * images
            begin(int(words[0]))
            window(0.5)
            answer('ok')
        elif verb == 'window':
            answer('ok %d %.9f' % window(float(words[0])))
        elif verb == 'check':
            answer('ok %d %d %d' % (min(seen), max(seen), sum(seen)))
        else:
            break
    except Exception as error:
        answer('error ' + ' '.join(f'{type(error).__name__}: {error}'.split()))
)py";

class PeerLoader final : public Pipeline {
 public:
  PeerLoader(const LoaderPeer& peer, std::shared_ptr<const FileSet> set, std::unique_ptr<Child> child)
      : peer_(peer), set_(std::move(set)), child_(std::move(child)) {}

  /// The best of some numbers of workers, a second each.
  Result<void> choose_workers(int cores, const FamilyProgress& progress);

  Result<PipelineWindow> run_window(double window_s, const SpanSink&) override {
    RIDGE_TRY(const std::string text, ask("window " + std::to_string(window_s)));
    long long items = 0;
    double took_s = 0;
    if (std::sscanf(text.c_str(), "%lld %lf", &items, &took_s) != 2)
      return Error{ErrorCode::invalid, "it answered '" + text + "'", peer_.library, ""};
    return PipelineWindow{items, took_s};
  }
  QualityCheck check() override;
  double bytes_per_item() const override { return double(set_->starts.back()) / double(set_->count()); }
  std::string note() const override { return note_; }

 private:
  Result<std::string> ask(const std::string& line) {
    auto answer = child_->ask(line);
    if (!answer) return answer;
    if (answer->starts_with("ok")) return answer->substr(2);
    return Error{ErrorCode::invalid, *answer, peer_.library, ""};
  }

  const LoaderPeer& peer_;
  std::shared_ptr<const FileSet> set_;
  std::unique_ptr<Child> child_;
  std::string note_;
};

Result<void> PeerLoader::choose_workers(int cores, const FamilyProgress& progress) {
  const std::set<int> tries = {std::max(1, cores / 2), std::max(1, cores - 2), cores, cores + std::max(1, cores / 4)};
  const std::string library = peer_.library, counted = peer_.counted;
  double best = 0;
  int chosen = 0;
  std::string tried;
  for (const int workers : tries) {
    if (progress && !progress(library + ": trying " + std::to_string(workers) + " " + counted,
                              double(tried.size()) / 100))
      return Error{ErrorCode::cancelled, "cancelled", "", ""};
    RIDGE_TRY_VOID(ask("workers " + std::to_string(workers)));
    RIDGE_TRY(const PipelineWindow window, run_window(1, {}));
    tried += (tried.empty() ? "" : ", ") + std::to_string(workers);
    const double rate = double(window.items) / window.took_s;
    if (rate > best) best = rate, chosen = workers;
  }
  note_ = counted + ": " + std::to_string(chosen) + ", the best of " + tried + "; it loads and copies, and trains nothing";
  RIDGE_TRY_VOID(ask("workers " + std::to_string(chosen)));
  return {};
}

QualityCheck PeerLoader::check() {
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

std::string why_unavailable(const LoaderPeer& peer) {
  const measure::Python& python = measure::Python::here();
  std::string why;
  measure::PythonPackage package;
  const bool found = python.find(peer.package, "", peer.floor, &package, &why) &&
                     (peer.beside == nullptr || python.find(peer.beside, "", "", &package, &why));
  return found ? std::string() : why;
}

}  // namespace

const char* unavailable(const LoaderPeer& peer) {
  static std::map<const LoaderPeer*, std::string> reasons;
  const auto [reason, is_new] = reasons.try_emplace(&peer);
  if (is_new) reason->second = why_unavailable(peer);
  return reason->second.empty() ? nullptr : reason->second.c_str();
}

std::vector<ParamSpec> peer_params(const PipelineDesc& desc) {
  std::vector<ParamSpec> specs = loader_params(desc);
  std::erase_if(specs, [](const ParamSpec& spec) {
    return spec.name != "images" && spec.name != "side" && spec.name != "batch";
  });
  return specs;
}

Result<std::unique_ptr<Pipeline>> build_peer(const LoaderPeer& peer, const PipelineDesc& desc, const Params& params,
                                             const FamilyProgress& progress) {
  const int side = static_cast<int>(param_int(params, "side"));
  RIDGE_TRY(auto set, file_set(param_int(params, "images"), side, progress));
  const int crop = side * 7 / 8 / kPool * kPool;
  const std::vector<std::string> command = {measure::Python::here().program(),
                                            "-c",
                                            std::string(kSettings) + peer.script + kServe,
                                            set->folder,
                                            std::to_string(set->count()),
                                            std::to_string(crop),
                                            std::to_string(param_int(params, "batch")),
                                            desc.backend == Backend::cpu ? "-1" : "0"};
  const int cores = measure::read_cpu().cores;
  auto child = std::make_unique<Child>(peer.library, command,
                                       std::vector<std::pair<std::string, std::string>>{
                                           {"OMP_NUM_THREADS", "1"}, {"OMP_WAIT_POLICY", ""}, {"GOMP_SPINCOUNT", ""}},
                                       desc.backend == Backend::cuda);
  if (progress) progress(std::string("starting ") + peer.library, 0);
  RIDGE_TRY(const std::string greeting, child->receive());
  if (greeting != "ready") return Error{ErrorCode::unavailable, greeting, peer.library, ""};
  auto loader = std::make_unique<PeerLoader>(peer, std::move(set), std::move(child));
  RIDGE_TRY_VOID(loader->choose_workers(cores, progress));
  return std::unique_ptr<Pipeline>(std::move(loader));
}

}  // namespace ridge::pipeline
