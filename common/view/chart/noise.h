// The ratios of a rung compared with itself: a dot for each comparison, the box of their quartiles, the
// default margin as a band. What lies inside the band can be told from 1 by nobody here.
#pragma once

#include "common/record/noise_floor.h"
#include "common/view/chart/model.h"

namespace ridge::chart {

ChartModel noise_chart(const NoiseFloor& floor, const std::string& label);

}  // namespace ridge::chart
