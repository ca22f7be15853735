#include "worker/trace/walk.h"

#include <algorithm>
#include <bit>
#include <map>

#include "common/core/format.h"
#include "common/record/params.h"

namespace ridge::worker {
namespace {

constexpr int64_t kMostFrames = 240, kLeastFrames = 24;
/// Of all frames: with the planes and the rest it stays under a line's 64 KiB.
constexpr size_t kMostText = 44'000;
constexpr size_t kMostKept = 4;
/// Lines that are only read, and were no buffer's: fewer in a row are fields of the plan, not data.
constexpr int64_t kLeastPrepared = 8;
constexpr int64_t kPage = 4096;
constexpr const char* kWorkspace = "workspace";

/// Where a line belongs: its place among all lines of all planes, and the address that the model of the caches sees.
struct LinePlace {
  int64_t plane = -1;    ///< -1: in none
  int64_t line = 0;      ///< within the plane
  int64_t modelled = 0;  ///< counted in lines
};

/// Finds planes in a recorded call: the buffers, and what was copied of them.
class Planes {
 public:
  Planes(const TracedCall& call, int64_t line_bytes) : call_(call), line_bytes_(line_bytes) {
    for (const Access& access : call.log.accesses) note(access);
    for (size_t i = 0; i < call.buffers.size(); ++i) add_buffer(i);
    add_copies();
  }

  /// Of the line at `address`.
  LinePlace at(uintptr_t address) const {
    const auto found = places_.find(line_of(address));
    return found == places_.end() ? LinePlace() : found->second;
  }
  /// Of an access, in elements of its plane.
  int64_t element_at(uintptr_t address, const LinePlace& place) const {
    const auto inside = static_cast<int64_t>(address % static_cast<uintptr_t>(line_bytes_));
    return place.line * planes[static_cast<size_t>(place.plane)].elements + inside / element_bytes_;
  }

  std::vector<WalkPlane> planes;
  std::vector<int64_t> first_line;  ///< of each plane, among all lines

 private:
  struct Foreign {
    bool is_written = false;
    int copied = -1;  ///< the buffer that was read last before it was first written
  };

  int64_t line_of(uintptr_t address) const { return static_cast<int64_t>(address) / line_bytes_; }

  int buffer_at(uintptr_t address) const {
    for (size_t i = 0; i < call_.buffers.size(); ++i) {
      const TracedBuffer& buffer = call_.buffers[i];
      if (address >= buffer.at && address < buffer.at + buffer.bytes) return static_cast<int>(i);
    }
    return -1;
  }

  void note(const Access& access) {
    const int buffer = buffer_at(access.at);
    if (buffer >= 0) {
      touched_[buffer] = true;
      if (!access.is_write) last_read_ = buffer;
      return;
    }
    for (int64_t line = line_of(access.at); line <= line_of(access.at + access.bytes - 1); ++line) {
      Foreign& foreign = foreign_[line];
      if (access.is_write && !foreign.is_written) foreign = {true, last_read_};
      // A copy of a copy is of the same buffer.
      if (!access.is_write && foreign.copied >= 0) last_read_ = foreign.copied;
    }
  }

  void add_plane(WalkPlane plane) {
    first_line.push_back(planes.empty() ? 0 : first_line.back() + planes.back().lines);
    planes.push_back(std::move(plane));
  }

  /// Planes lie 64 MiB and an odd number of pages apart, so that where they happen to be allocated plays no part.
  int64_t base_of(size_t plane, int64_t first) const {
    const int64_t page = kPage / line_bytes_;
    return static_cast<int64_t>(plane) * ((int64_t{64} << 20) / line_bytes_ + 11 * page) +
           first % page;
  }

  void add_buffer(size_t i) {
    if (!touched_[static_cast<int>(i)]) return;
    const TracedBuffer& buffer = call_.buffers[i];
    element_bytes_ = static_cast<int64_t>(buffer.element_bytes);
    WalkPlane plane{.name = buffer.name,
                    .rows = buffer.grid.rows,
                    .columns = buffer.grid.columns,
                    .elements = line_bytes_ / element_bytes_};
    const int64_t first = line_of(buffer.at), last = line_of(buffer.at + buffer.bytes - 1);
    plane.lines = last - first + 1;
    for (int64_t line = first; line <= last; ++line) {
      places_[line] = {std::ssize(planes), line - first,
                       base_of(planes.size(), first) + line - first};
    }
    add_plane(std::move(plane));
  }

  void add_copies() {
    std::map<std::string, std::vector<int64_t>> lines;  // in the order of their addresses
    for (const auto& [line, foreign] : foreign_) {
      if (foreign.is_written) {
        lines[foreign.copied >= 0
                  ? "copy of " + call_.buffers[static_cast<size_t>(foreign.copied)].name
                  : kWorkspace]
            .push_back(line);
      } else if (is_prepared(line)) {
        lines["made before the call"].push_back(line);
      }
    }
    for (const auto& [name, copied] : lines) {
      if (std::ssize(copied) < kLeastPrepared && name == kWorkspace) continue;  // a counter, a flag
      const int64_t elements = line_bytes_ / element_bytes_;
      const int64_t columns = copy_columns();
      WalkPlane plane{.name = name, .columns = columns, .elements = elements, .is_copy = true};
      plane.lines = std::ssize(copied);
      plane.rows = std::max<int64_t>(1, plane.lines * elements / columns);
      for (size_t i = 0; i < copied.size(); ++i) {
        places_[copied[i]] = {std::ssize(planes), static_cast<int64_t>(i),
                              base_of(planes.size(), copied.front()) + copied[i] - copied.front()};
      }
      add_plane(std::move(plane));
    }
  }

  /// As wide as the first matrix, in whole lines: then all pictures have one scale.
  int64_t copy_columns() const {
    const int64_t elements = line_bytes_ / element_bytes_;
    const int64_t columns = planes.empty() ? elements : planes.front().columns;
    return (columns + elements - 1) / elements * elements;
  }

  /// Among enough neighbours that are not written either.
  bool is_prepared(int64_t line) const {
    int64_t run = 1;
    for (const int step : {-1, 1}) {
      for (int64_t next = line + step; run < kLeastPrepared; next += step, ++run) {
        const auto found = foreign_.find(next);
        if (found == foreign_.end() || found->second.is_written) break;
      }
    }
    return run >= kLeastPrepared;
  }

  const TracedCall& call_;
  int64_t line_bytes_, element_bytes_ = 4;
  int last_read_ = -1;
  std::map<int, bool> touched_;
  std::map<int64_t, Foreign> foreign_;
  std::map<int64_t, LinePlace> places_;
};

/// One access to a plane, ready for the model: the lines that it touches.
struct Step {
  int64_t line, modelled;  ///< of its first line
  int32_t lines, plane;
  int64_t bytes;
  int64_t element;
  bool is_write;
};

std::vector<Step> steps_of(const TracedCall& call, const Planes& planes, int64_t line_bytes,
                           int64_t* elsewhere) {
  std::vector<Step> steps;
  steps.reserve(call.log.accesses.size());
  *elsewhere = call.log.on_stack;
  for (const Access& access : call.log.accesses) {
    const LinePlace place = planes.at(access.at);
    if (place.plane < 0) {
      ++*elsewhere;
      continue;
    }
    const auto bytes = static_cast<uintptr_t>(line_bytes);
    const auto lines =
        static_cast<int32_t>((access.at + access.bytes - 1) / bytes - access.at / bytes + 1);
    const int64_t left = planes.planes[static_cast<size_t>(place.plane)].lines - place.line;
    steps.push_back({planes.first_line[static_cast<size_t>(place.plane)] + place.line,
                     place.modelled, static_cast<int32_t>(std::min<int64_t>(lines, left)),
                     static_cast<int32_t>(place.plane), access.bytes,
                     planes.element_at(access.at, place), access.is_write});
  }
  return steps;
}

/// The caches over the whole walk, and frames of a part of it.
class Model {
 public:
  Model(const std::vector<Step>& steps, int64_t lines,
        const std::vector<measure::CacheShape>& shapes)
      : steps_(steps), modelled_(static_cast<size_t>(lines), -1), touch_(modelled_.size()) {
    for (const measure::CacheShape& shape : shapes) caches_.emplace_back(shape);
    missed.assign(shapes.size(), 0);
  }

  std::vector<WalkFrame> run(int64_t first, int64_t count, int64_t frames) {
    std::vector<WalkFrame> made;
    use(0, first);
    for (int64_t i = 0; i < frames; ++i) {
      std::fill(touch_.begin(), touch_.end(), WalkTouch::none);
      const std::vector<int64_t> before = missed;
      const int64_t end = first + count * (i + 1) / frames;
      use(first + count * i / frames, end);
      WalkFrame frame{.lines = encode_lines(lines()), .missed = missed};
      for (size_t level = 0; level < missed.size(); ++level) frame.missed[level] -= before[level];
      const Step& last = steps_[static_cast<size_t>(end - 1)];
      frame.plane = last.plane, frame.element = last.element;
      made.push_back(std::move(frame));
    }
    use(first + count, std::ssize(steps_));
    return made;
  }

  std::vector<int64_t> missed;

 private:
  void use(int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      const Step& step = steps_[static_cast<size_t>(at)];
      for (int64_t i = 0; i < step.lines; ++i) {
        const auto line = static_cast<size_t>(step.line + i);
        // Lines of a copy that follow each other in its plane may lie apart; one access has those of one stretch.
        const int64_t modelled = step.modelled + i;
        modelled_[line] = modelled;
        touch_[line] = std::max(touch_[line], step.is_write ? WalkTouch::written : WalkTouch::read);
        for (size_t level = 0; level < caches_.size() && !caches_[level].use(modelled); ++level)
          ++missed[level];
      }
    }
  }

  std::vector<WalkLine> lines() const {
    std::vector<WalkLine> found(modelled_.size());
    for (size_t i = 0; i < found.size(); ++i) {
      found[i].touch = touch_[i];
      if (modelled_[i] < 0) continue;
      if (caches_.front().holds(modelled_[i]))
        found[i].place = WalkPlace::l1;
      else if (caches_.size() > 1 && caches_[1].holds(modelled_[i]))
        found[i].place = WalkPlace::l2;
    }
    return found;
  }

  const std::vector<Step>& steps_;
  std::vector<measure::CacheSets> caches_;
  std::vector<int64_t> modelled_;
  std::vector<WalkTouch> touch_;
};

size_t text_of(const std::vector<WalkFrame>& frames) {
  size_t bytes = 0;
  for (const WalkFrame& frame : frames) bytes += frame.lines.size() + 64;
  return bytes;
}

size_t bytes_of(const TracedCall& call) {
  size_t bytes = 0;
  for (const TracedBuffer& buffer : call.buffers) bytes += buffer.bytes;
  return bytes;
}

}  // namespace

std::vector<measure::CacheShape> scaled_caches(size_t bytes) {
  constexpr int64_t kWays = 8, kLine = 64, kLeast = 4096;
  const auto l2 = std::max<int64_t>(kLeast, static_cast<int64_t>(std::bit_floor(bytes / 4)));
  return {{l2 / 2 / kWays / kLine, kWays, kLine}, {l2 / kWays / kLine, kWays, kLine}};
}

Result<Walk> walk_of(const TracedCall& call, const InspectAsked& asked,
                     const std::vector<measure::CacheShape>& caches) {
  Walk walk;
  walk.line_bytes = caches.front().line_bytes;
  const Planes planes(call, walk.line_bytes);
  const std::vector<Step> steps = steps_of(call, planes, walk.line_bytes, &walk.elsewhere);
  for (const Step& step : steps) {
    ++(step.is_write ? walk.writes : walk.reads);
    walk.bytes += step.bytes;
  }
  walk.flop = call.flop;
  walk.planes = planes.planes;
  walk.first = asked.first.value_or(0);
  if (walk.first >= walk.accesses())
    return Error{ErrorCode::usage, "the walk has " + std::to_string(walk.accesses()) + " accesses",
                 "first", "begin before its end"};
  walk.count =
      std::clamp<int64_t>(asked.count.value_or(walk.accesses()), 1, walk.accesses() - walk.first);
  const int64_t lines = planes.first_line.back() + planes.planes.back().lines;
  int64_t frames = std::min(kMostFrames, walk.count);
  for (;; frames = frames * 3 / 4) {
    Model model(steps, lines, caches);
    walk.frames = model.run(walk.first, walk.count, frames);
    walk.caches.clear();
    for (size_t i = 0; i < caches.size(); ++i)
      walk.caches.push_back(
          {"L" + std::to_string(i + 1), caches[i].bytes(), caches[i].ways, model.missed[i]});
    if (text_of(walk.frames) <= kMostText) return walk;
    if (frames < kLeastFrames)
      return Error{ErrorCode::unavailable, "its walk is too long for one message", "inspect",
                   "choose a smaller size"};
  }
}

Result<const TracedCall*> Walks::call_of(const std::string& kernel, const FamilyDesc& family,
                                         const Params& params, measure::Device* cpu,
                                         measure::Observer* observer) {
  const std::string key = kernel + " " + to_string(params);
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) { return one.key == key; });
  if (found != kept_.end()) return &found->call;
  RIDGE_TRY(TracedCall call, trace_rung(kernel, family, params, cpu, observer));
  if (kept_.size() >= kMostKept) kept_.pop_back();
  kept_.push_front({key, std::move(call)});
  return &kept_.front().call;
}

Result<Inspection> Walks::look(const KernelInfo& rung, const FamilyDesc& family,
                               const Params& given, const InspectAsked& asked, measure::Device* cpu,
                               measure::Observer* observer) {
  Params wanted = family.walk();
  for (const auto& [name, value] : given) wanted[name] = value;
  wanted["threads"] = int64_t{1};
  Inspection look;
  RIDGE_TRY(look.params, resolve_params(rung.params, wanted, family.name));
  look.kernel = rung.id;
  RIDGE_TRY(const TracedCall* call, call_of(rung.id, family, look.params, cpu, observer));
  auto caches =
      asked.machine_caches ? measure::machine_cache_shapes() : scaled_caches(bytes_of(*call));
  if (caches.empty())
    return Error{ErrorCode::unavailable, "this system does not tell its caches", rung.id,
                 "take those that are scaled down"};
  if (caches.size() > 2) caches.resize(2);
  RIDGE_TRY(look.walk, walk_of(*call, asked, caches));
  look.walk->caches_are =
      asked.machine_caches ? "as large as this machine's" : "scaled down to these matrices";
  look.of = "walk";
  look.data = "random normals";
  return look;
}

}  // namespace ridge::worker
