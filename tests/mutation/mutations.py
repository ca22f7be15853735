"""The bugs that tests/mutation/run plants: each an exact replacement in one file, with the tests
(tests/<name>_test.cpp) that ought to notice. `survives` says why none can; such a bug is tried all
the same."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    name: str
    file: str
    tests: tuple
    old: str
    new: str
    survives: str = ""

    @property
    def gpu(self):
        return "/cuda/" in self.file


def _in(file, *tests):
    return lambda name, old, new, survives="": Mutation(name, file, tests, old, new, survives)


_order = _in("common/stats/order.cpp", "stats")
_stop = _in("common/stats/stop.cpp", "stats")
_paired = _in("common/stats/verdict.cpp", "verdict")
_limits = _in("common/harness/quality/compare.cpp", "quality", "gate")
_gate = _in("common/harness/measure/gate.cpp", "gate")
_rung = _in("common/harness/measure/rung.cpp", "gate")
_graded = _in("common/harness/measure/gate.cpp", "graded")
_grading = _in("common/harness/quality/grading.cpp", "graded")
_gemm = _in("kernels/gemm/check.cpp", "graded")
_conv = _in("kernels/conv/check.cpp", "graded", "tile_sample")
_gemv = _in("kernels/gemv/problem.cpp", "tile_sample")
_backward = _in("kernels/attention_backward/check.cpp", "tile_sample")
_sides = _in("common/harness/measure/compare.cpp", "compare")
_harness = _in("common/harness/measure/harness.cpp", "harness", "gate", "compare")
_outcome = _in("common/harness/measure/outcome.cpp", "harness", "gate", "compare")
_sustained = _in("common/harness/measure/sustained.cpp", "compare")
_compare = _in("common/harness/measure/compare.cpp", "compare", "gate")
_frame = _in("common/harness/measure/comparison.cpp", "comparison", "compare")
_orders = _in("common/harness/measure/palindromes.h", "compare", "pipeline_pairs")
_windows = _in("common/harness/measure/pipeline_pairs.cpp", "pipeline_pairs")
_cpu = _in("common/harness/measure/cpu_device.cpp", "cpu_device")
_python = _in("common/harness/measure/python.cpp", "peers")
_loader = _in("kernels/pipeline/peers/loader_process.cpp", "peers")
_clocks = _in("common/record/clocks.cpp", "report")
_figure = _in("common/view/figure/text.cpp", "figure")
_gpu = _in("common/harness/measure/cuda/block_timer.cpp", "cuda_timing")

MUTATIONS = [
    # ---- statistics of one series
    _order("quantiles do not interpolate", "std::min(below + 1, sorted.size() - 1)",
           "std::min(below, sorted.size() - 1)"),
    _order("the median's interval is one rank too narrow", "&& below + term <= tail",
           "&& below <= tail"),
    _order("the interval's upper end is off by one", "sorted[low - 1], sorted[n - low]",
           "sorted[low - 1], sorted[n - low - 1]"),
    _order("both tails get the whole error", "interval_rank(worth, (1 - confidence) / 2)",
           "interval_rank(worth, 1 - confidence)"),
    _order("correlation does not widen the interval",
           "std::max(static_cast<size_t>(count / correlation_samples), fewest)", "n"),
    _order("few samples' correlation is not taken on the high side",
           "std::max(correlation_time(signs), chain_correlation_time(signs))",
           "correlation_time(signs)"),
    _order("outliers begin at 3 interquartile ranges",
           "{q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1)}", "{q1 - 3 * (q3 - q1), q3 + 3 * (q3 - q1)}"),
    _order("fast outliers are not tagged", "if (sample.t_ns < fences.low || sample.t_ns > fences.high)",
           "if (sample.t_ns > fences.high)"),
    _order("p95 from too few samples", "percentile(0.95, 59)", "percentile(0.95, 58)"),
    _order("correlation is never flagged", "stats.correlation_samples > kCorrelatedBeyond",
           "stats.correlation_samples > 1e9"),
    # ---- when to stop
    _stop("stops by the narrower half of the interval",
          "std::max(stats.ci_ns->high - stats.median_ns, stats.median_ns - stats.ci_ns->low)",
          "std::min(stats.ci_ns->high - stats.median_ns, stats.median_ns - stats.ci_ns->low)"),
    _stop("looks after every sample", "at_limit ? samples : samples.first(look)", "samples"),
    _stop("a noisy series is not called noisy",
          "state.noisy = at_limit && wants_width && state.half_width && !met;",
          "state.noisy = false;"),
    _stop("a series without correlation sums noise", "if (!(pair > 0)) break;",
          "if (!(pair > -1)) break;"),
    # ---- paired comparison
    _paired("rounds that resemble their neighbours count as independent",
            "correlation_time(signs_about(ratios, middle))", "1.0"),
    _paired("the ratio is upside down",
            "(log_sum(round, '0') - log_sum(round, static_cast<char>('0' + side))) / 2",
            "(log_sum(round, static_cast<char>('0' + side)) - log_sum(round, '0')) / 2"),
    _paired("the sum of two logs is not halved",
            "log_sum(round, static_cast<char>('0' + side))) / 2",
            "log_sum(round, static_cast<char>('0' + side)))"),
    _paired("rounds that are no palindromes count", "side > 9 || !palindrome ||", "side > 9 ||"),
    _paired("several candidates do not share the error", "1 - 0.05 / std::max(candidates, 1)",
            "1 - 0.05"),
    _paired("faster as soon as the interval touches the margin",
            "if (log_ci.low > log_margin) return Verdict::faster",
            "if (log_ci.high > log_margin) return Verdict::faster"),
    _paired("same when one end lies inside",
            "log_ci.low >= -log_margin && log_ci.high <= log_margin",
            "log_ci.low >= -log_margin || log_ci.high <= log_margin"),
    _paired("the margin is not taken to logarithms", "std::log1p(margin)", "margin"),
    _paired("the ratio is the mean of the rounds", "const double middle = median(ratios);",
            "double middle = 0;\n  for (const double r : ratios) "
            "middle += r / static_cast<double>(ratios.size());"),
    # ---- error limits
    _limits("error > limit, which lets NaN pass", "!(check.nmse <= nmse_limit)",
            "check.nmse > nmse_limit"),
    _limits("NaN in the output is not counted", "nan_count_ += !same_special(out, ref);",
            "nan_count_ += 0 * same_special(out, ref);"),
    _limits("nothing compared passes", "if (checked_ == 0) {", "if (checked_ < 0) {"),
    _limits("an element may be off by twice its limit", "!(worst_share_ <= 1)",
            "!(worst_share_ <= 2)"),
    _limits("unwritten elements are forgiven", "if (unwritten != 0) {", "if (unwritten < 0) {"),
    _limits("broken guards are forgiven", "} else if (!guard_ok) {", "} else if (false) {"),
    _limits("the elementwise constant is ten times too wide", "constexpr double kC = 2.5;",
            "constexpr double kC = 25;"),
    _limits("fp32's limit lets TF32 in disguise pass",
            "    case DType::fp32:\n      return 4e-15 * static_cast<double>(k);",
            "    case DType::fp32:\n      return 4e-10 * static_cast<double>(k);"),
    _limits("an output may be off by 400 units",
            "double dot_bound(DType dtype, double ref, int64_t k, double norm_a, double norm_b) {",
            "double dot_bound(DType dtype, double ref, int64_t k, double norm_a, double norm_b) {\n"
            "  ref *= 100;"),
    # ---- the gate
    _gate("outputs are not poisoned", "  RIDGE_TRY_VOID(rung->buffers->poison_outputs());\n", ""),
    _gate("changed inputs are forgiven", "if (!intact) {", "if (false) {"),
    _gate("every seed has the same inputs", "if (seed > first_) {", "if (seed > first_ + kSeeds) {"),
    _gate("a failed shape does not end the full check",
          "      ++made_;\n      if (!check.passed) return {};\n", "      ++made_;\n"),
    _gate("a later pass hides a failure", "if (worst->what.empty() || !next.passed || share",
          "if (worst->what.empty() || share"),
    # ---- classes of accuracy
    _graded("graded inputs are not posed", "if (!instance->problem->grade(grading, kernel_.accuracy))",
            "if (true)"),
    _graded("every rung is judged by the weakest class",
            "instance->problem->grade(grading, kernel_.accuracy)",
            "instance->problem->grade(grading, Accuracy::max_norm)"),
    _graded("a plan keeps what it packed of other filters",
            "if (rung && instance->problem->shape().constants == nullptr)", "if (rung)"),
    _grading("all gradings are of one size", "return std::ldexp(1.0, exponent);",
             "return std::ldexp(1.0, 0 * exponent);"),
    _gemm("a graded element is held to the largest of its row and column",
          "if (accuracy == Accuracy::componentwise) return product(true);", ""),
    _gemm("a row and a column are held to the largest of all",
          "if (accuracy == Accuracy::max_norm) {", "if (accuracy != Accuracy::componentwise) {"),
    _conv("a graded image is judged by its largest pixel", "const double size = accuracy == Accuracy::max_norm ?",
          "const double size = true ?"),
    _sides("two classes are compared without a word",
           "if (!classes.empty()) add_reason(classes);", ""),
    # ---- samples that no tile escapes
    _conv("a relu's outputs are sampled anywhere", "if (v_.relu) judge_blocks(&judged);", ""),
    _conv("small convolutions with a relu are sampled",
          "(v_.relu && all * double(terms_) <= kMaxJudged)", "false"),
    _conv("the last block of filters is left out",
          "const int64_t deep = ceil_div(v_.m, kBlockFilters)", "const int64_t deep = v_.m / kBlockFilters"),
    _gemv("no sums over the other rows of W",
          "if (!all && !is_finished() && check.passed) check_groups(host, x, seed, &check);", ""),
    _gemv("no output of each tile behind a relu", "if (!all && is_finished()) {", "if (false) {"),
    _gemv("the limit of the sums is a thousand times as wide",
          "(6 * std::sqrt(limit) + own)", "(6000 * std::sqrt(limit) + own)"),
    _backward("of each head the last row alone",
              "for (int64_t first = 0; first < last; first += tile) {",
              "for (int64_t first = full ? 0 : last; first < last; first += tile) {"),
    _rung("the guard behind a buffer is not looked at",
          "for (const size_t at : {size_t{0}, kGuardBytes + specs_[i].bytes}) {",
          "for (const size_t at : {size_t{0}}) {"),
    _rung("the guard before a buffer is not looked at",
          "for (const size_t at : {size_t{0}, kGuardBytes + specs_[i].bytes}) {",
          "for (const size_t at : {kGuardBytes + specs_[i].bytes}) {"),
    # ---- the harness
    _harness("the check after timing does not count",
             '  if (!after.passed) return Error{ErrorCode::invalid, after.reason, after.what, ""};\n',
             ""),
    _outcome("a failed rung keeps its speed", "  series->stats.reset();\n", ""),
    _outcome("a failed rung keeps its latency", "  series->latency.reset();\n", ""),
    _harness("any newer GPU runs a kernel for exactly one", "arch_exact ? capability == arch",
             "arch_exact ? capability >= arch"),
    _harness("latencies count as calls", 'observer->samples(series, "latency", block);',
             'observer->samples(series, "call", block);'),
    _harness("the CPU stops at ten times its target", "rule.target_half_width = backend == "
             "Backend::cpu ? 0.01 : 0.005;", "rule.target_half_width = 0.1;"),
    _harness("cancel is not heard while timing",
             "    if (observer->cancelled()) {\n      summarize(series, contended(), false, external);",
             "    if (false) {\n      summarize(series, contended(), false, external);"),
    _outcome("others' load is never seen", "return foreign_cpus > (backend == Backend::cpu",
             "return foreign_cpus > 1e9 + (backend == Backend::cpu"),
    _harness("no warm-up to speak of",
             "if (runs >= 3 && elapsed >= options.warmup_s && (steady || elapsed >= kMax_s)) break;",
             "if (runs >= 1) break;"),
    _harness("blocks are not announced",
             "    observer->announce(series->index);\n    RIDGE_TRY(std::vector<Sample> block",
             "    RIDGE_TRY(std::vector<Sample> block"),
    # ---- comparisons
    _orders("A then B within a round",
             "return half + std::string(half.rbegin(), half.rend());", "return half + half;"),
    _orders("the orders are one and the same", "for (const int side : orders_.back())",
            "for (const int side : stats::balanced_orders(sides_)[0])"),
    _compare("a held clock is not looked at", "if (!look_.is_held()) {", "if (true) {"),
    _sustained("the rounds' verdict leads although the sides ran alone",
               "  static_cast<PairedVerdict&>(*comparison) = paired;\n",
               "  static_cast<PairedVerdict&>(*comparison) = comparison->equal_clock.value_or(paired);\n"),
    _sustained("a turn counts before its clock is steady",
               "RIDGE_TRY(turn.steady, settle(i));", "turn.steady = true;"),
    _sustained("pairs are of one side", "std::log(baseline[k].call_ns) - std::log(candidate[k].call_ns)",
               "std::log(candidate[k].call_ns) - std::log(candidate[k].call_ns)"),
    _sustained("only the driver's word counts for a held clock",
               "const bool low = lowest_hz > 0 && lowest_hz < kHeldBelow * free_hz;",
               "const bool low = false;"),
    _frame("lead slots are taken for samples",
            "rest = rest.subspan(std::min(rest.size(), block.lead.size()));", "rest = rest.subspan(0);"),
    _frame("a refused side does not make it invalid",
             "      comparison.verdict = Verdict::invalid;\n", ""),
    _compare("sides are not checked after the rounds",
             "  for (size_t i = 0; i < sides_.size(); ++i) RIDGE_TRY_VOID(gate(i, false));\n", ""),
    _windows("a pipeline follows the other side's without a window before it",
             "if (std::exchange(last_, int(side)) != int(side))", "if (false)"),
    _windows("pipelines are not checked after the rounds",
             "  for (size_t i = 0; i < sides(); ++i) RIDGE_TRY_VOID(gate(i, false));\n", ""),
    _frame("the limit may end it before an interval is possible",
             "if (done >= fewest && now_s() - start >= plan.limit_s)",
             "if (done >= 1 && now_s() - start >= plan.limit_s)"),
    # ---- the CPU's clock
    _cpu("a sample's time is not divided by its calls", "sample.t_ns = rounded(wall / double(calls));",
         "sample.t_ns = rounded(wall);"),
    _cpu("CPU time of the sample is its wall time", "sample.cpu_ns = rounded(cpu / double(calls));",
         "sample.cpu_ns = sample.t_ns;"),
    _cpu("a stolen sample is not tagged", '      sample.flags.push_back("stolen");\n', ""),
    _cpu("a stolen sample is not taken again", "constexpr int kRetakes = 3;",
         "constexpr int kRetakes = 0;"),
    _cpu("cold caches are not flushed", "if (side.cache == Cache::cold) flush(process);",
         "if (false) flush(process);"),
    _cpu("cold calls are timed in one go",
         "const int64_t spells = side.cache == Cache::cold ? calls : 1;",
         "const int64_t spells = 1;"),
    _cpu("a sample is a single call", "std::llround(std::ceil(side->min_ns / side->call_ns))", "1"),
    # ---- peers, verdicts of a file, figures in a text
    _python("an old library is compared with", "if (!is_older(found->version, floor)) return true;",
            "return true;"),
    _loader("the slowest number of workers stays", "if (rate > best) best = rate",
            "if (best == 0 || rate < best) best = rate"),
    _clocks("a verdict is read whatever its interval says",
            "return finite && judged.ci->low > 1 ? Verdict::faster : Verdict::unresolved;",
            "return Verdict::faster;"),
    _clocks("a held clock without turns lacks nothing", "         comparison.clock_held;",
            "         comparison.clock_held && false;"),
    _figure("a figure of older code has no mark", "with_stale_mark(std::move(text), figure.is_stale)", "text"),

    # ---- the GPU's clock (--gpu)
    _gpu("the block is not waited for",
         "  RIDGE_CUDA_TRY(cudaStreamSynchronize(stream_));\n\n  std::vector<Stamp> stamps",
         "  std::vector<Stamp> stamps"),
    _gpu("the events' own time stays in", "      net_ns -= overhead;\n", ""),
    _gpu("a GPU sample is not divided by its calls",
         "/ static_cast<double>(side.calls), 1e-3)", "/ 1.0, 1e-3)"),
    _gpu("the L2 is not flushed",
         "  if (side.cache == Cache::cold) RIDGE_TRY_VOID(flush());\n", "",
         "a test would have to assert that cold is slower than hot, which a GPU need not show"),
    _gpu("the stream is not held by the gate",
         "    if (method.gated) RIDGE_CUDA_TRY(launch_gate(flags_device_, ticket_, kGateTimeoutNs, "
         "stream_));\n", ""),
    _gpu("a sample at or below zero is not flagged",
         '    if (!(net_ns > 0)) sample.flags.push_back("below_resolution");\n', ""),
]
