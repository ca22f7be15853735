#include "worker/kept_ceilings.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/core/build_info.h"
#include "common/core/files.h"
#include "common/core/hash.h"
#include "common/harness/kernel/code_hash.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/ceilings.h"
#include "common/harness/measure/machine.h"
#include "common/record/door.h"
#include "common/record/json.h"

namespace ridge::worker {
namespace {

namespace fs = std::filesystem;

/// A machine's ceilings are some 10 KB.
constexpr uintmax_t kMostBytes = uintmax_t{1} << 20;

std::string probes_hash() {
  const BuildInfo build = build_info();
  uint64_t hash = fnv1a(build.commit + build.compiler + build.cuda + build.optimization);
  for (const measure::CeilingRow& row : measure::ceiling_rows()) {
    for (const auto& choice : row.choices) {
      const KernelSource* source = find_source(choice.kernel);
      hash = fnv1a(source == nullptr ? "-" : source->hash, hash);
    }
  }
  return hex16(hash);
}

/// "0,1,2": of a hybrid processor two cores may be of two kinds.
std::string allowed_cpus() {
  std::string text;
#ifdef __linux__
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) return text;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &cpus)) text += (text.empty() ? "" : ",") + std::to_string(i);
#endif
  return text;
}

/// A ceiling as this build measures it, and of this key. Doubts are not kept: they follow from what is known.
bool is_ours(const Ceiling& ceiling, const CeilingKey& key) {
  const measure::CeilingRow* row = measure::row_of(ceiling);
  return row != nullptr && is_usable(ceiling) && ceiling.doubt.empty() &&
         ceiling.source == "measured" && ceiling.unit == row->unit && key_of(ceiling) == key &&
         ceiling.name == measure::ceiling_name(*row, ceiling.threads);
}

/// An entry of the file: a key of a place.
struct Entry {
  std::string place;
  CeilingKey key;
  KeptCeilings kept;
};

std::optional<Entry> entry_from(const Json& json) {
  if (!json.is_object() || list_field(json, "ceilings") == nullptr) return std::nullopt;
  Entry entry{
      .place = text_field(json, "place"),
      .key = {static_cast<int>(std::clamp<int64_t>(whole_field(json, "threads"), 0, 1 << 20)),
              text_field(json, "what")},
      .kept = {.measured_s = whole_field(json, "measured_s"), .ceilings = {}}};
  for (const Json& one : *list_field(json, "ceilings")) {
    Ceiling ceiling;
    from_json(one, ceiling);
    if (!is_ours(ceiling, entry.key)) return std::nullopt;
    entry.kept.ceilings.push_back(std::move(ceiling));
  }
  return entry;
}

Json to_json_of(const Entry& entry) {
  Json list = Json::array();
  for (const Ceiling& one : entry.kept.ceilings) list.push_back(one);
  return {{"place", entry.place},
          {"threads", entry.key.first},
          {"what", entry.key.second},
          {"measured_s", entry.kept.measured_s},
          {"ceilings", std::move(list)}};
}

/// One of the future was written before the clock was set back: its age is not known.
bool is_young(const Entry& entry, int64_t now_s) {
  const auto& all = entry.kept.ceilings;
  const bool is_busy = std::any_of(all.begin(), all.end(),
                                   [](const Ceiling& one) { return one.foreign_cpus > 0; });
  return entry.kept.measured_s <= now_s &&
         now_s - entry.kept.measured_s < (is_busy ? kKeptBusy_s : kKept_s);
}

std::vector<Entry> read_entries(const std::string& path, int64_t now_s) {
  std::error_code failed;
  if (path.empty() || !fs::is_regular_file(path, failed) ||
      fs::file_size(path, failed) > kMostBytes)
    return {};
  const auto text = read_whole(path);
  if (!text) return {};
  const auto parsed = parse_json(*text, path);
  const Json* list = parsed && parsed->is_object() ? list_field(*parsed, "kept") : nullptr;
  if (list == nullptr) return {};
  std::vector<Entry> entries;
  for (const Json& one : *list) {
    auto entry = entry_from(one);
    if (entry && is_young(*entry, now_s)) entries.push_back(*std::move(entry));
  }
  return entries;
}

}  // namespace

CeilingKey key_of(const Ceiling& ceiling) {
  const measure::CeilingRow* row = measure::row_of(ceiling);
  return {ceiling.backend == Backend::cpu ? ceiling.threads : 1,
          row == nullptr ? ceiling.dtype : row->asked_by()};
}

std::string comparable_as(const measure::Device& device, const std::vector<GpuInfo>& gpus) {
  const std::string root = measure::system_root();
  const std::string boot = measure::read_line_of(root + "/proc/sys/kernel/random/boot_id");
  const std::string identity = device.identity();
  const bool is_cpu = device.backend() == Backend::cpu;
  if (boot.empty() || (!is_cpu && identity.empty())) return "";
  const CpuInfo cpu = measure::read_cpu();
  std::string text = to_string(device.backend());
  for (const std::string& part : {cpu.model, cpu.isa, std::to_string(cpu.cores), allowed_cpus(),
                                  measure::read_line_of(root + "/sys/fs/cgroup/cpu.max"),
                                  cpu.governor, measure::read_power_source(), boot, probes_hash()})
    text += " | " + part;
  if (is_cpu) return text;
  text += " | " + device.name() + " | " + identity;
  for (const GpuInfo& gpu : gpus) text += " | " + gpu.driver + " | " + gpu.runtime;
  return text;
}

std::string kept_ceilings_path() {
  const std::string folder = state_folder("ceilings");
  char host[256] = "";
  if (folder.empty() || gethostname(host, sizeof host - 1) != 0) return "";
  std::string name = host;
  std::replace(name.begin(), name.end(), '/', '_');
  return folder + "/" + (name.empty() ? "machine" : name) + ".json";
}

KeptByKey read_kept(const std::string& path, const std::string& place, int64_t now_s) {
  KeptByKey kept;
  if (place.empty()) return kept;
  for (Entry& entry : read_entries(path, now_s))
    if (entry.place == place) kept[entry.key] = std::move(entry.kept);
  return kept;
}

Result<void> write_kept(const std::string& path, const std::string& place,
                        const std::set<CeilingKey>& replaced, const KeptByKey& sound,
                        int64_t now_s) {
  if (path.empty() || place.empty() || replaced.empty()) return {};
  Json list = Json::array();
  for (const Entry& entry : read_entries(path, now_s))
    if (entry.place != place || replaced.count(entry.key) == 0) list.push_back(to_json_of(entry));
  for (const auto& [key, kept] : sound) list.push_back(to_json_of({place, key, kept}));
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  return write_whole(path, dump_json({{"ridgepoint", 1}, {"kept", std::move(list)}}) + "\n");
}

}  // namespace ridge::worker
