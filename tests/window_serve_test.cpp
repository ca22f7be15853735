// The views Queue and Workload of the attention lab, and Decode of the quantization lab, with a fake worker.
#include <set>

#include "app/window/views/model_views.h"
#include "app/window/views/serve_view.h"
#include "common/record/derive.h"
#include "common/stats/queue.h"
#include "tests/window_fixture.h"

using namespace ridge;
using namespace ridge::test;

namespace {

float prepare(const char* lab) {
  FakeSession::lab = lab;
  return 1800;
}

struct InLab : Fixture {
  explicit InLab(const char* lab) : Fixture(prepare(lab)) {}
  ~InLab() { FakeSession::lab = "gemm"; }
};
struct Attention : InLab {
  Attention() : InLab("attention") {}
};

}  // namespace

TEST_CASE("Queue: the bar's values are what is asked, the answer is what is drawn", "[window]") {
  Attention f;
  window::select_rung(f.state, "decode.cpu.avx512");
  window::perform(f.state, "queue");
  f.driver->frames(4);
  CHECK_FALSE(window::serve_of(f.state).plot->empty_reason.empty());
  for (const char* widget :
       {"label:queue_batch", "label:queue_wait", "label:queue_limit", "run_serve"}) {
    INFO(widget);
    CHECK(f.driver->find(widget) != nullptr);
  }
  f.state.options.serve.batch_limit = 4, f.state.options.serve.wait_s = 0.002;
  REQUIRE(f.driver->click("run_serve"));
  const WorkRequest request = f.session.last(RequestType::serve);
  REQUIRE(request.kernels.size() == 1);
  CHECK(request.kernels[0].kernel == "decode.cpu.avx512");
  CHECK(request.serve == f.state.options.serve);
  const auto step = [](const std::vector<int64_t>&) -> Result<double> { return 0.001; };
  auto found = stats::serve_loads(request.serve, step, [](const std::string&, double) {});
  REQUIRE(found);
  found->kernel = request.kernels[0].kernel;
  f.session.tell("result", {{"request", request.id}, {"serving", Json(*found)}});
  f.session.finish(request);
  f.driver->frames(4);
  const chart::ChartModel model = window::serve_of(f.state);
  CHECK(model.plot->curves.size() == 4);
  CHECK(model.table.rows.size() == found->points.size() + 1);
  // Another rung was not served yet.
  window::select_rung(f.state, "decode.cpu.split");
  CHECK_FALSE(window::serve_of(f.state).plot->empty_reason.empty());
}

TEST_CASE("Workload: a described model's phases, run and counted in tokens", "[window]") {
  Attention f;
  window::perform(f.state, "workload");
  f.state.options.model.layers = 2, f.state.options.model.batch = 3;
  f.driver->frames(4);
  for (const char* widget :
       {"phase=decode", "label:model_layers", "label:model_inner", "run_workload"}) {
    INFO(widget);
    CHECK(f.driver->find(widget) != nullptr);
  }
  f.state.options.model_decodes = true;
  REQUIRE(f.driver->click("run_workload"));
  const WorkRequest request = f.session.last(RequestType::run);
  REQUIRE(request.kernels.size() == 6);
  CHECK(request.kernels[1].kernel == "decode.cpu.split");
  CHECK(request.kernels[1].params.at("batch") == ParamValue(int64_t{3}));
  CHECK(
      request.kernels[0].kernel.starts_with("gemv.cpu."));  // as beside the other types of weights
  CHECK(request.kernels[0].params.at("batch") == ParamValue(int64_t{3}));
}

TEST_CASE("Two models: one is kept, the other described, and every part of both is compared",
          "[window]") {
  Attention f;
  window::perform(f.state, "models");
  f.state.options.model.layers = 2;
  f.driver->frames(4);
  for (const char* widget : {"label:model_dtype", "label:model_layers", "keep_model"}) {
    INFO(widget);
    CHECK(f.driver->find(widget) != nullptr);
  }
  CHECK_FALSE(window::perform(f.state, "compare_models"));  // with what?
  REQUIRE(f.driver->click("keep_model"));
  f.state.options.model.dtype = "int8";
  f.driver->frames(3);
  REQUIRE(f.driver->click("compare_models"));
  const auto& sequence = f.state.requests.sequence;
  REQUIRE(sequence.is_open());
  const size_t all = sequence.all;
  CHECK(all == 6);  // five products of decoding, and what both do by the same calls
  CHECK(window::progress_headline(f.state) == "Part 1 of 6");
  std::set<std::string> compared;
  for (size_t part = 0; part + 1 < all; ++part) {
    const WorkRequest request = f.session.last(RequestType::compare);
    REQUIRE(request.kernels.size() == 2);
    CHECK(request.kernels[0].params.at("dtype") == ParamValue(std::string("fp32")));
    CHECK(request.kernels[1].params.at("dtype") == ParamValue(std::string("int8")));
    CHECK(request.model.at("candidate.dtype") == ParamValue(std::string("int8")));
    compared.insert(to_string(request.kernels[1].params));
    // One that fails leaves the others.
    f.session.finish(request, part == 1 ? "failed" : "ok");
    f.driver->frames(2);
  }
  CHECK(compared.size() == 5);
  const WorkRequest shared = f.session.last(RequestType::run);
  CHECK(shared.kernels.size() >= 6);
  f.session.finish(shared);
  f.driver->frames(3);
  CHECK_FALSE(f.state.requests.sequence.is_open());
  CHECK(f.state.notice.text.find("Prefill") != std::string::npos);
  CHECK(f.session.count(RequestType::compare) == 5);

  // Cancelled, no part follows.
  REQUIRE(f.driver->click("compare_models"));
  f.session.finish(f.session.last(RequestType::compare), "cancelled");
  f.driver->frames(3);
  CHECK(f.session.count(RequestType::compare) == 6);
  CHECK_FALSE(f.state.requests.sequence.is_open());
}

TEST_CASE("Workload: a part is filled by rungs of its own problem and shape alone", "[window]") {
  Attention f;
  window::select_rung(f.state, "attention.cpu.stored");
  window::perform(f.state, "workload");
  f.state.options.model.layers = 2;
  f.driver->frames(4);
  WorkRequest request = window::request_for(f.state, RequestType::run);
  const auto measure = [&](const std::string& kernel, const Params& params) {
    request.kernels = {{kernel, {}}};  // the fake session resolves a product's alone
    REQUIRE(f.session.send(request));
    request = f.session.last(RequestType::run);
    f.session.measure(request, 0, 66e3);
    Series series = f.state.run().series().back();
    series.params = params;
    f.session.tell("result", {{"request", request.id}, {"series", 0}, {"outcome", series}});
    f.session.finish(request);
    f.driver->frames(3);
  };
  const auto fastest = [&](size_t part) {
    return window::workload_of(f.state).table.rows[part].back();
  };
  // A step of decode, whose parameters contradict no product's; and a product of other extents.
  measure("decode.cpu.avx512", {{"batch", int64_t{1}},
                                {"length", int64_t{4096}},
                                {"dtype", std::string("fp32")},
                                {"threads", int64_t{1}}});
  measure("gemm.cpu.packed_avx2", {{"m", int64_t{256}},
                                   {"n", int64_t{256}},
                                   {"k", int64_t{256}},
                                   {"dtype", std::string("fp32")},
                                   {"threads", int64_t{1}}});
  REQUIRE(f.state.run().series().size() == 2);
  for (size_t part = 0; part < 6; ++part) {
    INFO("part " << part);
    CHECK(fastest(part).empty());
  }
  // What runs a part at its shape is a rung of another lab.
  REQUIRE(f.driver->click("run_workload"));
  request = f.session.last(RequestType::run);
  f.session.measure(request, 0, 5e9);
  f.session.finish(request);
  f.driver->frames(3);
  CHECK(fastest(0) == "10.0 s, threads");
  CHECK(fastest(1).empty());
  CHECK(fastest(2).empty());
}

TEST_CASE("Decode: each type of the described model's weights, run and drawn beside its floor",
          "[window]") {
  InLab f("quant");
  window::perform(f.state, "decode");
  f.state.options.model.layers = 2, f.state.options.model.batch = 3;
  f.driver->frames(4);
  for (const char* widget :
       {"processor=GPU", "label:model_layers", "label:model_inner", "run_decode"}) {
    INFO(widget);
    CHECK(f.driver->find(widget) != nullptr);
  }
  CHECK(f.driver->find("phase=decode") == nullptr);
  std::vector<std::string> kernels;
  const chart::ChartModel empty = window::decode_of(f.state, &kernels);
  CHECK(kernels.size() == decode_types().size());
  CHECK(empty.panels.front().row_reasons.front().find("not run") != std::string::npos);
  REQUIRE(f.driver->click("run_decode"));
  const WorkRequest request = f.session.last(RequestType::run);
  CHECK(model_shape(request.model).layers == 2);
  CHECK(model_shape(request.model).batch == 3);
  CHECK(request.mode == RunMode::measure);  // energy is measured in no other
  REQUIRE(request.kernels.size() >= 5);
  std::set<ParamValue> types;
  for (const KernelRequest& one : request.kernels) {
    CHECK(one.params.at("batch") == ParamValue(int64_t{3}));
    if (one.kernel.starts_with("gemv.")) types.insert(one.params.at("dtype"));
  }
  CHECK(types.size() == 5);  // no CPU rung has fp8
  f.session.finish(request);
  // The other processor: its rungs cannot run here, and the button says so.
  REQUIRE(f.driver->click("processor=GPU"));
  f.driver->frames(2);
  CHECK(window::decodes_on_gpu(f.state));
  CHECK_FALSE(window::run_decode_blocker(f.state).empty());
}

TEST_CASE("what is emulated has a row and a point on the frontier, and no speed", "[window]") {
  InLab f("quant");
  f.driver->key(compat::Key::f5);
  const WorkRequest request = f.session.last(RequestType::run);
  for (size_t i = 0; i < request.kernels.size(); ++i) {
    const std::string& kernel = request.kernels[i].kernel;
    const bool emulated = kernel == "quantnet.cpu.fp16";
    if (kernel != "quantnet.cpu.fp32" && kernel != "quantnet.cpu.bf16" && !emulated) continue;
    Series series = outcome(request.id, int(i), kernel);
    series.params = request.kernels[i].params, series.params["seed"] = int64_t{1};
    series.checks = {check(true)};
    series.checks[0].task = {{"accuracy", 0.9}};
    series.items_per_s = 1000;
    if (emulated)
      series.items_per_s = 0, series.stats.reset(), series.unavailable["stats"] = kEmulated;
    f.session.tell("result", {{"request", request.id}, {"series", int(i)}, {"outcome", series}});
  }
  f.session.finish(request);
  window::perform(f.state, "frontier");
  f.driver->frames(4);
  window::ChartRows rows;
  const chart::ChartModel model = window::centre_chart(f.state, &rows);
  REQUIRE(model.table.rows.size() == 3);
  CHECK(model.table.rows.back().front() == "fp16");
  CHECK(model.table.rows.back().back() == "no speed: emulated");
  const window::RungView* row = window::find_row(f.state.ladder, "quantnet.cpu.fp16");
  REQUIRE(row->series != nullptr);
  CHECK(row->reason.empty());
}

TEST_CASE("labs without a step or a model offer neither", "[window]") {
  Fixture f;
  CHECK_FALSE(window::queue_blocker(f.state).empty());
  CHECK_FALSE(window::serve_blocker(f.state).empty());
  CHECK_FALSE(window::decode_blocker(f.state).empty());
}
