// ResNet-50's convolutions, as labs/workload.h has a network.
#pragma once

#include "labs/workload.h"

namespace ridge {

Workload conv_resnet50_workload();

}  // namespace ridge
