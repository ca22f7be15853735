// ridge: arch=75
#include "kernels/runtime/weightless/words_launch.h"

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/weightless/words.h"

namespace ridge::words {
namespace {

constexpr int kColumnsPerBlock = 28, kRow = kTileOfWords + 1;

/// 32 images' words of four pixels become the pixels' bit planes, and those the comparisons' (staged_fill.h).
/// A block: a tile's 16 words, 28 columns of four pixels; by shared memory, since a plane's words lie
/// together and a column's do not. Generic, since the thresholds are data here.
__global__ void __launch_bounds__(kColumnsPerBlock* kTileOfWords)
    encode_kernel(const Word* __restrict__ pixels, long long images, int bits,
                  const Word* __restrict__ keep, Word* __restrict__ planes) {
  __shared__ Word out[4 * kColumnsPerBlock * kRow];
  const int own = threadIdx.x % kColumnsPerBlock, w = threadIdx.x / kColumnsPerBlock;
  const int first = blockIdx.x % (kImageColumns / kColumnsPerBlock) * kColumnsPerBlock;
  const long long tile = blockIdx.x / (kImageColumns / kColumnsPerBlock);
  Word x[32];
  load_column(pixels, images, (tile * kTileOfWords + w) * kWordImages, first + own, x);
#pragma unroll
  for (int g = 0; g < 32; g += 8) transpose_bits(x + g);
  for (int i = 0; i < bits; ++i) {
    Word r[4];
    above(x, keep + i * 8 * kImageColumns + first + own, kImageColumns, r);
    __syncthreads();  // the level before has left
#pragma unroll
    for (int q = 0; q < 4; ++q) out[(q * kColumnsPerBlock + own) * kRow + w] = r[q];
    __syncthreads();
    for (int at = threadIdx.x; at < 4 * kColumnsPerBlock * kTileOfWords; at += blockDim.x) {
      const int pixel = at / kTileOfWords, word = at % kTileOfWords;
      const long long feature = tile * kImageBytes * bits + (4 * first + pixel) * bits + i;
      planes[feature * kTileOfWords + word] =
          out[(pixel % 4 * kColumnsPerBlock + pixel / 4) * kRow + word];
    }
  }
}

__global__ void best_kernel(const Word* __restrict__ scores, int counters, long long words,
                            long long images, unsigned char* __restrict__ classes) {
  const long long word = 1ll * blockIdx.x * blockDim.x + threadIdx.x;
  if (word * kWordImages >= images) return;
  Best<kMaxCounters> best;
  for (int c = 0; c < kClassCount; ++c) {
    Word score[kMaxCounters] = {};
#pragma unroll
    for (int k = 0; k < kMaxCounters; ++k)
      if (k < counters) score[k] = scores[(1ll * c * counters + k) * words + word];
    best.offer(score, c);
  }
  best.write(classes + word * kWordImages, images - word * kWordImages);
}

}  // namespace

std::vector<Word> keep_masks(const LutModel& model) {
  std::vector<Word> keep(static_cast<size_t>(model.bits) * 8 * kImageColumns);
  for (int f = 0; f < model.features; ++f) {
    const int pixel = f / model.bits, level = f % model.bits;
    for (int b = 0; b < 8; ++b) {
      if ((model.thresholds[f] >> b & 1) != 0) continue;
      keep[static_cast<size_t>((level * 8 + b) * kImageColumns + pixel / 4)] |= 0xffu
                                                                                << (pixel % 4 * 8);
    }
  }
  return keep;
}

Status Planes::prepare(const Shape& shape) {
  if (shape.dim[kLutFromPixels] == 0) return {};
  const auto* model = static_cast<const LutModel*>(shape.constants);
  const auto features = static_cast<size_t>(model->features);
  const std::vector<Word> keep = keep_masks(*model);
  if (const Status s = thresholds_.upload(keep.data(), keep.size()); !s.ok()) return s;
  return encoded_.allocate(static_cast<size_t>(padded_words(shape)) * features * sizeof(Word));
}

Status Planes::get(const Classify& job, cudaStream_t stream, const Word** planes) const {
  *planes = reinterpret_cast<const Word*>(job.planes);
  if (job.pixels == nullptr) return {};
  *planes = encoded_.as<Word>();
  const auto blocks = static_cast<unsigned>(job.tiles * (kImageColumns / kColumnsPerBlock));
  encode_kernel<<<blocks, kColumnsPerBlock * kTileOfWords, 0, stream>>>(
      reinterpret_cast<const Word*>(job.pixels), job.images, job.model->bits,
      thresholds_.as<Word>(), encoded_.as<Word>());
  return RIDGE_CUDA_LAUNCHED(encode_kernel);
}

Status write_classes(const Word* scores, int counters, long long words, long long images,
                     unsigned char* classes, cudaStream_t stream) {
  constexpr int kThreads = 64;
  const long long blocks = (words + kThreads - 1) / kThreads;
  best_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(scores, counters, words,
                                                                      images, classes);
  return RIDGE_CUDA_LAUNCHED(best_kernel);
}

}  // namespace ridge::words
