// GPT-3's shape: T. Brown et al., Language Models are Few-Shot Learners (2020), table 2.1; the parts and the printed
// figures as the talk that this lab follows has them.
#include "labs/gemm_workload.h"

#include <utility>

namespace ridge {
namespace {

constexpr int64_t kSequence = 2048, kWidth = 12288, kHeadWidth = 128, kInner = 49152;
constexpr int64_t kBlocks = 96, kHeads = 96, kVocabulary = 51200;
static_assert(kHeads * kHeadWidth == kWidth && kInner == 4 * kWidth);

/// Weights of `calls` products from `in` to `out` values, each with a bias for each output.
constexpr double weights(int64_t in, int64_t out, int64_t calls) {
  return double(in * out + out) * double(calls);
}
/// A gain and a bias for each value.
constexpr double kNormalisation = double(2 * kWidth * kBlocks);

WorkloadPart with(WorkloadPart part, double parameters, std::optional<PrintedMacs> printed,
                  std::vector<WorkloadStep> then = {}) {
  part.parameters = parameters;
  part.printed = printed;
  part.then = std::move(then);
  return part;
}

WorkloadPart embedding() {
  return with(product("embedding",
                      "One-hot rows times the table, as the talk counts it; programs look the "
                      "row up instead and multiply nothing.",
                      kSequence, kWidth, kVocabulary, 1),
              double(kVocabulary * kWidth), PrintedMacs{1.28849e12, "the pass", 1},
              {{"positions, added", "A learned row for each position, added to each token's.",
                double(kSequence * kWidth)}});
}

std::vector<WorkloadPart> attention() {
  return {
      with(product("Q, K, V",
                   "Three products a block, each for all heads at once (one head: 128 columns).",
                   kSequence, kWidth, kWidth, 3 * kBlocks),
           weights(kWidth, kWidth, 3 * kBlocks),
           PrintedMacs{3.22e9, "one head", 3 * kBlocks * kHeads}),
      with(product("Q · K, transposed", "A product for each head: short sums, k = 128.", kSequence,
                   kSequence, kHeadWidth, kBlocks * kHeads),
           0, PrintedMacs{51'539'607'552, "one head", kBlocks * kHeads},
           {{"softmax", "Of each row of scores: exponentials, a sum, a division.", 0}}),
      with(product("S · V", "A product for each head: a narrow C, n = 128.", kSequence, kHeadWidth,
                   kSequence, kBlocks * kHeads),
           0, {}, {{"concatenation", "The heads' columns side by side: a place to write to.", 0}}),
      with(product("output projection", "One a block.", kSequence, kWidth, kWidth, kBlocks),
           weights(kWidth, kWidth, kBlocks), PrintedMacs{3.09238e11, "one block", kBlocks},
           {{"addition, normalisation", "Mean and variance of each row.", kNormalisation}}),
  };
}

std::vector<WorkloadPart> feed_forward() {
  return {
      with(product("FFN, up", "One a block, to four times the width.", kSequence, kInner, kWidth,
                   kBlocks),
           weights(kWidth, kInner, kBlocks), PrintedMacs{1.23695e12, "one block", kBlocks},
           {{"GELU", "Of each value.", 0}}),
      with(product("FFN, down", "One a block, back again.", kSequence, kWidth, kInner, kBlocks),
           weights(kInner, kWidth, kBlocks), PrintedMacs{1.23695e12, "one block", kBlocks},
           {{"addition, normalisation", "As above.", kNormalisation}}),
  };
}

}  // namespace

Workload gemm_gpt3_workload() {
  Workload workload = {
      .id = "gpt3",
      .title = "GPT-3-shaped inference: batch 1, 2048 tokens, width 12288, 96 blocks of 96 heads",
      .note =
          "The talk prints 51,539,607,552 multiply-adds for Q · K among figures of one head. That "
          "is "
          "2048 · 2048 · 12288, all 96 heads of a block; one head has 2048 · 2048 · 128 = "
          "536,870,912. Its parameters are ours without the normalisations'.",
      .parts = {embedding()},
      .printed_parameters = 1.7461e11,
  };
  for (const auto& parts : {attention(), feed_forward()})
    workload.parts.insert(workload.parts.end(), parts.begin(), parts.end());
  workload.parts.push_back(
      with(product("decoding", "Once, to the vocabulary, with the embedding's table.", kSequence,
                   kVocabulary, kWidth, 1),
           0, PrintedMacs{1.28849e12, "the pass", 1},
           {{"softmax of the output", "Of each token's scores over the vocabulary.", 0}}));
  return workload;
}

}  // namespace ridge
