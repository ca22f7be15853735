// ridge: flags=-O2 needs=onednn variants=direct:-DRIDGE_CONV_WINOGRAD=0,winograd:-DRIDGE_CONV_WINOGRAD=1
//
// Idea      The peer: oneDNN's convolution, just-in-time compiled for this shape and this CPU. Its weights are
//           put into its own blocked order once, untimed, as its users do; and so are ours.
// Changed   Everything at once. For images there are two ways: it works on them as they lie, or in the order it
//           likes best, with the copying timed. Both are tried beforehand, and the faster one runs.
// Limits    Direct: the FMA units. Winograd: the transforms' traffic.
// Look at   The note: which of its implementations it took, and whether it copies.
// Accuracy  Direct: componentwise. Winograd: max norm; its F(4 x 4) mixes a patch of pixels (winograd_4x4.cpp).
// Source    oneDNN, convolution_forward, algorithms convolution_direct and convolution_winograd.
#include <oneapi/dnnl/dnnl.hpp>

#include <chrono>
#include <cstdio>
#include <new>

#include "kernels/runtime/problems/conv.h"

extern "C" void omp_set_num_threads(int threads);  // oneDNN runs on OpenMP; no other use of it here

namespace ridge {
namespace {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;
using Tag = dnnl::memory::format_tag;
using Forward = dnnl::convolution_forward;

constexpr auto kFloat = dnnl::memory::data_type::f32;

/// One way to run it: with images as they lie (no copy) or as the library wants them.
struct Way {
  dnnl::memory x, y, f;  ///< as the primitive wants them; x and y empty: the caller's own
  Forward forward;
  bool copy_x = false, copy_y = false;
  std::string name;
};

struct State {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  Desc x, y, bias;
  Way way;
  size_t bytes = 0;
};

Forward::primitive_desc describe(const State& state, const Conv& v, const Desc& x, const Desc& y,
                                 dnnl::algorithm algorithm) {
  const Dims strides = {v.stride, v.stride}, pad = {v.pad, v.pad};
  const Desc f = v.groups == 1 ? Desc({v.m, v.c, v.r, v.s}, kFloat, Tag::any)
                               : Desc({v.groups, v.group_m, v.group_c, v.r, v.s}, kFloat, Tag::any);
  dnnl::primitive_attr attributes;
  dnnl::post_ops after;
  const auto inference = dnnl::prop_kind::forward_inference;
  const Desc bias = v.relu ? state.bias : Desc();
#if DNNL_VERSION_MAJOR >= 3
  if (v.relu) after.append_eltwise(dnnl::algorithm::eltwise_relu, 0, 0);
  attributes.set_post_ops(after);
  return {state.engine, inference, algorithm, x, f, bias, y, strides, pad, pad, attributes};
#else
  if (v.relu) after.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  attributes.set_post_ops(after);
  return {{inference, algorithm, x, f, bias, y, strides, pad, pad}, attributes, state.engine};
#endif
}

Way make_way(State* state, const Conv& v, const void* f, bool as_it_lies,
             dnnl::algorithm algorithm) {
  const Desc any_x({v.n, v.c, v.h, v.w}, kFloat, Tag::any);
  const Desc any_y({v.n, v.m, v.p, v.q}, kFloat, Tag::any);
  const auto made =
      describe(*state, v, as_it_lies ? state->x : any_x, as_it_lies ? state->y : any_y, algorithm);
  Way way;
  way.forward = Forward(made);
  way.name = made.impl_info_str();
  way.copy_x = made.src_desc() != state->x, way.copy_y = made.dst_desc() != state->y;
  if (way.copy_x) way.x = dnnl::memory(made.src_desc(), state->engine);
  if (way.copy_y) way.y = dnnl::memory(made.dst_desc(), state->engine);
  way.f = dnnl::memory(made.weights_desc(), state->engine);
  const Desc plain = v.groups == 1
                         ? Desc({v.m, v.c, v.r, v.s}, kFloat, Tag::oihw)
                         : Desc({v.groups, v.group_m, v.group_c, v.r, v.s}, kFloat, Tag::goihw);
  dnnl::memory from(plain, state->engine, const_cast<void*>(f));
  dnnl::reorder(from, way.f).execute(state->stream, from, way.f);
  state->stream.wait();
  return way;
}

void run(State* state, Way* way, const float* x, const float* bias, float* y) {
  dnnl::memory from(state->x, state->engine, const_cast<float*>(x));
  dnnl::memory to(state->y, state->engine, y);
  dnnl::memory bias_memory(state->bias, state->engine, const_cast<float*>(bias));
  if (way->copy_x) dnnl::reorder(from, way->x).execute(state->stream, from, way->x);
  way->forward.execute(state->stream, {{DNNL_ARG_SRC, way->copy_x ? way->x : from},
                                       {DNNL_ARG_WEIGHTS, way->f},
                                       {DNNL_ARG_BIAS, bias_memory},
                                       {DNNL_ARG_DST, way->copy_y ? way->y : to}});
  if (way->copy_y) dnnl::reorder(way->y, to).execute(state->stream, way->y, to);
  state->stream.wait();
}

/// The fastest of five calls after a first one, in seconds.
double seconds_of(State* state, Way* way, const float* x, const float* bias, float* y) {
  double best = 1e30;
  for (int i = 0; i < 6; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    run(state, way, x, bias, y);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (i > 0 && taken.count() < best) best = taken.count();
  }
  return best;
}

/// Both ways, where the library has both; the faster stays. False: it has neither.
bool choose(State* state, const Conv& v, const ConvConstants& constants,
            dnnl::algorithm algorithm) {
  dnnl::memory x(state->x, state->engine), y(state->y, state->engine);
  auto *from = static_cast<float*>(x.get_data_handle()),
       *to = static_cast<float*>(y.get_data_handle());
  for (size_t i = 0; i < state->x.get_size() / sizeof(float); ++i) from[i] = float(i % 7) - 3;
  double best = 0;
  for (const bool as_it_lies : {false, true}) {
    try {
      Way way = make_way(state, v, constants.f, as_it_lies, algorithm);
      const double taken =
          seconds_of(state, &way, from, static_cast<const float*>(constants.bias), to);
      if (best > 0 && taken >= best) continue;
      best = taken;
      state->way = way;
    } catch (const dnnl::error&) {  // the other way may do
    }
  }
  return best > 0;
}

Status prepare_onednn(const Shape& shape, Plan* plan) {
  const Conv v = conv_shape(&shape);
  const Tag tag = v.layout == kConvNchw   ? Tag::nchw
                  : v.layout == kConvNhwc ? Tag::nhwc
                                          : Tag::nChw16c;
  omp_set_num_threads(shape.threads);
  try {
    auto* state = new State;
    plan->state = state;
    plan->release = [](void* made) { delete static_cast<State*>(made); };
    state->x = Desc({v.n, v.c, v.h, v.w}, kFloat, tag);
    state->y = Desc({v.n, v.m, v.p, v.q}, kFloat, tag);
    state->bias = Desc({v.m}, kFloat, Tag::x);
    const auto& constants = *static_cast<const ConvConstants*>(shape.constants);
    const bool winograd =
        RIDGE_CONV_WINOGRAD && choose(state, v, constants, dnnl::algorithm::convolution_winograd);
    if (!winograd && !choose(state, v, constants, dnnl::algorithm::convolution_direct)) {
      return refuse("oneDNN has no convolution for this shape");
    }
    const Way& way = state->way;
    plan->workspace_bytes = way.f.get_desc().get_size() +
                            (way.copy_x ? way.x.get_desc().get_size() : 0) +
                            (way.copy_y ? way.y.get_desc().get_size() : 0);
    std::snprintf(plan->note, sizeof plan->note, "%s%s%s", way.name.c_str(),
                  RIDGE_CONV_WINOGRAD && !winograd ? ", no Winograd for this shape and CPU" : "",
                  way.copy_x || way.copy_y ? ", copies to its own layout" : "");
  } catch (const std::exception&) {
    return {.what = "oneDNN could not prepare it", .file = __FILE__, .line = __LINE__};
  }
  return {};
}

Status launch_onednn(const Launch& launch) {
  const Conv v = conv_of(&launch);
  auto* state = static_cast<State*>(launch.plan_state);
  omp_set_num_threads(v.threads);
  try {
    run(state, &state->way, v.x, v.bias, v.y);
  } catch (const std::exception&) {
    return {.what = "oneDNN could not run it", .file = __FILE__, .line = __LINE__};
  }
  return {};
}

/// "2.6.3", of the library that was loaded.
const char* onednn_version() {
  static const std::string text = [] {
    const dnnl_version_t* v = dnnl_version();
    return std::to_string(v->major) + '.' + std::to_string(v->minor) + '.' +
           std::to_string(v->patch);
  }();
  return text.c_str();
}

RIDGE_KERNEL(conv, cpu, onednn, .library = "oneDNN", .version = onednn_version,
             .accuracy = RIDGE_CONV_WINOGRAD ? Accuracy::max_norm : Accuracy::componentwise,
             .prepare = prepare_onednn, .launch = launch_onednn);

}  // namespace
}  // namespace ridge
