#include "common/harness/measure/ceilings.h"

#include <algorithm>
#include <cmath>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "common/record/params.h"

namespace ridge::measure {
namespace {

constexpr double kRow_s = 0.25;

/// A call of 3 ms (AVX-512) to 30 ms (portable), so that starting threads (30 us) is under 1 %.
int64_t fma_passes(const CeilingContext&) {
  return 256;
}

/// A call of 4 ms (AVX-512) to 250 ms (the library's).
int64_t exp_passes(const CeilingContext&) {
  return 64;
}

/// 256 MiB in all: a call of 4 ms at 64 GB/s.
int64_t l2_passes(const CeilingContext&) {
  return 1024;
}

/// Four times the last-level cache and 64 MiB at least, so that little is read from a cache; 1 GiB at most, twice the largest
/// cache of a chip, since a first touch of so much memory takes seconds where a host gives it to a virtual machine.
int64_t read_bytes(const CeilingContext& context) {
  constexpr int64_t kLeast = int64_t{64} << 20, kMost = int64_t{1} << 30;
  const int64_t wanted = std::clamp(4 * context.llc_bytes, kLeast, kMost);
  return std::min(wanted, context.free_bytes / 8) / 64 * 64;
}

/// Of each of the two arrays.
int64_t copied_bytes(const CeilingContext& context) {
  return read_bytes(context) / 2 / 64 * 64;
}

/// Passes on what a probe's measuring asks (cancelled? does the window keep still?) and keeps its samples to itself. Sees
/// what others used of the CPU while it was timed.
class Quiet : public Observer {
 public:
  Quiet(Observer* outer, std::string text) : outer_(outer), text_(std::move(text)) {}
  void phase(int, const Phase& inner) override {
    outer_->phase(-1, {.phase = inner.phase, .text = text_});
  }
  void announce(int) override {
    outer_->announce(-1);
    if (!foreign_) foreign_.emplace();
  }
  void samples(int, const char*, std::span<const Sample>) override {
    if (foreign_) foreign_cpus_ = foreign_->cpus();
  }
  bool cancelled() const override { return outer_->cancelled(); }
  double foreign_cpus() const { return foreign_cpus_; }

 private:
  Observer* outer_;
  std::string text_;
  std::optional<ForeignLoad> foreign_;
  double foreign_cpus_ = 0;
};

/// A row's own type; rows of memory are measured with fp32 numbers.
Params params_of(const CeilingRow& row) {
  const std::string dtype = row.dtype;
  return {{"dtype", dtype.empty() ? "fp32" : dtype}};
}

/// The first choice whose kernel is here and whose instructions this device has.
const KernelDesc* choose(const CeilingRow& row, const Device& device, std::string* what) {
  for (const auto& choice : row.choices) {
    const KernelDesc* kernel = find_kernel(choice.kernel);
    *what = choice.what;
    if (kernel != nullptr && check_supported(*kernel, params_of(row), device)) return kernel;
  }
  return nullptr;
}

CeilingContext context_of(const Device& device, int threads) {
  return {.threads = threads,
          .llc_bytes = last_level_cache_bytes(),
          .free_bytes = static_cast<int64_t>(device.free_bytes())};
}

constexpr const char* kSaid = "measuring this machine's ceiling";

/// The clock of the sample that the ceiling's value is of; 0: not read.
double fastest_clock_hz(const Series& series) {
  double least_ns = INFINITY, clock_hz = 0;
  for (const Sample& sample : series.samples) {
    if (!(sample.t_ns < least_ns)) continue;
    least_ns = sample.t_ns;
    clock_hz = sample.sm_clock_hz.value_or(0);
  }
  return clock_hz;
}

/// None where no probe of the row runs here, or where the one that does fails its check. `said` is what is said meanwhile.
Result<std::optional<Ceiling>> measure_row(const CeilingRow& row, const CeilingContext& context,
                                           Bench* bench, Device* device, const std::string& said,
                                           Observer* observer) {
  std::string what;
  const KernelDesc* kernel = choose(row, *device, &what);
  const FamilyDesc* family = kernel != nullptr ? find_family(family_of(kernel->id)) : nullptr;
  if (family == nullptr) return std::optional<Ceiling>();
  Params given = params_of(row);
  given["what"] = what;
  given["threads"] = int64_t{context.threads};
  if (row.size != nullptr) given["n"] = row.size(context);
  RIDGE_TRY(const Params params, resolve_params(family->params(), given, family->name));

  Ceiling ceiling;
  ceiling.name = ceiling_name(row, context.threads);
  if (row.backend == Backend::cpu) ceiling.threads = context.threads;
  Quiet quiet(observer, said + ": " + ceiling.name);
  Options options;
  options.mode = Mode::live;
  options.limit_s = kRow_s;
  options.gate = false;
  options.latency = false;
  options.energy = false;
  options.describe = false;
  RIDGE_TRY(const Series series,
            measure_kernel(bench, device, *kernel, params, options, -1, &quiet));
  if (series.status == SeriesStatus::cancelled) {
    return cancelled_error();
  }
  if (series.status != SeriesStatus::ok || !series.stats) return std::optional<Ceiling>();
  ceiling.backend = row.backend;
  ceiling.resource = row.resource;
  ceiling.dtype = row.dtype;
  ceiling.unit = row.unit;
  ceiling.source = "measured";
  if (is_contended(quiet.foreign_cpus(), row.backend)) ceiling.foreign_cpus = quiet.foreign_cpus();
  const std::string unit = row.unit;
  // A launch lasts too short to be timed alone: a call makes many, its items.
  const double items = std::max(1.0, series.items_per_s * series.stats->median_ns * 1e-9);
  const auto value_at = [&](double ns) {
    const double s = ns * 1e-9;
    return unit == "s" ? s / items : (unit == "B/s" ? series.bytes_min : series.flop) / s;
  };
  ceiling.value = value_at(series.stats->min_ns);
  ceiling.median = value_at(series.stats->median_ns);
  ceiling.samples = series.stats->n;
  ceiling.sm_clock_hz = fastest_clock_hz(series);
  return std::optional<Ceiling>(std::move(ceiling));
}

}  // namespace

namespace {

CeilingRow tensor_row(const char* name, const char* dtype) {
  return {name,
          Backend::cuda,
          "flop",
          dtype,
          "FLOP/s",
          {{"probe.cuda.tensor_wgmma", "tensor_wgmma"}, {"probe.cuda.tensor_mma", "tensor_mma"}},
          nullptr};
}

}  // namespace

const std::vector<CeilingRow>& ceiling_rows() {
  static const std::vector<CeilingRow> rows = {
      {"FMA fp32",
       Backend::cpu,
       "flop",
       "fp32",
       "FLOP/s",
       {{"probe.cpu.fma_avx512", "fma"},
        {"probe.cpu.fma_avx2", "fma"},
        {"probe.cpu.fma_neon", "fma"},
        {"probe.cpu.fma_wasm128", "fma"},
        {"probe.cpu.fma_portable", "fma"}},
       fma_passes},
      {"dot product bf16",
       Backend::cpu,
       "flop",
       "bf16",
       "FLOP/s",
       {{"probe.cpu.dot_bf16_amx", "dot"}, {"probe.cpu.dot_bf16", "dot"}},
       fma_passes},
      {"dot product int8",
       Backend::cpu,
       "flop",
       "int8",
       "FLOP/s",
       {{"probe.cpu.dot_int8_amx", "dot"}, {"probe.cpu.dot_int8", "dot"}},
       fma_passes},
      {"three-input logic",
       Backend::cpu,
       "logic",
       "bits",
       "1/s",
       {{"probe.cpu.logic_avx512", "logic"}},
       fma_passes},
      {"exponentials",
       Backend::cpu,
       "exp",
       "fp32",
       "exp/s",
       {{"probe.cpu.exp_avx512", "exp"}, {"probe.cpu.exp_portable", "exp"}},
       exp_passes,
       "exp"},
      {"L2 read", Backend::cpu, "l2_read", "", "B/s", {{"probe.cpu.l2_read", "l2"}}, l2_passes},
      {"DRAM read",
       Backend::cpu,
       "dram_read",
       "",
       "B/s",
       {{"probe.cpu.read_avx512", "read"}, {"probe.cpu.read_portable", "read"}},
       read_bytes},
      {"DRAM copy",
       Backend::cpu,
       "dram_copy",
       "",
       "B/s",
       {{"probe.cpu.copy_streamed", "copy"}},
       copied_bytes},
      {"FFMA fp32",
       Backend::cuda,
       "flop",
       "fp32",
       "FLOP/s",
       {{"probe.cuda.ffma", "ffma"}},
       nullptr},
      {"exponentials",
       Backend::cuda,
       "exp",
       "fp32",
       "exp/s",
       {{"probe.cuda.exp", "gpu_exp"}},
       nullptr,
       "exp"},
      tensor_row("tensor bf16", "bf16"),
      tensor_row("tensor fp16", "fp16"),
      tensor_row("tensor tf32", "tf32"),
      tensor_row("tensor fp8", "fp8"),
      tensor_row("tensor int8", "int8"),
      {"L2 read",
       Backend::cuda,
       "l2_read",
       "",
       "B/s",
       {{"probe.cuda.l2_read", "l2_read"}},
       nullptr},
      {"DRAM read",
       Backend::cuda,
       "dram_read",
       "",
       "B/s",
       {{"probe.cuda.dram_read", "gpu_read"}},
       nullptr},
      {"DRAM copy",
       Backend::cuda,
       "dram_copy",
       "",
       "B/s",
       {{"probe.cuda.dram_copy", "gpu_copy"}},
       nullptr},
      {"kernel launch",
       Backend::cuda,
       "launch",
       "",
       "s",
       {{"probe.cuda.launch", "gpu_launch"}},
       nullptr},
      {"graph node",
       Backend::cuda,
       "graph_node",
       "",
       "s",
       {{"probe.cuda.graph_node", "gpu_launch"}},
       nullptr},
  };
  return rows;
}

const CeilingRow* row_of(const Ceiling& ceiling) {
  for (const CeilingRow& row : ceiling_rows()) {
    if (ceiling.backend == row.backend && row.resource == ceiling.resource &&
        row.dtype == ceiling.dtype)
      return &row;
  }
  return nullptr;
}

std::string ceiling_name(const CeilingRow& row, int threads) {
  if (row.backend != Backend::cpu) return row.name;
  return std::string(row.name) + ", " + std::to_string(threads) +
         (threads == 1 ? " thread" : " threads");
}

size_t count_ceilings(const Device& device, const std::string& what) {
  std::string unused;
  const auto& rows = ceiling_rows();
  return static_cast<size_t>(std::count_if(rows.begin(), rows.end(), [&](const CeilingRow& row) {
    return row.backend == device.backend() && row.asked_by() == what &&
           choose(row, device, &unused) != nullptr;
  }));
}

Result<std::vector<Ceiling>> measure_ceilings(Bench* bench, Device* device, int threads,
                                              const std::string& what, Observer* observer) {
  std::vector<Ceiling> ceilings;
  const CeilingContext context = context_of(*device, threads);
  for (const CeilingRow& row : ceiling_rows()) {
    if (row.backend != device->backend() || row.asked_by() != what) continue;
    RIDGE_TRY(const auto ceiling, measure_row(row, context, bench, device, kSaid, observer));
    if (ceiling) ceilings.push_back(*ceiling);
  }
  return ceilings;
}

Result<std::optional<Ceiling>> measure_again(Bench* bench, Device* device, const Ceiling& ceiling,
                                             Observer* observer) {
  const CeilingContext context = context_of(*device, std::max(1, ceiling.threads));
  const CeilingRow* row = row_of(ceiling);
  if (row == nullptr || row->backend != device->backend()) return std::optional<Ceiling>();
  return measure_row(*row, context, bench, device, std::string(kSaid) + " again", observer);
}

}  // namespace ridge::measure
