#include "common/view/figure/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/core/format.h"
#include "common/record/derive.h"

namespace ridge::figure {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string size_text(int64_t bytes) {
  return bytes > 0 ? format_bytes(static_cast<double>(bytes)) : "";
}

std::string vectors_text(const std::string& isa) {
  if (isa == "avx512") return "AVX-512: 16 floats";
  if (isa == "avx2") return "AVX2: 8 floats";
  return isa;
}

Facts facts_of(const CpuInfo& cpu) {
  return {{"logical cores", std::to_string(cpu.cores)},
          {"vectors", vectors_text(cpu.isa)},
          {"L1 data cache, a core", size_text(cpu.l1d_bytes)},
          {"L2, a core", size_text(cpu.l2_bytes)},
          {"L3, shared", size_text(cpu.l3_bytes)}};
}

Facts facts_of(const GpuInfo& gpu) {
  return {{"SMs", std::to_string(gpu.sm_count)},
          {"highest clock", gpu.max_clock_hz > 0 ? format_rate(gpu.max_clock_hz, "Hz") : ""},
          {"L2, shared by the SMs", size_text(gpu.l2_bytes)},
          {"memory", size_text(gpu.memory_bytes)}};
}

bool is_of(const Run& run, const std::string& lab) {
  return std::any_of(run.series().begin(), run.series().end(),
                     [&](const Series& series) { return series.lab == lab; });
}

/// Of its ceilings' names those of the machine's own processor; of a CPU's those of one core.
bool is_shown(const Ceiling& ceiling, bool has_gpu) {
  if (!ceiling.doubt.empty() || ceiling.source != "measured" || !(ceiling.value > 0)) return false;
  return has_gpu ? ceiling.backend == Backend::cuda
                 : ceiling.backend == Backend::cpu && ceiling.threads == 1;
}

std::string span_text(const Ceiling& lowest, const Ceiling& highest) {
  const std::string low = ceiling_text(lowest, lowest.value);
  const std::string high = ceiling_text(highest, highest.value);
  return low == high ? low : low + " to " + high;
}

/// The facts of one machine, in the order in which they are read.
Facts facts_of(const std::string& machine, const std::string& lab,
               std::span<const Place> recordings) {
  Facts facts;
  std::vector<std::string> order;
  std::map<std::string, std::pair<Ceiling, Ceiling>> ceilings;  // lowest, highest
  for (const Place& place : recordings) {
    if (place.machine != machine || !place.run || !is_of(*place.run, lab)) continue;
    const auto& environment = place.run->environment();
    if (!environment) continue;
    const bool has_gpu = !environment->gpus.empty();
    if (facts.empty()) {
      facts = has_gpu ? facts_of(environment->gpus.front()) : facts_of(environment->cpu);
      facts.emplace_back("compiler", environment->compiler);
    }
    for (const Ceiling& one : place.run->ceilings()) {
      if (!is_shown(one, has_gpu)) continue;
      const auto [at, is_new] = ceilings.try_emplace(one.name, one, one);
      if (is_new) order.push_back(one.name);
      if (one.value < at->second.first.value) at->second.first = one;
      if (one.value > at->second.second.value) at->second.second = one;
    }
  }
  for (const std::string& name : order) {
    const auto& [lowest, highest] = ceilings.at(name);
    facts.emplace_back("ceiling " + name, span_text(lowest, highest));
  }
  return facts;
}

}  // namespace

MachineTable machine_table(const std::vector<Machine>& machines, const std::string& lab,
                           std::span<const Place> recordings) {
  MachineTable table;
  for (const Machine& machine : machines) {
    const Facts facts = facts_of(machine.name, lab, recordings);
    if (facts.empty()) continue;
    const size_t column = table.machines.size();
    table.machines.push_back(machine);
    for (const auto& [name, text] : facts) {
      if (text.empty()) continue;
      auto row = std::find_if(table.rows.begin(), table.rows.end(),
                              [&, &name = name](const auto& one) { return one.first == name; });
      if (row == table.rows.end()) row = table.rows.insert(row, {name, {}});
      row->second.resize(column, "–");
      row->second.push_back(text);
    }
  }
  for (auto& [name, cells] : table.rows) cells.resize(table.machines.size(), "–");
  return table;
}

}  // namespace ridge::figure
