#include "kernels/weightless/lop3_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "kernels/weightless/lut_circuit.h"

namespace ridge::weightless {
namespace {

/// What follows `ld.` where input `pin` is a feature's word.
using Fetch = std::function<std::string(int pin, int feature)>;

class Writer {
 public:
  /// Operands 8 and up of a group's asm statement.
  /// `before`: a statement ahead of each group.
  Writer(const LutModel& model, std::string operands, Fetch fetch, std::string before = {})
      : model_(model),
        operands_(std::move(operands)),
        before_(std::move(before)),
        fetch_(std::move(fetch)) {}

  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(source_.text), format, std::forward<T>(values)...);
    source_.text += '\n';
  }

  /// Adds LUTs of one class to `score`, eight at a time. Eight are one asm statement: as 40,000
  /// lines of C++ the same took 40 s to compile, since the compiler looked at each.
  void luts(const std::vector<int>& order) {
    const int count = static_cast<int>(order.size());
    for (int at = 0; at < count; at += 8) {
      line("{{ Word x[8] = {{}};\n{}\nasm(\"{{\\n\"", before_);
      for (int i = 0; i < 8 && at + i < count; ++i) lut(order[size_t(at + i)], i);
      line("\"}}\"");
      line(": \"+r\"(x[0]), \"+r\"(x[1]), \"+r\"(x[2]), \"+r\"(x[3]), \"+r\"(x[4]), \"+r\"(x[5]),");
      line("\"+r\"(x[6]), \"+r\"(x[7]) : {});", operands_);
      line("add_eight<{}>(score, x); }}", score_counters(model_.luts_per_class));
    }
  }

  Lop3Source take() { return std::move(source_); }

 private:
  void lut(int j, int out) {
    const uint64_t table = model_.tables[j];
    const auto [found, made] = circuits_.try_emplace(table);
    if (made) found->second = make_circuit(table);
    const LutCircuit& circuit = found->second;
    source_.operations += static_cast<int64_t>(circuit.ops.size());
    if (circuit.output < 0) {
      return line("\"mov.b32 %{}, {};\\n\"", out, circuit.output == -1 ? 0 : -1);
    }
    const auto value = [](int from) {
      return from < kLutInputs ? fmt::format("i{}", from) : fmt::format("v{}", from - kLutInputs);
    };
    line("\"{{ .reg .b32 i<6>, v<15>;\\n\"");
    bool read[kLutInputs] = {};
    const auto mark = [&](int from) {
      if (from < kLutInputs) read[from] = true;
    };
    mark(circuit.output);
    for (const TernaryOp& op : circuit.ops) mark(op.a), mark(op.b), mark(op.c);
    for (int p = 0; p < kLutInputs; ++p) {
      if (read[p]) line("\"ld.{};\\n\"", fetch_(p, model_.wiring[j * kLutInputs + p]));
    }
    for (size_t v = 0; v < circuit.ops.size(); ++v) {
      const TernaryOp& op = circuit.ops[v];
      line("\"lop3.b32 v{}, {}, {}, {}, {};\\n\"", v, value(op.a), value(op.b), value(op.c),
           op.function);
    }
    line("\"mov.b32 %{}, {}; }}\\n\"", out, value(circuit.output));
  }

  const LutModel& model_;
  std::string operands_, before_;
  Fetch fetch_;
  Lop3Source source_;
  std::map<uint64_t, LutCircuit> circuits_;
};

/// A class's LUTs, each next one that with the most planes among the last 256 read: as many as stay in the
/// L1 for each of 8 warps (counted, not measured). In a trained network of 2000 LUTs that saves a quarter of what the L2 gives.
std::vector<int> order_for_cache(const LutModel& model, const PlaneList& list, int first) {
  constexpr int kKept = 256;
  std::vector<int> left(size_t(model.luts_per_class)), order,
      last_read(list.feature.size(), -kKept);
  std::iota(left.begin(), left.end(), first);
  int now = 0;  // planes read for the first time in a while
  const auto plane = [&](int j, int p) {
    return size_t(list.plane_of[model.wiring[j * kLutInputs + p]]);
  };
  while (!left.empty()) {
    size_t best = 0;
    int most = -1;
    for (size_t i = 0; i < std::min<size_t>(left.size(), 400); ++i) {
      int kept = 0;
      for (int p = 0; p < kLutInputs; ++p) kept += now - last_read[plane(left[i], p)] < kKept;
      if (kept > most) most = kept, best = i;
    }
    const int j = left[best];
    left.erase(left.begin() + std::ptrdiff_t(best));
    order.push_back(j);
    for (int p = 0; p < kLutInputs; ++p) {
      now += now - last_read[plane(j, p)] >= kKept;
      last_read[plane(j, p)] = now;
    }
  }
  return order;
}

}  // namespace

int score_counters(int luts_per_class) {
  return std::max(3, static_cast<int>(std::bit_width(static_cast<unsigned>(luts_per_class))));
}

Lop3Source planes_source(const LutModel& model) {
  const PlaneList list = planes_read(model);
  const auto fetch = [&](int pin, int feature) {
    const int plane = list.feature[size_t(list.plane_of[size_t(feature)])];
    return fmt::format("global.nc.b32 i{}, [%8 + {}]", pin, plane * 64);
  };
  // A group's addresses wait for the score of the group before the last. Without that the assembler
  // moves the loads of all groups to the front: 255 registers, or 7 KB of spills where 64 are allowed.
  Writer to(model, "\"l\"(from)", fetch, "const Word* from = in + (late & zero); late = score[0];");
  const int counters = score_counters(model.luts_per_class);
  to.line("#include \"kernels/runtime/weightless/words.h\"\nusing namespace ridge::words;");
  to.line(
      "extern \"C\" __global__ void __launch_bounds__({}, {}) classify(const Word* __restrict__ "
      "planes,",
      kWordsPerBlock, kBlocksPerSm);
  to.line("    Word* __restrict__ scores, long long words, int tile_blocks, Word zero) {{");
  to.line(
      "const int tile = blockIdx.x / (tile_blocks * 10), rest = blockIdx.x % (tile_blocks * 10);");
  to.line(
      "const long long word = (1ll * tile * tile_blocks + rest % tile_blocks) * {} + threadIdx.x;",
      kWordsPerBlock);
  to.line("if (word >= words) return;");
  to.line("const Word* in = planes + word / 16 * {} + word % 16;", model.features * 16);
  to.line("Word score[{}] = {{}}, late = 0;", counters);
  to.line("switch (rest / tile_blocks) {{");
  for (int c = 0; c < kImageClasses; ++c) {
    to.line("case {}: {{", c);
    to.luts(order_for_cache(model, list, c * model.luts_per_class));
    to.line("}} break;");
  }
  to.line("}}");
  to.line(
      "for (int k = 0; k < {0}; ++k) scores[(rest / tile_blocks * {0} + k) * words + word] = "
      "score[k];",
      counters);
  to.line("}}");
  return to.take();
}

PlaneList planes_read(const LutModel& model) {
  std::map<std::pair<int, int>, int> first;  // {pixel, threshold}: feature
  std::vector<int> reads(static_cast<size_t>(model.features)), same(reads.size(), -1);
  for (int j = 0; j < model.luts * kLutInputs; ++j) {
    const int f = model.wiring[j];
    same[size_t(f)] = first.try_emplace({f / model.bits, model.thresholds[f]}, f).first->second;
    ++reads[size_t(same[size_t(f)])];
  }
  PlaneList list;
  for (int f = 0; f < model.features; ++f) {
    if (reads[size_t(f)] > 0) list.feature.push_back(static_cast<uint16_t>(f));
  }
  std::stable_sort(list.feature.begin(), list.feature.end(),
                   [&](int a, int b) { return reads[size_t(a)] > reads[size_t(b)]; });
  std::vector<int32_t> place(reads.size(), -1);
  for (size_t p = 0; p < list.feature.size(); ++p) place[list.feature[p]] = static_cast<int32_t>(p);
  list.plane_of.assign(reads.size(), -1);
  for (size_t f = 0; f < reads.size(); ++f) {
    if (same[f] >= 0) list.plane_of[f] = place[size_t(same[f])];
  }
  return list;
}

std::vector<int16_t> planes_made(const LutModel& model, const PlaneList& list) {
  std::vector<int16_t> made(size_t(model.features), -1);
  for (size_t p = 0; p < list.feature.size(); ++p) {
    const int f = list.feature[p];
    made[size_t(f % model.bits * kImageBytes + f / model.bits)] = static_cast<int16_t>(p);
  }
  return made;
}

Lop3Source staged_source(const LutModel& model, const PlaneList& list, const Staging& staging) {
  Writer to(model, "\"r\"(hot), \"l\"(cold)", [&](int pin, int feature) {
    const int plane = list.plane_of[size_t(feature)];
    if (plane < staging.hot) return fmt::format("shared.b32 i{}, [%8 + {}]", pin, plane * 33 * 4);
    const int at = staging.from_pixels ? (plane - staging.hot) * 32 : feature * 16;
    return fmt::format("global.b32 i{}, [%9 + {}]", pin, at * 4);
  });
  const int warps = kImageClasses * staging.parts, counters = score_counters(model.luts_per_class);
  to.line("#define RIDGE_WARPS {}\n#define RIDGE_PARTS {}\n#define RIDGE_COUNTERS {}", warps,
          staging.parts, counters);
  to.line(
      "#define RIDGE_HOT {}\n#define RIDGE_COLD {}\n#define RIDGE_FEATURES {}\n#define RIDGE_BITS "
      "{}",
      staging.hot, static_cast<int>(list.feature.size()) - staging.hot, model.features, model.bits);
  to.line("#include \"kernels/weightless/rungs/staged_fill.h\"\nusing namespace ridge::words;");
  to.line("extern \"C\" __global__ void __launch_bounds__({}, 1) classify(Staged job) {{",
          warps * 32);
  to.line("extern __shared__ Word planes[];");
  to.line("{}(job, planes);", staging.from_pixels ? "fill_from_pixels" : "fill_from_planes");
  to.line("__syncthreads();");
  to.line("const Word hot =");
  to.line("    static_cast<Word>(__cvta_generic_to_shared(planes + threadIdx.x % 32));");
  to.line("const Word* cold = {};",
          staging.from_pixels ? "block_workspace(job)" : "own_planes(job)");
  to.line("Word score[{}] = {{}};", counters);
  to.line("switch (threadIdx.x / 32) {{");
  for (int w = 0; w < warps; ++w) {
    const int c = w / staging.parts, part = w % staging.parts, all = model.luts_per_class;
    const int begin = all * part / staging.parts, end = all * (part + 1) / staging.parts;
    to.line("case {}: {{", w);
    std::vector<int> order(size_t(end - begin));
    std::iota(order.begin(), order.end(), c * all + begin);
    to.luts(order);
    to.line("}} break;");
  }
  to.line("}}\nwrite_best(job, score, planes);\n}}");
  return to.take();
}

}  // namespace ridge::weightless
