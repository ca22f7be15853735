// The mlp family's view of a launch: a trained perceptron, 784-256-10, classifies the images that the
// weightless family classifies, from the same bytes: the float and int8 side of that lab's score card.
//
//   hidden unit j    max(0, sum of pixel i * w1[i][j] + b1[j])
//   score of class c sum of hidden j * w2[j][c] + b2[c]; the highest wins, of a tie the lowest class
//
// In int8: pixels are bytes already; weights are q = w / s, s for each hidden unit and one for the second
// layer; a hidden unit is rounded to a byte; sums are exact integers.
//
//   Shape::dim        {images}
//   Shape::constants  the MlpModel
//   buffers[0]        pixels, input: images x 784 bytes
//   buffers[1]        classes, output: a byte an image
//
// C-like: ISA-flagged files include this (common/harness/kernel/kernel.h).
#pragma once

#include <stdint.h>
#include <stdlib.h>

#include "common/harness/kernel/kernel.h"

namespace ridge {

enum { kMlpIn = 784, kMlpHidden = 256, kMlpOut = 10 };

struct MlpModel {
  const float *w1, *b1;   ///< [784][256], for pixels of 0 to 255; [256]
  const float *w2, *b2;   ///< [256][10]; [10]
  const int8_t *q1, *q2;  ///< the same in int8
  /// A hidden byte is the sum of pixel * q1, times scale, plus offset, rounded to 0 ... 255.
  const float *scale, *offset;  ///< [256]
  const int32_t* q_b2;          ///< [10], in units of the second layer's sums
};

struct Perceive {
  int64_t images;
  const MlpModel* model;
  const uint8_t* pixels;
  uint8_t* classes;
};

static inline Perceive perceive_of(const Launch& launch) {
  Perceive p;
  p.images = launch.shape.dim[0];
  p.model = (const MlpModel*)launch.shape.constants;
  p.pixels = (const uint8_t*)launch.buffers[0];
  p.classes = (uint8_t*)launch.buffers[1];
  return p;
}

}  // namespace ridge
