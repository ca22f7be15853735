#include "app/history/entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "common/core/hash.h"
#include "common/record/believable.h"
#include "common/record/caution.h"
#include "common/record/derive.h"
#include "common/record/import.h"
#include "common/record/in_turns.h"
#include "common/record/one_run.h"
#include "common/record/params.h"

namespace ridge::history {
namespace {

bool enters(const Series& series) {
  const bool is_kernel_time = series.stats && series.stats->median_ns > 0 &&
                              std::isfinite(series.stats->median_ns) && !series.trap &&
                              !series.command;
  return is_kernel_time && series.status == SeriesStatus::ok && series.quality_passed() &&
         series.lab != kImportedLab && why_claimed(series).empty();
}

/// Two measurements never have the same five figures; one that is read from two files has.
std::string identity_of(const Series& series, const std::string& machine) {
  const Stats& stats = *series.stats;
  return fmt::format(
      "{:016x}",
      fnv1a(fmt::format("{}|{}|{}|{}|{}|{:.17g}|{:.17g}|{:.17g}|{:.17g}|{:.17g}", machine,
                        series.request, series.index, series.hash, stats.n, stats.min_ns,
                        stats.q1_ns, stats.median_ns, stats.q3_ns, stats.max_ns)));
}

std::string how_of(const Run& run, const Series& series) {
  std::string how = series.cache.text();
  if (series.mode == RunMode::live) how += ", live";
  if (is_in_turns(run, series)) how += ", " + kTimedInTurns;
  return how;
}

const GpuInfo* gpu_of(const Run& run, const Series& series) {
  const bool is_gpu = backend_of(series.kernel) == Backend::cuda;
  return is_gpu && !run.environment()->gpus.empty() ? &run.environment()->gpus.front() : nullptr;
}

/// False: when or where it was measured is not known.
bool fill(const Run& run, const Series& series, Entry* entry) {
  if (!run.environment()) return false;
  const Environment& at = *run.environment();
  const GpuInfo* gpu = gpu_of(run, series);
  entry->machine = gpu ? gpu->name : at.cpu.model;
  auto time = ended_utc_s(run, series);
  if (!time) time = utc_s(at.time_utc);  // the look at the machine, where no line says when the result came
  if (!time || entry->machine.empty()) return false;
  entry->ended_utc_s = *time;
  entry->run = identity_of(series, entry->machine);
  entry->lab = series.lab, entry->kernel = series.kernel, entry->hash = series.hash;
  entry->params = to_string(series.params);
  entry->how = how_of(run, series);
  entry->value = series.stats->median_ns;
  entry->ci = series.stats->ci_ns;
  entry->samples = series.stats->n;
  entry->disturbed = caution_of(*series.stats);
  entry->commit = at.commit, entry->compiler = at.compiler, entry->version = at.version;
  entry->os = at.os, entry->power = at.power_source, entry->governor = at.cpu.governor;
  if (gpu) entry->driver = gpu->driver;
  entry->clock_hz = series.sm_clock_hz;
  return true;
}

}  // namespace

RunEntries entries_of(const Run& run, uint64_t after) {
  RunEntries made;
  std::set<std::string> hashes;
  for (const Series& series : run.series()) {
    made.version = std::max(made.version, series.version);
    if (series.version <= after) continue;
    Entry entry;
    if (!enters(series) || !fill(run, series, &entry)) {
      made.left_out += series.stats.has_value();
      continue;
    }
    const SourceText* source = run.source(series.kernel);
    const bool is_this = source && !source->text.empty() && source->hash == entry.hash;
    if (is_this && hashes.insert(entry.hash).second)
      made.sources.push_back({source->hash, source->path, source->flags, source->text});
    made.entries.push_back(std::move(entry));
  }
  return made;
}

Result<Added> remember(const RunEntries& entries) {
  const std::string path = history_path();
  if (entries.entries.empty() || path.empty() || !why_no_history().empty()) return Added{};
  RIDGE_TRY(HistoryStore store, HistoryStore::open(path));
  return store.add(entries.entries, entries.sources);
}

}  // namespace ridge::history
