// ridge-record LAB OUT.jsonl SECONDS SIZE...: what tests/gpu records on a GPU machine, in one session:
// every GPU rung of the lab at every size, then each rung against the one before it and against the
// library. A size is N or MxNxK. No new measurement is begun once SECONDS are over; what was left out
// is said. One session and not one command each, so that ceilings and awkward shapes are measured
// once, and the transcript stays small.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "app/driver.h"
#include "app/results.h"
#include "app/selection.h"
#include "common/record/params.h"
#include "labs/lab.h"

using namespace ridge;
using namespace ridge::app;

namespace {

constexpr double kRunLimit_s = 3, kCompareLimit_s = 4;

Result<Params> params_of(const std::string& size) {
  const size_t first = size.find('x'), second = size.find('x', first + 1);
  if (first == std::string::npos) return parse_params({"n=" + size});
  return parse_params({"m=" + size.substr(0, first),
                       "n=" + size.substr(first + 1, second - first - 1),
                       "k=" + size.substr(second + 1)});
}

/// Baseline and candidate of each comparison: the rung before, and the library.
std::vector<std::pair<std::string, std::string>> pairs_of(const Lab& lab) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::string peer;
  for (const Rung& rung : lab.rungs)
    if (rung.peer && std::string(rung.kernel).find(".cuda.") != std::string::npos)
      peer = rung.kernel;
  for (const Rung& rung : lab.rungs) {
    if (rung.peer || std::string(rung.kernel).find(".cuda.") == std::string::npos) continue;
    if (const Rung* before = previous_rung(lab, rung))
      pairs.push_back({before->kernel, rung.kernel});
    if (!peer.empty()) pairs.push_back({peer, rung.kernel});
  }
  return pairs;
}

class Recorder {
 public:
  Recorder(const Lab& lab, double budget_s) : lab_(lab), budget_s_(budget_s) {}

  Result<void> record(const std::string& out, const std::vector<std::string>& sizes) {
    RIDGE_TRY(driver_, Driver::start({}, out));
    RIDGE_TRY_VOID(driver_->fetch_catalogue());
    const auto done = measure(sizes);
    const auto closed = driver_->close_file();
    RIDGE_TRY_VOID(done);
    if (!closed) return closed.error();
    return {};
  }

  void print() const {
    if (!driver_) return;
    std::printf("%s\n%s\n", environment_text(driver_->run()).c_str(),
                ceilings_text(driver_->run()).c_str());
    for (const int64_t id : runs_)
      std::printf("%s\n", results_text(driver_->run(), id, {}).c_str());
    for (const int64_t id : comparisons_)
      std::printf("%s\n", comparisons_text(driver_->run(), id).c_str());
    for (const std::string& text : left_out_)
      std::printf("left out, time over: %s\n", text.c_str());
  }

 private:
  Result<void> measure(const std::vector<std::string>& sizes) {
    std::vector<std::string> rungs;
    for (const Rung& rung : lab_.rungs)
      if (std::string(rung.kernel).find(".cuda.") != std::string::npos)
        rungs.push_back(rung.kernel);
    for (const std::string& size : sizes) RIDGE_TRY_VOID(run(rungs, size));
    for (const std::string& size : sizes)
      for (const auto& [baseline, candidate] : pairs_of(lab_))
        RIDGE_TRY_VOID(compare(baseline, candidate, size));
    return {};
  }

  Result<void> run(const std::vector<std::string>& rungs, const std::string& size) {
    WorkRequest request;
    request.type = "run";
    request.limit_s = kRunLimit_s;
    for (const std::string& rung : rungs) RIDGE_TRY_VOID(add(rung, size, &request));
    return carry_out(std::move(request), "run at " + size, &runs_);
  }

  Result<void> compare(const std::string& baseline, const std::string& candidate,
                       const std::string& size) {
    WorkRequest request;
    request.type = "compare";
    request.limit_s = kCompareLimit_s;
    RIDGE_TRY_VOID(add(baseline, size, &request));
    RIDGE_TRY_VOID(add(candidate, size, &request));
    return carry_out(std::move(request), baseline + " and " + candidate + " at " + size,
                     &comparisons_);
  }

  Result<void> add(const std::string& rung, const std::string& size, WorkRequest* request) {
    RIDGE_TRY(const Params params, params_of(size));
    RIDGE_TRY(KernelRequest kernel, select_side(lab_, driver_->run(), rung, params));
    request->kernels.push_back(std::move(kernel));
    return {};
  }

  /// A rung that fails its check is part of the record; a lost worker ends it.
  Result<void> carry_out(WorkRequest request, const std::string& what, std::vector<int64_t>* ids) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    if (spent.count() > budget_s_) {
      left_out_.push_back(what);
      return {};
    }
    std::printf("%4.0f s  %s\n", spent.count(), what.c_str());
    std::fflush(stdout);
    request.lab = lab_.id;
    RIDGE_TRY_VOID(driver_->fetch_sources(request.kernels));
    int64_t id = 0;
    const auto done = driver_->carry_out(std::move(request), &id);
    if (id != 0) ids->push_back(id);
    if (!done && done.error().code != ErrorCode::invalid) return done;
    return {};
  }

  const Lab& lab_;
  double budget_s_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::unique_ptr<Driver> driver_;
  std::vector<int64_t> runs_, comparisons_;
  std::vector<std::string> left_out_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const Lab* lab = args.size() >= 4 ? find_lab(args[0]) : nullptr;
  if (!lab) {
    std::fprintf(stderr, "usage: ridge-record LAB OUT.jsonl SECONDS SIZE...\n");
    return 64;
  }
  Recorder recorder(*lab, std::strtod(args[2].c_str(), nullptr));
  const auto done = recorder.record(args[1], {args.begin() + 3, args.end()});
  recorder.print();
  if (done) return 0;
  std::fprintf(stderr, "ridge-record: %s\n", done.error().sentence().c_str());
  return done.error().exit_code();
}
