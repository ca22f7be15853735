// ridge: arch=90a needs=cutlass flags=--expt-relaxed-constexpr
//
// Ways of the CUTLASS peer: two consumer warpgroups with tiles of their own, one stores while the other multiplies.
#include "kernels/gemm/peers/cutlass_sm90.h"

namespace ridge::cutlass_peer {
namespace {

template <class Element>
using Gemm = Sm90<Element, Extent<64, 256, 64>, Extent<2, 1, 1>,
                  cutlass::gemm::KernelTmaWarpSpecializedPingpong, cutlass::epilogue::TmaWarpSpecialized>;

}  // namespace

const Way kPingPong[2] = {way_of<Gemm<cutlass::bfloat16_t>>("64x256x64 ping-pong, cluster 2x1", DType::bf16),
                           way_of<Gemm<cutlass::half_t>>("64x256x64 ping-pong, cluster 2x1", DType::fp16)};

}  // namespace ridge::cutlass_peer
