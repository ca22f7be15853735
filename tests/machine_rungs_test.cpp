// The lab "Reading a machine": its rungs through the real gate, the order in which they visit memory, and what a rung
// that leaves out work would do. Nothing here is timed.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <thread>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/harness.h"
#include "common/record/params.h"
#include "kernels/chase/chase.h"
#include "kernels/roofline/roofline.h"
#include "tests/catch.h"
#include "tests/family_problem.h"
#include "tests/skip.h"

using namespace ridge;
using namespace ridge::measure;
using namespace ridge::test;

namespace {

constexpr const char* kFamilies[] = {"chains", "chase", "sums", "roofline"};

/// What the rung makes of a problem; empty where this machine cannot run it.
HostBuffers solved(const char* id, const Problem& problem, uint64_t seed) {
  HostBuffers host = inputs_of(problem, seed);
  const KernelDesc* kernel = find_kernel(id);
  REQUIRE(kernel);
  if (!check_supported(*kernel, {}, *cpu())) return {};
  std::vector<void*> pointers;
  for (auto& buffer : host) pointers.push_back(buffer.data());
  const Shape shape = problem.shape();
  Plan plan;
  if (kernel->prepare) REQUIRE(kernel->prepare(shape, &plan).ok());
  const Launch launch = {.shape = shape, .buffers = pointers.data(), .plan_state = plan.state};
  REQUIRE(kernel->launch(launch).ok());
  if (plan.release) plan.release(plan.state);
  return host;
}

uint64_t word(const std::vector<std::byte>& buffer, size_t index) {
  uint64_t value = 0;
  std::memcpy(&value, buffer.data() + 8 * index, 8);
  return value;
}

void set_word(std::vector<std::byte>* buffer, size_t index, uint64_t value) {
  std::memcpy(buffer->data() + 8 * index, &value, 8);
}

void change(std::vector<std::byte>* output, size_t byte) {
  (*output)[byte] ^= std::byte{0x40};
}

}  // namespace

TEST_CASE("every rung of the lab is right at awkward sizes") {
  int tested = 0;
  for (const KernelDesc* kernel : registered_kernels()) {
    const std::string family(family_of(kernel->id));
    if (std::find(std::begin(kFamilies), std::end(kFamilies), family) == std::end(kFamilies))
      continue;
    if (!check_supported(*kernel, {}, *cpu())) continue;
    INFO(kernel->id);
    Params params;
    const bool has_threads = std::string_view(kernel->id).ends_with(".threads");
    if (has_threads && std::thread::hardware_concurrency() > 1) params["threads"] = int64_t{2};
    FullChecks checks;
    const auto check = checks.get(*kernel, *find_family(family), params, cpu(), Observer());
    if (!check && check.error().code == ErrorCode::unavailable) {
      RIDGE_SKIP_NOTE(check.error().sentence());  // no huge pages
      continue;
    }
    if (!check) FAIL(check.error().sentence());
    INFO(check->what << ": " << check->reason << ", worst " << check->worst_bound_share);
    CHECK(check->passed);
    CHECK(check->checked > 100);
    ++tested;
  }
  CHECK(tested >= 5);  // without AVX2 and without huge pages
}

TEST_CASE("the cycle goes through every line once, and the chases share it out") {
  for (const int64_t chases : {1, 3, 8, 12}) {
    const auto problem = problem_of("chase", {{"kib", int64_t{37}}, {"chases", chases}});
    const Shape shape = problem->shape();
    const int64_t lines = shape.dim[0], lap = lines / chases, steps = shape.dim[2];
    CHECK(lines == 37 * 16);
    const int32_t* next = static_cast<const Cycle*>(shape.constants)->next;
    const HostBuffers host = inputs_of(*problem, 3);
    std::set<int64_t> visited;
    int64_t neighbours = 0;
    for (int64_t i = 0; i < chases; ++i) {
      auto line = static_cast<int64_t>(word(host[0], static_cast<size_t>(i)));
      for (int64_t step = 0; step < lap; ++step) {
        neighbours += next[line] == line + 1;
        line = next[line];
        CHECK(visited.insert(line).second);
      }
    }
    CHECK(static_cast<int64_t>(visited.size()) == lap * chases);
    CHECK(problem->items() == double(steps * chases));
    CHECK(steps % lap == 0);
    CHECK(steps / lap == (1 << 18) / lines);
    CHECK(neighbours < 10);  // a prefetcher has nothing to guess from
  }
}

TEST_CASE("a small set is gone through in laps, a large one once") {
  const auto steps = [](int64_t kib) {
    return problem_of("chase", {{"kib", kib}, {"chases", int64_t{4}}})->shape().dim[2];
  };
  CHECK(steps(4) == 1 << 16);  // 4,096 laps of 16 lines for each
  CHECK(steps(16'384) == 1 << 16);
  CHECK(steps(65'536) == 1 << 18);
}

TEST_CASE("more chases than lines are no problem, and shrinking makes none") {
  const FamilyDesc& family = *find_family("chase");
  const Params many = {{"kib", int64_t{64}}, {"chases", int64_t{1000}}};
  const auto full = resolve_params(family.params(), many, "chase");
  REQUIRE(full.ok());
  const Params small = family.shrink(*full, 1e-6);
  CHECK(param_int(small, "kib") == 63);
  CHECK(family.make_problem(small).ok());
  Params none = small;
  none["kib"] = int64_t{62};
  const auto refused = family.make_problem(none);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().sentence().find("1000 chases are more than the 992 lines") !=
        std::string::npos);
}

TEST_CASE("a CPU's rungs have room for 12 chains and chases, and a GPU's for more") {
  const auto spec = [](const char* kernel, const char* name) {
    const FamilyDesc& family = *find_family(family_of(kernel));
    std::vector<ParamSpec> specs = family.params();
    family.narrow(kernel, &specs);
    const auto found = std::find_if(specs.begin(), specs.end(),
                                    [&](const ParamSpec& one) { return one.name == name; });
    REQUIRE(found != specs.end());
    return *found;
  };
  CHECK(spec("chains.cpu.chains", "chains").max == 12);
  CHECK(spec("chains.cuda.warps", "chains").max == 32);
  CHECK(spec("chains.cuda.warps", "width").fallback == ParamValue(int64_t{32}));
  CHECK(spec("chase.cpu.chases", "chases").max == 12);
  CHECK(spec("chase.cuda.chases", "chases").max == 1024);
  CHECK(spec("sums.cpu.in_order", "kib").fallback == ParamValue(int64_t{65'536}));
  for (const char* kernel : {"sums.cuda.coalesced", "roofline.cuda.fmas"})
    CHECK(spec(kernel, "kib").fallback == ParamValue(int64_t{262'144}));
  // A request past the catalogue is refused.
  for (const auto& [id, name] : {std::pair{"chains.cpu.chains", "chains"},
                                 {"chase.cpu.chases", "chases"},
                                 {"chase.cpu.huge_pages", "chases"}}) {
    INFO(id);
    const auto problem = problem_of(std::string(family_of(id)).c_str(), {{name, int64_t{13}}});
    Plan plan;
    const Status status = find_kernel(id)->prepare(problem->shape(), &plan);
    CHECK(status.refused);
    CHECK(std::string(status.what).find("12 ") != std::string::npos);
  }
}

TEST_CASE("seeds start a chase elsewhere in the same cycle") {
  const auto problem = problem_of("chase", {{"kib", int64_t{64}}, {"chases", int64_t{1}}});
  std::set<uint64_t> starts;
  for (const uint64_t seed : {1, 2, 3, 4}) starts.insert(word(inputs_of(*problem, seed)[0], 0));
  CHECK(starts.size() == 4);
}

TEST_CASE("a chase that leaves lines out, or visits them in another order, is refused") {
  const auto problem = problem_of("chase", {{"kib", int64_t{64}}, {"chases", int64_t{2}}});
  const Shape shape = problem->shape();
  const int32_t* next = static_cast<const Cycle*>(shape.constants)->next;
  HostBuffers host = solved("chase.cpu.chases", *problem, 5);
  CHECK(problem->check(host, true, 5).passed);
  CHECK(solved("chase.cpu.pointer", *problem, 5) == host);

  HostBuffers short_by_one = host;  // the last step of chase 1 is not taken
  uint64_t line = word(host[0], 1);
  for (int64_t step = 0; step + 1 < shape.dim[2]; ++step) line = static_cast<uint64_t>(next[line]);
  set_word(&short_by_one[1], 2, line);
  CHECK(problem->check(short_by_one, true, 5).reason == "chase 1 ends at the wrong line");

  // The lines in the order of their addresses: each once, and the ends are right.
  HostBuffers in_order = host;
  uint64_t sum = 0;
  for (int64_t i = 0; i < shape.dim[2]; ++i) {
    const auto line = static_cast<uint64_t>(2 * i % shape.dim[0]);
    sum = with_line(sum, line + line + 1);
  }
  set_word(&in_order[1], 0, sum);
  CHECK(problem->check(in_order, true, 5).reason ==
        "lines were left out, or visited in another order");
}

TEST_CASE("a sum without one word, and one that adds a word twice, are refused") {
  for (const char* id : {"sums.cpu.stride", "sums.cpu.in_order", "sums.cpu.threads"}) {
    INFO(id);
    const auto problem = problem_of("sums", {{"kib", int64_t{3}}, {"stride", int64_t{7}}});
    const HostBuffers host = solved(id, *problem, 2);
    CHECK(problem->check(host, true, 2).passed);
    for (const size_t at : {0, 6, 7, 383}) {
      for (const int times : {0, 2}) {
        HostBuffers wrong = host;
        const uint64_t value = word(host[0], at);
        set_word(&wrong[1], 0, word(host[1], 0) + (times == 2 ? value : 0 - value));
        CHECK_FALSE(problem->check(wrong, true, 2).passed);
      }
    }
  }
}

TEST_CASE("a chain, and an element, without one of its multiply-adds is refused") {
  const auto chains = problem_of("chains", {{"chains", int64_t{5}}});
  CHECK(chains->items() == 4 * 4096 * 5);
  CHECK(chains->flop() == 16 * chains->items());  // 8 floats an instruction
  for (const char* id : {"chains.cpu.one_chain", "chains.cpu.chains"}) {
    HostBuffers host = solved(id, *chains, 1);
    if (host.empty()) continue;
    CHECK(chains->check(host, true, 1).passed);
    change(&host[2], host[2].size() - 2);  // a high bit of the last lane's mantissa
    CHECK_FALSE(chains->check(host, true, 1).passed);
  }
  const auto roofline = problem_of("roofline", {{"kib", int64_t{3}}, {"fmas", int64_t{9}}});
  const auto fewer = problem_of("roofline", {{"kib", int64_t{3}}, {"fmas", int64_t{8}}});
  const HostBuffers host = solved("roofline.cpu.fmas", *roofline, 1);
  if (host.empty()) return;
  CHECK(roofline->check(host, true, 1).passed);
  CHECK(roofline->check(host, false, 1).passed);
  CHECK_FALSE(fewer->check(host, true, 1).passed);
  CHECK_FALSE(fewer->check(host, false, 1).passed);
}

TEST_CASE("arithmetic intensity is what the parameter says") {
  const auto at = [](int64_t fmas) {
    const auto problem = problem_of("roofline", {{"kib", int64_t{1024}}, {"fmas", fmas}});
    return problem->flop() / problem->bytes_min();
  };
  CHECK(at(1) == Approx(3 / 4.125).epsilon(1e-3));  // a sum of 4 bytes for every 32 elements
  CHECK(at(64) == Approx(129 / 4.125).epsilon(1e-3));
}

TEST_CASE("huge pages are counted, or refused with the file that decides it") {
  const auto problem = problem_of("chase", {{"kib", int64_t{8192}}});
  const KernelDesc* kernel = find_kernel("chase.cpu.huge_pages");
  REQUIRE(kernel);
  Plan plan;
  const Status status = kernel->prepare(problem->shape(), &plan);
  if (status.ok()) {
    CHECK(std::string(plan.note) == "4 pages of 2 MiB");
  } else {
    CHECK(status.refused);
    CHECK(std::string(status.what).find("transparent_hugepage") != std::string::npos);
  }
  if (plan.release) plan.release(plan.state);
  Plan small;
  REQUIRE(find_kernel("chase.cpu.pointer")->prepare(problem->shape(), &small).ok());
  CHECK(small.note[0] == '\0');
  CHECK(small.workspace_bytes == 8192 * 1024);
  small.release(small.state);
}
