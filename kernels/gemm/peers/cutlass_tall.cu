// ridge: arch=90a needs=cutlass flags=--expt-relaxed-constexpr
//
// Ways of the CUTLASS peer: two consumer warpgroups share a tile of 256 x 128, two SMs share A by multicast.
#include "kernels/gemm/peers/cutlass_sm90.h"

namespace ridge::cutlass_peer {
namespace {

template <class Element>
using Gemm = Sm90<Element, Extent<256, 128, 64>, Extent<1, 2, 1>,
                  cutlass::gemm::KernelTmaWarpSpecializedCooperative, cutlass::epilogue::TmaWarpSpecializedCooperative>;

}  // namespace

const Way kTall[2] = {way_of<Gemm<cutlass::bfloat16_t>>("256x128x64, cluster 1x2", DType::bf16),
                        way_of<Gemm<cutlass::half_t>>("256x128x64, cluster 1x2", DType::fp16)};

}  // namespace ridge::cutlass_peer
