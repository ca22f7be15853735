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
  int64_t largest() const;          ///< output of one image
  bool is_pooled(size_t l) const {  ///< a pool follows
    return l + 1 < layers.size() && layers[l + 1].kind == Layer::Kind::pool;
  }
};

/// mlp: 784 - `depth` x `width` - 10. cnn: two stages of `depth` convolutions, `width` and 2 x `width`
/// channels, each with a pool, then 10.
Model make_model(const std::string& name, int width, int depth);
/// Uniform to sqrt(6 / inputs) (He et al., 2015), the last layer's to sqrt(1 / inputs); biases 0.
std::vector<float> initial_parameters(const Model& model, uint64_t seed);

/// Layers whose outputs are kept when activations are checkpointed: pools, where there are any, else every
/// ceil(sqrt(layers))-th (Chen et al., arXiv:1604.06174); and the last.
std::vector<bool> checkpoints(const Model& model);

/// Where outputs lie: each layer's own, or shared by those between two checkpoints, by their place there.
struct Outputs {
  std::vector<int64_t> own;      ///< numbers of an image; 0: it has none
  std::vector<int64_t> place;    ///< in `between`; -1: its own
  std::vector<int64_t> between;  ///< numbers of an image
  int64_t total() const;
  /// Calls again(l) for what has to be computed once more, and back(l), from the last layer to the first:
  /// the outputs of the last segment are still there.
  template <class Again, class Back>
  void backward(const Again& again, const Back& back) const {
    const size_t layers = place.size();
    for (size_t end = layers; end > 0;) {
      size_t first = end - 1;
      while (first > 0 && place[first - 1] >= 0) --first;
      for (size_t l = first; end < layers && l + 1 < end; ++l) again(l);
      for (size_t l = end; l-- > first;) back(l);
      end = first;
    }
  }
};
/// pools_fused: a convolution before a pool has no output of its own.
Outputs outputs_of(const Model& model, bool checkpointing, bool pools_fused = false);

}  // namespace ridge::mixed
