// The networks of this family: layers over one flat buffer of parameters, as llm.c has it (Karpathy). What
// a CPU and a GPU train is described here once: shapes, where each layer's parameters lie, FLOP.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::mixed {

inline constexpr int kClasses = 10;

struct Layer {
  enum class Kind {
    dense,
    conv,
    pool
  };  ///< conv: 3 x 3, as large as its input; pool: 2 x 2, with ReLU
  Kind kind = Kind::dense;
  int side = 1;         ///< conv, pool: of its input
  int in = 0, out = 0;  ///< channels; dense: units
  bool relu = false;
  int64_t weight = 0, bias = 0;  ///< places in the buffer; weights are out x inputs()
  /// Numbers that one output is made of.
  int inputs() const { return kind == Kind::conv ? 9 * in : in; }
  int64_t weights() const { return kind == Kind::pool ? 0 : int64_t{out} * inputs(); }
  int64_t pixels() const { return int64_t{side} * side; }
  /// Of one image.
  int64_t in_size() const { return pixels() * in; }
  int64_t out_size() const { return kind == Kind::pool ? in_size() / 4 : pixels() * out; }
};

struct Model {
  std::string name;
  std::vector<Layer> layers;
  int64_t parameters = 0;
  /// Of a step, forward and backward, an image: products alone.
  double flop_per_image() const;
  int64_t largest() const;  ///< output of one image
};

/// mlp: 784 - `depth` x `width` - 10. cnn: two stages of `depth` convolutions, `width` and 2 x `width`
/// channels, each with a pool, then 10.
Model make_model(const std::string& name, int width, int depth);
/// Uniform to sqrt(6 / inputs) (He et al., 2015), the last layer's to sqrt(1 / inputs); biases 0.
std::vector<float> initial_parameters(const Model& model, uint64_t seed);

/// Layers whose outputs are kept when activations are checkpointed: pools, where there are any, else every
/// ceil(sqrt(layers))-th (Chen et al., arXiv:1604.06174); and the last.
std::vector<bool> checkpoints(const Model& model);

}  // namespace ridge::mixed
