// ridge: arch=75
#include "kernels/attention/flash.h"

namespace ridge {

Status describe_flash(const Launch& launch, CUtensorMapDataType type, Flash* a) {
  const Attention p = attention_of(launch);
  device::TensorMap2d map = {
      type,   p.q, p.sequence, p.d, p.d * 2, device::kFlashGroupM, 64, CU_TENSOR_MAP_SWIZZLE_128B,
      p.heads};
  if (const Status status = device::encode_tensor_map(map, &a->q); !status.ok()) return status;
  map.data = p.o;
  if (const Status status = device::encode_tensor_map(map, &a->o); !status.ok()) return status;
  map.matrices = p.heads / p.group;
  map.box_rows = device::kFlashKeys;
  map.data = p.k;
  if (const Status status = device::encode_tensor_map(map, &a->k); !status.ok()) return status;
  map.data = p.v;
  if (const Status status = device::encode_tensor_map(map, &a->v); !status.ok()) return status;
  a->heads = static_cast<int>(p.heads);
  a->group = static_cast<int>(p.group);
  a->sequence = static_cast<int>(p.sequence);
  a->causal = p.causal;
  a->scale = p.scale * 1.44269504f;
  a->order = static_cast<const int*>(launch.plan_state);
  return {};
}

}  // namespace ridge
