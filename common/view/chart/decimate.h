// Fewer points, same picture: of many samples in one pixel column only the lowest and the highest
// can be told apart, so at most those two are drawn.
#pragma once

#include <span>
#include <vector>

#include "common/view/chart/model.h"

namespace ridge::chart {

/// For a time series from x_low to x_high over `columns` pixel columns: at most two points a
/// column, its minimum and its maximum in their order of appearance. NaN points are dropped;
/// points outside are kept out. Never adds points; keeps everything where there is room.
std::vector<Point> decimate(std::span<const Point> points, float x_low, float x_high, int columns);

}  // namespace ridge::chart
