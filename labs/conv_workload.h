// Networks of convolutions, as labs/workload.h has them: a dense one, and two of mostly depthwise layers.
#pragma once

#include "labs/workload.h"

namespace ridge {

Workload conv_resnet50_workload();
Workload conv_mobilenet_v2_workload();
Workload conv_efficientnet_b0_workload();

}  // namespace ridge
