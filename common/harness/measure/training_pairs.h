// Trainings compared in pairs. A pair is a seed: baseline and candidate begin with the same initialisation, see the
// same images in the same order, and make their steps in turns (A B B A, several steps a turn), as many each. A seed
// gives one ratio of step times, from which drift of the clock cancels, and one difference of the accuracy; what is
// claimed rests on the seeds, because steps of one training share its memory and its luck.
#pragma once

#include <vector>

#include "common/harness/measure/comparison.h"
#include "common/harness/measure/training_run.h"

namespace ridge::measure {

/// One training of a comparison: a side, with a seed.
struct PairedTraining {
  const TrainDesc* training = nullptr;
  Params params;             ///< complete, `seed` among them
  Device* device = nullptr;  ///< null: there is none to ask for its clock
};

/// `all`: the sides of the first seed, baseline first, then those of the next. The outcome has a series for each and a
/// comparison for each candidate; its rounds are the seeds. limit_s is of each training's steps; absent: 60.
/// INVALID verdicts and cancellations are outcomes. Errors: worker, a device is lost; usage, a seed is in one side
/// only, or the sides are no pairs; unavailable, a side cannot be set up here or its steps are not the baseline's.
Result<CompareOutcome> compare_trainings(const std::vector<PairedTraining>& all,
                                         const CompareOptions& options, Observer* observer,
                                         StepClock clock = now_s);

}  // namespace ridge::measure
