// Stands in for the toolkit's header where device code is emulated.
#pragma once

#include "worker/emulated/device/cuda_runtime_api.h"
