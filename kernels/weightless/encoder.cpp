// ridge: flags=-O2
//
// Which comparisons a network needs. In a file without an ISA, since it is called once a model.
#include "kernels/weightless/encoder.h"

#include <string.h>

namespace ridge {

static void choose_comparisons(const LutModel* model, Encoder* encoder) {
  uint8_t* read = (uint8_t*)calloc((size_t)model->features, 1);
  for (int64_t pin = 0; pin < (int64_t)model->luts * kLutInputs; ++pin) {
    read[model->wiring[pin]] = 1;
  }
  int many = 0;
  for (int block = 0; block < kColumnBlocks; ++block) {
    encoder->begin[block] = many;
    for (int c = 0; c < kColumns; ++c) {
      for (int bit = 0; bit < model->bits; ++bit) {
        const int feature = (block * kColumns + c) * model->bits + bit;
        if (!read[feature]) continue;
        Comparison64* compare = &encoder->compare[many++];
        compare->column = (uint8_t)c;
        compare->threshold = model->thresholds[feature];
        compare->feature = (uint16_t)feature;
      }
    }
  }
  encoder->begin[kColumnBlocks] = many;
  free(read);
}

Encoder* make_encoder(const LutModel* model) {
  const size_t planes = (size_t)model->features * kTileWords * 8, tail = 64 * kImageBytes,
               compare = (size_t)model->features * sizeof(Comparison64);
  Encoder* encoder = (Encoder*)malloc(sizeof(Encoder));
  if (encoder == nullptr) return nullptr;
  // One piece: planes and tail are multiples of 64 bytes.
  encoder->bytes = planes + tail + (compare + 63) / 64 * 64;
  uint8_t* memory = (uint8_t*)aligned_alloc(64, encoder->bytes);
  if (memory == nullptr) {
    free(encoder);
    return nullptr;
  }
  memset(memory, 0, encoder->bytes);
  encoder->planes = (uint64_t*)memory;
  encoder->tail = memory + planes;
  encoder->compare = (Comparison64*)(memory + planes + tail);
  choose_comparisons(model, encoder);
  return encoder;
}

void free_encoder(void* state) {
  Encoder* encoder = (Encoder*)state;
  if (encoder != nullptr) free(encoder->planes);
  free(encoder);
}

}  // namespace ridge
