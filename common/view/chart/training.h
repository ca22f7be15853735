// Training curves: a task metric or the loss over the seconds or steps of training, one line a training.
#pragma once

#include <span>
#include <string>

#include "common/view/chart/ladder.h"

namespace ridge::chart {

struct TrainingOptions {
  std::string title{};
  std::string metric =
      "accuracy";  ///< of the checks and of the curve's points; "loss" of the points
  bool by_step =
      false;  ///< x is the step; else seconds of steps, without evaluation and the first step
};

/// Rows that only the parameter `seed` tells apart are one training: its line is their mean, with a band from the
/// least to the greatest. Two lines can belong to a training: the metric as it was judged on the way and at the end (marked), and
/// pale what its batches say of it (`batch_<metric>` of the curve's points; of more than three trainings the selected one's
/// alone). What has a value at every step
/// is drawn as the mean over equal runs of steps, which the notes name. Of more than five trainings the selected one, the
/// baseline, the first, and those that end best, least and soonest have colours and names; the others are grey. Rows without a curve are left
/// out; the baseline's metric is a guide where it has no curve. Where all that were judged to the end have a
/// metric, the table says when each first reached what all of them reached.
ChartModel training_chart(std::span<const LadderRow> rows, const TrainingOptions& options = {});

}  // namespace ridge::chart
