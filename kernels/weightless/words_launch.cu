// ridge: arch=75
#include "kernels/weightless/words_launch.h"

namespace ridge::words {
namespace {

/// A warp: 32 images and a column of four pixels; each comparison is an instruction, each vote a plane.
__global__ void encode_kernel(const unsigned char* __restrict__ pixels, long long images, int bits,
                              const unsigned char* __restrict__ thresholds,
                              Word* __restrict__ planes) {
  const long long word = blockIdx.x, image = word * kWordImages + threadIdx.x % 32;
  const int features = kImageBytes * bits;
  Word* out = planes + word / kTileOfWords * features * kTileOfWords + word % kTileOfWords;
  for (int p = threadIdx.x / 32 * 4; p < kImageBytes; p += static_cast<int>(blockDim.x) / 32 * 4) {
    const Word four =
        image < images ? *reinterpret_cast<const Word*>(pixels + image * kImageBytes + p) : 0;
    for (int f = p * bits; f < (p + 4) * bits; ++f) {
      const Word pixel = four >> (f / bits - p) * 8 & 255;
      const Word plane = __ballot_sync(~0u, image < images && pixel > thresholds[f]);
      if (threadIdx.x % 32 == 0) out[f * kTileOfWords] = plane;
    }
  }
}

__global__ void best_kernel(const Word* __restrict__ scores, int counters, long long words,
                            long long images, unsigned char* __restrict__ classes) {
  const long long word = 1ll * blockIdx.x * blockDim.x + threadIdx.x;
  if (word * kWordImages >= images) return;
  Best<kMostCounters> best;
  for (int c = 0; c < kClassCount; ++c) {
    Word score[kMostCounters] = {};
#pragma unroll
    for (int k = 0; k < kMostCounters; ++k)
      if (k < counters) score[k] = scores[(1ll * c * counters + k) * words + word];
    best.offer(score, c);
  }
  best.write(classes + word * kWordImages, images - word * kWordImages);
}

}  // namespace

Status Planes::prepare(const Shape& shape) {
  if (shape.dim[kLutFromPixels] == 0) return {};
  const auto* model = static_cast<const LutModel*>(shape.constants);
  const auto features = static_cast<size_t>(model->features);
  if (const Status s = thresholds_.upload(model->thresholds, features); !s.ok()) return s;
  return encoded_.allocate(static_cast<size_t>(padded_words(shape)) * features * sizeof(Word));
}

Status Planes::get(const Classify& job, cudaStream_t stream, const Word** planes) const {
  *planes = reinterpret_cast<const Word*>(job.planes);
  if (job.pixels == nullptr) return {};
  *planes = encoded_.as<Word>();
  const auto words = static_cast<unsigned>(job.tiles * kTileOfWords);
  encode_kernel<<<words, 256, 0, stream>>>(job.pixels, job.images, job.model->bits,
                                           thresholds_.as<unsigned char>(), encoded_.as<Word>());
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
