// The seven loops of a convolution in an order of the learner's, in tiles of the learner's: one template,
// instantiated for each order of kLoopOrders. What stands in the middle is a Body, so that the very loops
// that multiply also drive the cache model (cache_model.h).
//
//   for each tile of the sizes that are tiled (m, c, h, w), in the order of the loops
//     for each of the seven indices within the tile, in the same order
//       y[n][m][h][w] += x[n][c][h * stride + r][w * stride + s] * f[m][c][r][s]
//
// x is the image with its zeros around it, so that no index needs a test. Layout: nchw.
#pragma once

#include <cstdint>
#include <utility>

namespace ridge::loops {

enum Axis { kN, kM, kC, kH, kW, kR, kS, kAxes };

struct Nest {
  int64_t count[kAxes];  ///< of the whole
  int64_t tile[kAxes];   ///< at most so many at a time; count: not tiled
  int64_t x_step[kAxes], f_step[kAxes], y_step[kAxes];  ///< floats from one index to the next
};

/// Where the innermost loop starts: offsets in floats, and how often it goes round.
struct Place {
  int64_t x = 0, f = 0, y = 0;
};

template <int... kOrder>
struct Order {
  /// Calls body.template run<axis>(nest, place, count) for every round of the innermost loop; false from it
  /// ends everything.
  template <class Body>
  static bool run(const Nest& nest, Body& body) {
    int64_t count[kAxes];
    for (int i = 0; i < kAxes; ++i) count[i] = nest.count[i];
    return tiles<Body, kOrder...>(nest, body, Place{}, count);
  }

 private:
  static Place moved(const Nest& nest, int axis, Place at, int64_t by) {
    return {at.x + by * nest.x_step[axis], at.f + by * nest.f_step[axis],
            at.y + by * nest.y_step[axis]};
  }

  template <class Body, int kAxis, int... kRest>
  static bool tiles(const Nest& nest, Body& body, Place at, int64_t* count) {
    const int64_t tile = nest.tile[kAxis], all = nest.count[kAxis];
    for (int64_t i = 0; i < all; i += tile) {
      count[kAxis] = all - i < tile ? all - i : tile;
      const Place here = moved(nest, kAxis, at, i);
      bool go_on;
      if constexpr (sizeof...(kRest) > 0) {
        go_on = tiles<Body, kRest...>(nest, body, here, count);
      } else {
        go_on = points<Body, kOrder...>(nest, body, here, count);
      }
      if (!go_on) return false;
    }
    return true;
  }

  template <class Body, int kAxis, int... kRest>
  static bool points(const Nest& nest, Body& body, Place at, const int64_t* count) {
    if constexpr (sizeof...(kRest) == 0) {
      return body.template run<kAxis>(nest, at, count[kAxis]);
    } else {
      for (int64_t i = 0; i < count[kAxis]; ++i) {
        if (!points<Body, kRest...>(nest, body, moved(nest, kAxis, at, i), count)) return false;
      }
      return true;
    }
  }
};

/// The orders there are, outermost first; a letter for a loop.
inline constexpr const char* kLoopOrders[] = {"nmhwcrs", "nmchwrs", "nmcrshw", "nmhcrsw",
                                              "nhmcrsw", "nchrsmw", "ncrsmhw", "nhwcrsm"};
inline constexpr int kLoopOrderCount = 8;

template <class Body>
bool run_order(int order, const Nest& nest, Body& body) {
  switch (order) {
    case 0:
      return Order<kN, kM, kH, kW, kC, kR, kS>::run(nest, body);
    case 1:
      return Order<kN, kM, kC, kH, kW, kR, kS>::run(nest, body);
    case 2:
      return Order<kN, kM, kC, kR, kS, kH, kW>::run(nest, body);
    case 3:
      return Order<kN, kM, kH, kC, kR, kS, kW>::run(nest, body);
    case 4:
      return Order<kN, kH, kM, kC, kR, kS, kW>::run(nest, body);
    case 5:
      return Order<kN, kC, kH, kR, kS, kM, kW>::run(nest, body);
    case 6:
      return Order<kN, kC, kR, kS, kM, kH, kW>::run(nest, body);
    default:
      return Order<kN, kH, kW, kC, kR, kS, kM>::run(nest, body);
  }
}

}  // namespace ridge::loops
