// GPT-3's shape: T. Brown et al., Language Models are Few-Shot Learners (2020), table 2.1; the parts as
// the talk that this lab follows counts them.
#include "labs/gemm_workload.h"

namespace ridge {
namespace {

constexpr int64_t kSequence = 2048, kWidth = 12288, kHeadWidth = 128, kInner = 49152;
constexpr int64_t kBlocks = 96, kHeads = 96, kVocabulary = 51200;
static_assert(kHeads * kHeadWidth == kWidth && kInner == 4 * kWidth);

}  // namespace

Workload gemm_gpt3_workload() {
  return {
      .id = "gpt3",
      .title = "GPT-3-shaped inference: batch 1, 2048 tokens, width 12288, 96 blocks of 96 heads",
      .note =
          "The talk prints 51,539,607,552 multiply-adds for Q · K among figures of one head. That "
          "is "
          "2048 · 2048 · 12288, all 96 heads of a block; one head has 2048 · 2048 · 128 = "
          "536,870,912.",
      .parts =
          {
              product("embedding",
                      "One-hot rows times the table, as the talk counts it; programs look the "
                      "row up instead and multiply nothing.",
                      kSequence, kWidth, kVocabulary, 1),
              product("Q, K, V",
                      "Three products a block, each for all heads at once (one head: 128 columns).",
                      kSequence, kWidth, kWidth, 3 * kBlocks),
              product("Q · K, transposed", "A product for each head: short sums, k = 128.",
                      kSequence, kSequence, kHeadWidth, kBlocks * kHeads),
              product("S · V", "A product for each head: a narrow C, n = 128.", kSequence,
                      kHeadWidth, kSequence, kBlocks * kHeads),
              product("output projection", "One a block.", kSequence, kWidth, kWidth, kBlocks),
              product("FFN, up", "One a block, to four times the width.", kSequence, kInner, kWidth,
                      kBlocks),
              product("FFN, down", "One a block, back again.", kSequence, kWidth, kInner, kBlocks),
              product("decoding", "Once, to the vocabulary.", kSequence, kVocabulary, kWidth, 1),
          },
  };
}

}  // namespace ridge
