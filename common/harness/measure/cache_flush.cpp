#include "common/harness/measure/cache_flush.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "common/harness/measure/machine.h"

namespace ridge::measure {
namespace {

constexpr int64_t kUnknownCache = 32 << 20;
constexpr int64_t kLine = 64;

std::vector<FlushShare>& last_shares() {
  static std::vector<FlushShare> shares;
  return shares;
}

/// One load a line. The volatile store keeps the compiler from dropping the loads.
void read_lines(const uint64_t* memory, size_t words) {
  uint64_t sum = 0;
  for (size_t i = 0; i < words; i += kLine / sizeof(uint64_t)) sum += memory[i];
  [[maybe_unused]] volatile uint64_t sink = sum;
}

/// A reader, and what it left behind.
struct Reader {
  const uint64_t* memory = nullptr;
  FlushShare share;
  int ran_on = -1;
  pthread_t thread = {};
  bool is_started = false;
};

void* read_share(void* argument) {
  auto* reader = static_cast<Reader*>(argument);
  // By itself: a learner's process may set the cores of no thread but the one that asks.
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(size_t(reader->share.core), &core);
  (void)sched_setaffinity(0, sizeof(core), &core);
  read_lines(reader->memory, size_t(reader->share.bytes) / sizeof(uint64_t));
  reader->ran_on = sched_getcpu();
  return nullptr;
}

void start(Reader* reader) {
  reader->is_started = pthread_create(&reader->thread, nullptr, read_share, reader) == 0;
}

}  // namespace

std::vector<int> usable_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(size_t(core), &allowed)) cores.push_back(core);
  }
  return cores;
}

std::vector<CoreCaches> read_core_caches(const std::string& root, const std::vector<int>& cores) {
  std::vector<CoreCaches> all;
  for (const int core : cores) {
    CoreCaches caches{.core = core};
    int last_level = 0;
    for (int index = 0; index < 8; ++index) {
      const std::string folder = root + "/sys/devices/system/cpu/cpu" + std::to_string(core) +
                                 "/cache/index" + std::to_string(index) + "/";
      const int level = std::atoi(read_line_of(folder + "level").c_str());
      if (level == 0) break;
      const int64_t bytes = parse_bytes(read_line_of(folder + "size"));
      if (read_line_of(folder + "type") == "Instruction" || level < last_level) continue;
      if (level > last_level) caches.own_bytes = caches.last_bytes;
      last_level = level;
      caches.last_bytes = bytes;
      caches.last_shared = read_line_of(folder + "shared_cpu_list");
    }
    all.push_back(std::move(caches));
  }
  return all;
}

std::vector<FlushShare> flush_shares(const std::vector<CoreCaches>& caches) {
  std::map<std::string, int64_t> sharers, end;
  for (const CoreCaches& one : caches) ++sharers[one.last_shared];
  std::vector<FlushShare> shares;
  for (const CoreCaches& one : caches) {
    const int64_t last = one.last_bytes > 0 ? one.last_bytes : kUnknownCache;
    const int64_t count = sharers[one.last_shared];
    const int64_t bytes = std::max(2 * one.own_bytes, (2 * last + count - 1) / count);
    shares.push_back({one.core, (bytes + kLine - 1) / kLine * kLine, end[one.last_shared]});
    end[one.last_shared] += shares.back().bytes;
  }
  return shares;
}

void CacheFlush::flush(bool every_core) {
  if (here_.empty()) {
    const int64_t known = last_level_cache_bytes();
    here_ = {{-1, 2 * (known > 0 ? known : kUnknownCache), 0}};
  }
  if (every_core && everywhere_.empty()) {
    everywhere_ = flush_shares(read_core_caches("", usable_cores()));
  }
  const std::vector<FlushShare>& shares = every_core && !everywhere_.empty() ? everywhere_ : here_;
  for (const FlushShare& share : shares) {
    // Written, because unwritten pages are all one page of zeros.
    const auto words = size_t(share.begin + share.bytes) / sizeof(uint64_t);
    if (memory_.size() < words) memory_.assign(words, 1);
  }

  std::vector<Reader> readers(shares.size());
  for (size_t i = 0; i < shares.size(); ++i) {
    readers[i].memory = memory_.data() + size_t(shares[i].begin) / sizeof(uint64_t);
    readers[i].share = shares[i];
    if (shares[i].core >= 0) start(&readers[i]);
  }
  for (Reader& reader : readers) {
    if (!reader.is_started)
      read_share(&reader);  // no thread was to be had: better here than not at all
  }
  last_shares().clear();
  for (Reader& reader : readers) {
    if (reader.is_started) pthread_join(reader.thread, nullptr);
    last_shares().push_back({reader.ran_on, reader.share.bytes, reader.share.begin});
  }
}

const std::vector<FlushShare>& CacheFlush::last() {
  return last_shares();
}

}  // namespace ridge::measure
