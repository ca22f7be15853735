// ridge: flags=-O3
//
// The engine of the integer rungs: bytes times bytes, sums of int32, requantised in the tile (tile.h). Images lie
// in rows with a border of the byte that stands for 0, so that a convolution's tile reads its nine neighbours
// where they are; where channels are no multiple of four, eight pixels' neighbours are copied beside each other.
#include <cstdio>
#include <cstring>

#include "common/harness/measure/isa.h"
#include "kernels/runtime/cpu/team.h"
#include "kernels/quantnet/network.h"
#include "kernels/quantnet/tile.h"

namespace ridge {
namespace {

using quantnet::QuantLayer;
using quantnet::QuantNet;
using Kind = mixed::Layer::Kind;

/// Of a dense layer as many rows as a tile has.
constexpr int64_t kDenseRows = kTileRows;

struct IntegerLayer {
  const QuantLayer* at;
  int inputs4;  ///< inputs, up to a multiple of four
  bool copies;  ///< a row's bytes do not lie in fours
  int border;   ///< of what it reads: 1 for a convolution
  std::vector<int32_t> offsets, start;
  std::vector<int8_t> weights;    ///< [panel][step][16][4]
  std::vector<float> kept;        ///< in their place: [panel][step][4][16]
  std::vector<float> scale, add;  ///< [panel][group][16], [panel][16]
  int steps() const { return inputs4 / 4; }
  int panels() const { return (at->layer.out + kTileOuts - 1) / kTileOuts; }
};

struct IntegerThread {
  std::vector<std::vector<uint8_t>> reads;  ///< what each layer reads, borders and all
  std::vector<uint8_t> acc;                 ///< a convolution's bytes before its pool, one image
};

struct IntegerState {
  const QuantNet* net;
  IntegerTileFunction tile, kept_tile;
  std::vector<IntegerLayer> layers;  ///< pools belong to the convolution before them
  std::vector<IntegerThread> threads;
};

struct Isa {
  const char* name;
  IntegerTileFunction tile, kept_tile;
};

Isa best_isa() {
  std::string reason;
  if (measure::isa_available("avx512bitalg", &reason))
    return {"vpdpbusd", integer_tile_vnni, kept_tile_avx2};
  if (measure::isa_available("avx2", &reason))
    return {"vpmaddwd", integer_tile_avx2, kept_tile_avx2};
  return {"portable", integer_tile_portable, kept_tile_portable};
}

/// Bytes of one image as this layer reads it.
size_t read_bytes(const IntegerLayer& layer) {
  const mixed::Layer& l = layer.at->layer;
  if (l.kind == Kind::dense) return size_t(layer.inputs4);
  return size_t(l.side + 2) * size_t(l.side + 2) * size_t(l.in);
}

void pack(IntegerLayer* layer) {
  const QuantLayer& at = *layer->at;
  const auto inputs = size_t(at.layer.inputs()), out = size_t(at.layer.out);
  const auto steps = size_t(layer->steps()), groups = size_t(at.groups);
  const auto panels = size_t(layer->panels());
  if (at.kept)
    layer->kept.assign(panels * steps * 64, 0);
  else
    layer->weights.assign(panels * steps * 64, 0);
  layer->start.assign(panels * groups * kTileOuts, 0);
  layer->scale.assign(panels * groups * kTileOuts, 0);
  layer->add.assign(panels * kTileOuts, 0);
  for (size_t c = 0; c < out; ++c) {
    const size_t panel = c / kTileOuts, lane = c % kTileOuts;
    layer->add[c] = at.add[c];
    for (size_t i = 0; at.kept && i < inputs; ++i)
      layer->kept[((panel * steps * 4) + i) * kTileOuts + lane] = at.weights[c * inputs + i];
    for (size_t i = 0; !at.kept && i < inputs; ++i)
      layer->weights[(panel * steps + i / 4) * 64 + lane * 4 + i % 4] = at.q[c * inputs + i];
    for (size_t g = 0; g < groups; ++g) {
      layer->start[(panel * groups + g) * kTileOuts + lane] = at.start[c * groups + g];
      layer->scale[(panel * groups + g) * kTileOuts + lane] = at.scale[c * groups + g];
    }
  }
}

IntegerLayer layer_of(const QuantLayer& at) {
  IntegerLayer layer{.at = &at};
  const mixed::Layer& l = at.layer;
  layer.inputs4 = (l.inputs() + 3) / 4 * 4;
  layer.border = l.kind == Kind::conv ? 1 : 0;
  layer.copies = l.kind == Kind::conv && l.in % 4 != 0;
  const int line = (l.side + 2) * l.in;
  for (int k = 0; k < layer.inputs4; k += 4) {
    const bool direct = l.kind == Kind::conv && !layer.copies;
    layer.offsets.push_back(direct ? k / (3 * l.in) * line + k % (3 * l.in) : k);
  }
  pack(&layer);
  return layer;
}

/// All outputs of up to eight rows; bytes or scores begin at `to`, `step` apart.
void multiply(const IntegerState& state, const IntegerLayer& layer, const uint8_t* const* rows,
              int64_t count, uint8_t* bytes, float* scores) {
  const auto steps = size_t(layer.steps()), groups = size_t(layer.at->groups);
  const int out = layer.at->layer.out;
  IntegerTile tile{};
  tile.offsets = layer.offsets.data();
  tile.steps = layer.steps(), tile.group = (layer.at->group + 3) / 4;
  tile.most = static_cast<float>(state.net->most);
  tile.zero = layer.at->in_zero;
  for (int panel = 0; panel < layer.panels(); ++panel) {
    const auto p = size_t(panel);
    if (layer.at->kept)
      tile.kept = &layer.kept[p * steps * 64];
    else
      tile.weights = &layer.weights[p * steps * 64];
    tile.start = &layer.start[p * groups * kTileOuts];
    tile.scale = &layer.scale[p * groups * kTileOuts];
    tile.add = &layer.add[p * kTileOuts];
    tile.outs = std::min(out - panel * kTileOuts, int{kTileOuts});
    for (int64_t r = 0; r < kTileRows; ++r) {  // beyond the last row: the last again
      const int64_t row = std::min(r, count - 1);
      tile.rows[r] = rows[row];
      tile.bytes[r] = bytes == nullptr ? nullptr : bytes + row * out + panel * kTileOuts;
      tile.scores[r] = scores == nullptr ? nullptr : scores + row * out + panel * kTileOuts;
    }
    (layer.at->kept ? state.kept_tile : state.tile)(&tile);
  }
}

/// One image through a convolution: [pixels][out] bytes.
void convolve(const IntegerState& state, const IntegerLayer& layer, const uint8_t* image,
              uint8_t* to) {
  const mixed::Layer& l = layer.at->layer;
  const int64_t pixels = l.pixels(), line = int64_t{l.side + 2} * l.in;
  std::vector<uint8_t> copied(layer.copies ? size_t(kTileRows * layer.inputs4) : 0);
  for (int64_t first = 0; first < pixels; first += kTileRows) {
    const int64_t count = std::min<int64_t>(kTileRows, pixels - first);
    const uint8_t* rows[kTileRows];
    for (int64_t r = 0; r < count; ++r) {
      const int64_t p = first + r;
      rows[r] = image + p / l.side * line + p % l.side * l.in;
      if (!layer.copies) continue;
      uint8_t* row = &copied[size_t(r * layer.inputs4)];
      for (int t = 0; t < 3; ++t)
        std::memcpy(row + 3 * t * l.in, rows[r] + t * line, size_t(3 * l.in));
      rows[r] = row;
    }
    multiply(state, layer, rows, count, to + first * l.out, nullptr);
  }
}

/// Highest of 2 x 2, to an image with a border.
void pool(const mixed::Layer& l, const uint8_t* from, int border, uint8_t* to) {
  const int half = l.side / 2, in = l.in;
  for (int r = 0; r < half; ++r) {
    for (int q = 0; q < half; ++q) {
      const uint8_t* a = from + (2 * r * l.side + 2 * q) * in;
      const uint8_t* b = a + l.side * in;
      uint8_t* high = to + ((r + border) * (half + 2 * border) + q + border) * in;
      for (int c = 0; c < in; ++c) {
        const uint8_t above = a[c] > a[in + c] ? a[c] : a[in + c];
        const uint8_t below = b[c] > b[in + c] ? b[c] : b[in + c];
        high[c] = above > below ? above : below;
      }
    }
  }
}

void load(const IntegerLayer& layer, const uint8_t* pixels, uint8_t* to) {
  if (layer.border == 0) {
    std::memcpy(to, pixels, kGarmentPixels);
    return;
  }
  for (int r = 0; r < kGarmentSide; ++r)
    std::memcpy(to + (r + 1) * (kGarmentSide + 2) + 1, pixels + r * kGarmentSide, kGarmentSide);
}

void classify_few(const IntegerState& state, IntegerThread* thread, const uint8_t* pixels,
                  int64_t count, float* scores) {
  for (int64_t i = 0; i < count; ++i) {
    load(state.layers[0], pixels + i * kGarmentPixels,
         &thread->reads[0][size_t(i) * read_bytes(state.layers[0])]);
  }
  for (size_t l = 0; l < state.layers.size(); ++l) {
    const IntegerLayer& layer = state.layers[l];
    const uint8_t* from = thread->reads[l].data();
    const bool is_last = l + 1 == state.layers.size();
    uint8_t* to = is_last ? nullptr : thread->reads[l + 1].data();
    if (layer.at->layer.kind == Kind::dense) {
      const uint8_t* rows[kTileRows];
      for (int64_t i = 0; i < count; ++i) rows[i] = from + size_t(i) * read_bytes(layer);
      multiply(state, layer, rows, count, to, is_last ? scores : nullptr);
      continue;
    }
    const IntegerLayer& next = state.layers[l + 1];
    const mixed::Layer& pooled = (layer.at + 1)->layer;
    for (int64_t i = 0; i < count; ++i) {
      convolve(state, layer, from + size_t(i) * read_bytes(layer), thread->acc.data());
      pool(pooled, thread->acc.data(), next.border, to + size_t(i) * read_bytes(next));
    }
  }
}

void make_thread(const IntegerState& state, IntegerThread* thread) {
  size_t acc = 0;
  for (const IntegerLayer& layer : state.layers) {
    const auto border = static_cast<uint8_t>(layer.at->in_zero);
    thread->reads.emplace_back(read_bytes(layer) * kDenseRows + 4, border);
    acc = std::max(acc, size_t(layer.at->layer.out_size()));
  }
  thread->acc.resize(acc);
}

}  // namespace

Status prepare_integer(const Shape& shape, Plan* plan) {
  const auto* net = static_cast<const QuantNet*>(shape.constants);
  const Isa isa = best_isa();
  auto* state = new IntegerState{
      .net = net, .tile = isa.tile, .kept_tile = isa.kept_tile, .layers = {}, .threads = {}};
  for (const QuantLayer& at : net->layers) {
    if (at.layer.kind != Kind::pool) state->layers.push_back(layer_of(at));
  }
  plan->state = state;
  plan->release = [](void* memory) { delete static_cast<IntegerState*>(memory); };
  state->threads.resize(size_t(shape.threads));
  for (IntegerThread& thread : state->threads) {
    make_thread(*state, &thread);
    for (const auto& some : thread.reads) plan->workspace_bytes += some.size();
    plan->workspace_bytes += thread.acc.size();
  }
  for (const IntegerLayer& layer : state->layers)
    plan->workspace_bytes += layer.weights.size() + layer.kept.size() * sizeof(float);
  int length = std::snprintf(plan->note, sizeof plan->note, "%s, tiles of %d x %d", isa.name,
                             kTileRows, kTileOuts);
  for (size_t l = 0; l < net->layers.size(); ++l) {
    if (net->layers[l].kept && size_t(length) < sizeof plan->note)
      length += std::snprintf(plan->note + length, sizeof plan->note - size_t(length),
                              ", layer %zu in bf16", l + 1);
  }
  return {};
}

Status launch_integer(const Launch& launch) {
  struct Job {
    const Launch* launch;
    IntegerState* state;
  } job = {&launch, static_cast<IntegerState*>(launch.plan_state)};
  team_run(
      launch.shape.threads,
      [](void* memory, int index) {
        const Job& j = *static_cast<Job*>(memory);
        const int64_t all = j.launch->shape.dim[0];
        const auto* pixels = static_cast<const uint8_t*>(j.launch->buffers[0]);
        auto* scores = static_cast<float*>(j.launch->buffers[1]);
        for (int64_t i = kDenseRows * index; i < all; i += kDenseRows * j.launch->shape.threads) {
          classify_few(*j.state, &j.state->threads[size_t(index)], pixels + i * kGarmentPixels,
                       std::min(kDenseRows, all - i), scores + i * mixed::kClasses);
        }
      },
      &job);
  return {};
}

}  // namespace ridge
