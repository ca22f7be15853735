// What the statistics promise, simulated at length: coverage of the median's interval with the
// stopping rule in place, and verdicts of the paired comparison. tests/stats_test.cpp and
// verdict_test.cpp hold short, seeded versions of the same; this one prints the figures.
//   statistics [RUNS]       default 20000, two minutes
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "common/stats/change_points.h"
#include "tests/simulation.h"

using namespace ridge;
using namespace ridge::test;

namespace {

void print(const std::string& text) {
  std::fputs((text + "\n").c_str(), stdout);
  std::fflush(stdout);
}

void print_coverage(int runs) {
  print("coverage of the 95 % interval of the median, stopped by the rule of measure mode");
  print(fmt::format("{:20} {:>6} {:>7} {:>9} {:>9} {:>10}", "noise", "rho", "target", "covered",
                    "flagged", "unflagged"));
  for (const Noise& noise : kNoises) {
    for (const double rho : {0.0, 0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9}) {
      for (const double target : {0.005, 0.01}) {
        const Coverage found = coverage(noise, rho, target, runs);
        print(fmt::format("{:20} {:6.2f} {:6.1f}% {:8.2f}% {:8.2f}% {:9.2f}%", noise.name, rho,
                          100 * target, 100 * found.share(), 100 * found.flagged_share(),
                          100 * found.unflagged_share()));
      }
    }
  }
}

void print_verdicts(int runs) {
  const auto share = [&](const Machine& machine, double margin,
                         const std::vector<Verdict>& verdicts) {
    return 100.0 * count_verdicts(machine, margin, verdicts, runs) / runs;
  };
  const Machine calm = {.noise = 0.01};
  const Machine skewed = {.noise = 0.01, .tail = [](double z) { return std::exp(z); }};
  const Machine humps = {.noise = 0.01, .tail = [](double z) { return z < 0.5 ? z : 10 + z; }};
  const Machine drifting = {.noise = 0.005, .drift = 0.01};
  print("\nfalse verdicts of a kernel against itself, margin 0 (firm: 5 % at most)");
  print(fmt::format("  normal {:.2f} %, skewed {:.2f} %, two humps {:.2f} %, 1 % drift {:.2f} %",
                    share(calm, 0, kDifferent), share(skewed, 0, kDifferent),
                    share(humps, 0, kDifferent), share(drifting, 0, kDifferent)));
  for (const double rho : {0.2, 0.35, 0.5}) {
    print(fmt::format("  rounds that favour one side, AR(1) of {:.2f}: {:.2f} %", rho,
                      share({.noise = 0.01, .chain = rho}, 0, kDifferent)));
  }
  print(fmt::format("  a calm machine at the default margin of 2 %: {:.2f} %",
                    share(calm, 0.02, kDifferent)));
  print("a planted difference under 1 % noise, margin 2 % (firm: 3 % found in 95 % at least)");
  for (const double planted : {0.015, 0.02, 0.025, 0.03, 0.04}) {
    const Machine faster = {.noise = 0.01, .gain = std::log1p(planted)};
    const Machine slower = {.noise = 0.01, .gain = -std::log1p(planted)};
    print(fmt::format("  {:.1f} %: faster in {:.2f} %, slower in {:.2f} %", 100 * planted,
                      share(faster, 0.02, {Verdict::faster}),
                      share(slower, 0.02, {Verdict::slower})));
  }
}

void print_histories(int runs) {
  print(
      "\nhistories: false alarms without a change; five changes of 3 % found, of 30 values a "
      "level");
  for (const double rho : {0.0, 0.3, 0.5}) {
    std::string line = fmt::format("  rho {:.1f}:", rho);
    for (const int length : {12, 20, 30, 50, 100, 200}) {
      int alarms = 0;
      for (int i = 0; i < runs; ++i) {
        const auto values =
            simulate_history({.rho = rho, .length = length}, static_cast<uint64_t>(i));
        alarms += !stats::find_changes(values).changes.empty();
      }
      line += fmt::format("  {} values {:.2f} %", length, 100.0 * alarms / runs);
    }
    print(line);
    for (const double noise : {0.005, 0.0075, 0.01}) {
      const int histories = runs / 5 + 1;
      int whole = 0, too_many = 0;
      for (int i = 0; i < histories; ++i) {
        const HistoryModel model = {.noise = noise, .rho = rho, .levels = 6, .length = 30};
        const size_t found =
            stats::find_changes(simulate_history(model, static_cast<uint64_t>(i))).changes.size();
        whole += found == 5;
        too_many += found > 5;
      }
      print(fmt::format("    noise {:.2f} %: all five in {:.1f} %, more in {:.1f} %", 100 * noise,
                        100.0 * whole / histories, 100.0 * too_many / histories));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 20000;
  if (runs < 1) {
    std::fputs("statistics: RUNS is a number of simulated runs, 1 or more\n", stderr);
    return 64;
  }
  print_coverage(runs);
  print_verdicts(runs);
  print_histories(runs / 10 + 1);
  return 0;
}
