// ridge: arch=90a needs=cutlass flags=--expt-relaxed-constexpr
//
// Ways of the CUTLASS peer: two consumer warpgroups share a tile of 128 x 256, two SMs share B by multicast.
#include "kernels/gemm/peers/cutlass_sm90.h"

namespace ridge::cutlass_peer {
namespace {

template <class Element>
using Gemm = Sm90<Element, Extent<128, 256, 64>, Extent<2, 1, 1>,
                  cutlass::gemm::KernelTmaWarpSpecializedCooperative, cutlass::epilogue::TmaWarpSpecializedCooperative>;

}  // namespace

const Way kWide[2] = {way_of<Gemm<cutlass::bfloat16_t>>("128x256x64, cluster 2x1", DType::bf16),
                        way_of<Gemm<cutlass::half_t>>("128x256x64, cluster 2x1", DType::fp16)};

}  // namespace ridge::cutlass_peer
