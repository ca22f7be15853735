// The decode family: every CPU rung through the real gate, with and without pages, and the gate against answers
// planted wrong.
#include <cmath>
#include <cstring>
#include <thread>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/isa.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/decode/decode.h"
#include "kernels/decode/rungs/shares.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

const FamilyDesc& decode_family() {
  const FamilyDesc* found = find_family("decode");
  REQUIRE(found != nullptr);
  return *found;
}

std::unique_ptr<Problem> problem_of(const Params& wanted) {
  const auto params = resolve_params(decode_family().params(), wanted, "decode");
  REQUIRE(params.ok());
  auto problem = decode_family().make_problem(*params);
  REQUIRE(problem.ok());
  return std::move(*problem);
}

/// What a planted kernel does otherwise.
struct Mistake {
  bool forgets_last_key = false, reads_behind_end = false, wrong_head = false,
       ignores_table = false, no_maximum = false, merges_without_rescale = false;
};

/// Decode in fp32, in two halves of the keys that are merged.
void answer(const Problem& problem, const Mistake& mistake, HostBuffers* host) {
  const Shape shape = problem.shape();
  void* buffers[6];
  (*host)[kDecodeO].resize(problem.buffers()[kDecodeO].bytes);
  for (size_t i = 0; i < 6; ++i) buffers[i] = (*host)[i].data();
  const Decode a = decode_of({.shape = shape, .buffers = buffers});
  const auto *q = static_cast<const float*>(a.q), *k = static_cast<const float*>(a.k),
             *v = static_cast<const float*>(a.v);
  for (int64_t i = 0; i < a.batch * a.heads; ++i) {
    const int64_t sequence = i / a.heads, kv = mistake.wrong_head ? 0 : i % a.heads / a.group;
    int64_t keys = a.lengths[sequence];
    if (mistake.forgets_last_key && keys > 1) --keys;
    std::vector<float> o(static_cast<size_t>(a.d), 0.0f);
    float largest = mistake.no_maximum ? 0 : -INFINITY, sum = 0;
    for (int64_t j = 0; j < keys; ++j) {
      int64_t row = decode_row(a, sequence, kv, j);
      if (mistake.ignores_table)
        row = decode_row(a, sequence, kv, 0) + j % std::max(a.page, int64_t{1});
      if (mistake.reads_behind_end && j == keys - 1) ++row;
      float score = 0;
      for (int64_t c = 0; c < a.d; ++c) score += q[i * a.d + c] * k[row * a.d + c];
      score *= a.scale;
      const float before = largest;
      if (!mistake.no_maximum) largest = std::fmax(largest, score);
      const float rescale =
          mistake.merges_without_rescale && j == keys / 2 ? 1 : std::exp(before - largest);
      const float p = std::exp(score - largest);
      sum = sum * rescale + p;
      for (int64_t c = 0; c < a.d; ++c) {
        auto& out = o[static_cast<size_t>(c)];
        out = out * rescale + p * v[row * a.d + c];
      }
    }
    for (int64_t c = 0; c < a.d; ++c) {
      static_cast<float*>(a.o)[i * a.d + c] = o[static_cast<size_t>(c)] / sum;
    }
  }
}

QualityCheck judged(const Params& wanted, const Mistake& mistake) {
  const auto problem = problem_of(wanted);
  HostBuffers host;
  problem->generate(3, &host);
  answer(*problem, mistake, &host);
  return problem->check(host, true, 3);
}

const Params kSmall = {{"length", int64_t{67}},  {"heads", int64_t{4}},
                       {"heads_kv", int64_t{2}}, {"batch", int64_t{7}},
                       {"d", int64_t{40}},       {"lengths", std::string("mixed")},
                       {"page", int64_t{16}}};

}  // namespace

TEST_CASE("every CPU decode rung passes the gate: pages, mixed lengths, head sizes, threads") {
  auto device = make_cpu_device();
  REQUIRE(device.ok());
  FullChecks checks;
  int tested = 0;
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cpu || family_of(kernel->id) != "decode") continue;
    std::string reason;
    if (!isa_available(kernel->isa, &reason)) continue;
    ++tested;
    for (const auto& [d, page, lengths, threads] :
         {std::tuple{int64_t{64}, int64_t{0}, "equal", int64_t{1}},
          {40, 16, "mixed", 2},
          {8, 64, "mixed", 1},
          {128, 0, "mixed", 2}}) {
      if (threads > int64_t(std::thread::hardware_concurrency())) continue;
      INFO(kernel->id << ", d = " << d << ", page " << page << ", " << lengths);
      const Params params = {
          {"d", d}, {"page", page}, {"lengths", std::string(lengths)}, {"threads", threads}};
      const auto check = checks.get(*kernel, decode_family(), params, device->get(), Observer());
      if (!check) FAIL(check.error().sentence());
      INFO(check->what << ": " << check->reason);
      CHECK(check->passed);
      CHECK(check->checked > 0);
    }
  }
  CHECK(tested >= 1);
}

/// What is a little off in each piece has a ten thousand of them to add up in.
TEST_CASE("CPU decode rungs with a long cache") {
  auto device = make_cpu_device();
  REQUIRE(device.ok());
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cpu || family_of(kernel->id) != "decode") continue;
    std::string reason;
    if (!isa_available(kernel->isa, &reason)) continue;
    const auto params = resolve_params(
        decode_family().params(),
        {{"length", int64_t{200'003}}, {"batch", int64_t{2}}, {"d", int64_t{8}}}, "decode");
    REQUIRE(params.ok());
    auto instance = make_instance(decode_family(), *params, 7, **device);
    REQUIRE(instance.ok());
    auto rung = make_ready(*kernel, device->get(), *instance);
    REQUIRE(rung.ok());
    const auto check = check_rung(&*rung, true, "a long cache");
    REQUIRE(check.ok());
    INFO(kernel->id << ": " << check->reason << ", " << check->nmse << " of " << check->nmse_limit);
    CHECK(check->passed);
    CHECK(check->worst_bound_share < 0.5);
  }
}

TEST_CASE("the gate refuses a decode step with a mistake") {
  CHECK(judged(kSmall, {}).passed);
  CHECK_FALSE(judged(kSmall, {.forgets_last_key = true}).passed);
  CHECK_FALSE(judged(kSmall, {.reads_behind_end = true}).passed);
  CHECK_FALSE(judged(kSmall, {.wrong_head = true}).passed);
  CHECK_FALSE(judged(kSmall, {.ignores_table = true}).passed);
  CHECK_FALSE(judged(kSmall, {.no_maximum = true}).passed);
  CHECK_FALSE(judged(kSmall, {.merges_without_rescale = true}).passed);
}

TEST_CASE("decode counts the keys that there are, and every page of the table is one sequence's") {
  const auto equal = problem_of({{"length", int64_t{100}},
                                 {"heads", int64_t{4}},
                                 {"heads_kv", int64_t{2}},
                                 {"batch", int64_t{3}},
                                 {"d", int64_t{64}}});
  CHECK(equal->flop() == 4.0 * 4 * 64 * 3 * 100);
  CHECK(equal->bytes_min() == 4.0 * (2 * 2 * 64 * 300 + 2 * 3 * 4 * 64));
  const auto mixed = problem_of(kSmall);
  CHECK(mixed->bytes_min() < problem_of({{"length", int64_t{67}},
                                         {"heads", int64_t{4}},
                                         {"heads_kv", int64_t{2}},
                                         {"batch", int64_t{7}},
                                         {"d", int64_t{40}}})
                                 ->bytes_min());
  HostBuffers host;
  mixed->generate(1, &host);
  std::vector<int32_t> table(host[kDecodeTable].size() / 4), lengths(7);
  std::memcpy(table.data(), host[kDecodeTable].data(), host[kDecodeTable].size());
  std::memcpy(lengths.data(), host[kDecodeLengths].data(), 7 * 4);
  std::vector<int32_t> used;
  REQUIRE(table.size() == 7 * 5);
  for (size_t i = 0; i < 7; ++i) {
    for (int32_t page = 0; page < 5; ++page) {
      const int32_t at = table[i * 5 + size_t(page)];
      CHECK((at >= 0) == (page * 16 < lengths[i]));
      if (at >= 0) used.push_back(at);
    }
  }
  CHECK_FALSE(std::is_sorted(used.begin(), used.end()));
  std::sort(used.begin(), used.end());
  for (size_t i = 0; i < used.size(); ++i) CHECK(used[i] == int32_t(i));
}

/// Every key of every head once, whoever has it; a worker and a head meet in a slot of their own.
TEST_CASE("shares cover all keys once, and no two of them meet in one slot") {
  const std::vector<int32_t> lengths = {1, 100, 16, 17, 250, 31};
  Decode a = {};
  a.batch = 6, a.heads_kv = 3, a.lengths = lengths.data();
  const int64_t all = decode_all_pieces(a);
  for (const int64_t workers : {int64_t{1}, int64_t{2}, int64_t{7}, all - 1, all}) {
    std::vector<int> seen(6 * 3 * 250, 0), slot(static_cast<size_t>(workers + 18), 0);
    int64_t most = 0, least = all;
    for (int64_t w = 0; w < workers; ++w) {
      DecodeShare share = decode_share(a, w, workers);
      most = std::max(most, share.left), least = std::min(least, share.left);
      DecodeStretch at;
      while (decode_next(a, &share, &at)) {
        const int64_t item = at.sequence * 3 + at.head_kv;
        CHECK(at.first < at.end);
        for (int64_t key = at.first; key < at.end; ++key) ++seen[size_t(item * 250 + key)];
        ++slot[size_t(w + item)];
      }
    }
    CHECK(most - least <= 1);
    for (const int count : slot) CHECK(count <= 1);
    for (int64_t item = 0; item < 18; ++item) {
      for (int64_t key = 0; key < 250; ++key) {
        CHECK(seen[size_t(item * 250 + key)] == (key < lengths[size_t(item / 3)]));
      }
    }
  }
}

TEST_CASE("bad parameters of a decode step are one sentence each") {
  const auto refused = [](const Params& wanted) {
    const auto params = resolve_params(decode_family().params(), wanted, "decode");
    REQUIRE(params.ok());
    const auto problem = decode_family().make_problem(*params);
    REQUIRE_FALSE(problem.ok());
    return problem.error().sentence();
  };
  CHECK(refused({{"d", int64_t{60}}}).find("d=60 is not a multiple of 8") != std::string::npos);
  CHECK(refused({{"page", int64_t{24}}}).find("page=24 is not a multiple of 16") !=
        std::string::npos);
  CHECK(refused({{"heads", int64_t{6}}, {"heads_kv", int64_t{4}}})
            .find("heads_kv=4 does not divide heads=6") != std::string::npos);
}
