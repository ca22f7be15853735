// The loop explorer's problem: a convolution in nchw and fp32, with a loop order and tile sizes.
#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "kernels/loops/loops.h"
#include "kernels/runtime/problems/posed.h"

namespace ridge {
namespace {

const FamilyDesc& conv_family() {
  return *find_family("conv");
}

/// The conv family's problem; beside its filters, what the learner chose.
class LoopProblem : public PosedProblem {
 public:
  LoopProblem(std::unique_ptr<Problem> conv, const loops::LoopChoice& choice)
      : PosedProblem(std::move(conv)), choice_(choice) {
    choice_.traffic = &traffic_;
  }

  Shape shape() const override {
    Shape shape = PosedProblem::shape();
    choice_.conv = *static_cast<const ConvConstants*>(shape.constants);
    shape.constants = &choice_;
    return shape;
  }
  /// What the cache model expects each level to give, in bytes: "model_l2", "model_l3", "model_memory".
  std::map<std::string, double> work() const override {
    const Shape shape = this->shape();
    const Conv v = conv_shape(&shape);
    const loops::Traffic& traffic = loops::traffic_of(shape);
    std::map<std::string, double> bytes;
    for (size_t level = 0; level < traffic.missed.size(); ++level) {
      const bool last = level + 1 == traffic.missed.size();
      bytes[last ? "model_memory" : "model_l" + std::to_string(level + 2)] =
          traffic.missed[level] * traffic.line_bytes * double(v.n * v.groups);
    }
    return bytes;
  }

 private:
  mutable loops::LoopChoice choice_;
  mutable loops::Traffic traffic_;
};

std::vector<ParamSpec> params() {
  std::vector<ParamSpec> specs = conv_family().params();
  // Its layout is nchw and its type fp32, on one thread.
  std::erase_if(specs, [](const ParamSpec& spec) {
    return spec.name == "layout" || spec.name == "relu" || spec.name == "dtype" ||
           spec.name == "threads";
  });
  ParamSpec order = choice_param("order", "the loops from the outermost to the innermost",
                                 {std::begin(loops::kLoopOrders), std::end(loops::kLoopOrders)});
  order.fallback = std::string("nmhcrsw");
  specs.push_back(order);
  const auto tile = [&](const char* name, const char* help, int64_t fallback) {
    specs.push_back(int_param(name, help, 0, 1 << 16, fallback));
  };
  tile("tile_m", "filters in a tile; 0: all", 16);
  tile("tile_c", "channels in a tile; 0: all", 16);
  tile("tile_h", "rows of the output in a tile; 0: all", 8);
  tile("tile_w", "columns of the output in a tile; 0: all", 0);
  return specs;
}

Result<std::unique_ptr<Problem>> make_problem(const Params& params) {
  RIDGE_TRY(auto conv, conv_family().make_problem(params));
  loops::LoopChoice choice = {};
  const std::string order = param_text(params, "order", "nmhcrsw");
  while (choice.order + 1 < loops::kLoopOrderCount && order != loops::kLoopOrders[choice.order])
    ++choice.order;
  choice.tile_m = param_int(params, "tile_m"), choice.tile_c = param_int(params, "tile_c");
  choice.tile_h = param_int(params, "tile_h"), choice.tile_w = param_int(params, "tile_w");
  return std::unique_ptr<Problem>(std::make_unique<LoopProblem>(std::move(conv), choice));
}

/// Reordered has no tiles: no figure of it says that it had, and no heatmap is drawn over them.
void narrow(std::string_view kernel, std::vector<ParamSpec>* specs) {
  if (kernel.find("reordered") == std::string_view::npos) return;
  std::erase_if(*specs, [](const ParamSpec& spec) { return spec.name.starts_with("tile_"); });
}

std::vector<Params> awkward() {
  return conv_family().awkward();
}
Params shrink(const Params& params, double share) {
  return conv_family().shrink(params, share);
}

RIDGE_FAMILY(loops, .params = params, .make_problem = make_problem, .awkward = awkward,
             .shrink = shrink, .narrow = narrow);

}  // namespace
}  // namespace ridge
