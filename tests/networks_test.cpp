// The networks of a score card: their arithmetic against the models themselves, which of them answer to one input, and a
// worker that asks all of them. On synthetic garments.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/query/networks.h"
#include "common/harness/data/fashion_mnist.h"
#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "common/stats/answers.h"
#include "kernels/mlp/network.h"
#include "kernels/quantnet/recipes.h"
#include "kernels/runtime/networks/model.h"
#include "kernels/runtime/weightless/network.h"
#include "labs/lab.h"
#include "tests/program.h"
#include "tests/rung_here.h"
#include "tests/worker_process.h"

using namespace ridge;
using namespace ridge::test;

namespace {

/// Neither the machine's data nor its cache of models.
struct Apart {
  Folder folder;
  Apart() {
    setenv("RIDGEPOINT_DATA", (folder / "none").c_str(), 1);
    setenv("XDG_CACHE_HOME", folder.path.c_str(), 1);
  }
};
const Apart apart;

const Network& network(const std::string& title) {
  for (const Network& one : find_lab("weightless")->score_card->networks) {
    if (one.title == title) return one;
  }
  FAIL("no network is called " << title);
  std::abort();
}

NetworkArithmetic arithmetic(const std::string& title, const Params& params = {}) {
  return network(title).arithmetic(params);
}

/// Multiplications of one image, and the numbers that lie between two layers, the most at once.
struct Counted {
  double products = 0, between = 0;
};
Counted counted(const mixed::Model& model) {
  Counted counted;
  for (const mixed::Layer& layer : model.layers) {
    counted.products += double(layer.weights()) * double(layer.pixels());
    counted.between = std::max(counted.between, double(layer.in_size() + layer.out_size()));
  }
  return counted;
}

template <class T>
double bytes_of(const std::vector<T>& values) {
  return double(values.size() * sizeof(T));
}

}  // namespace

TEST_CASE("a LUT network weighs what its tables, its wiring and its thresholds do") {
  const auto made = weightless::random_network(2000, 3, 1);
  const auto found = arithmetic("LUT network", {{"luts", int64_t{2000}}, {"bits", int64_t{3}}});
  CHECK(found.model_bytes ==
        bytes_of(made.tables) + bytes_of(made.wiring) + bytes_of(made.thresholds));
  CHECK(found.operations.look_ups == 2000);
  CHECK(found.operations.multiplications == 0);
  CHECK(found.operations.bits == made.features());
}

TEST_CASE("the perceptrons weigh what they hold, and multiply once a weight") {
  const FamilyDesc* family = find_family("mlp");
  REQUIRE(family != nullptr);
  const auto made = mlp::train({.epochs = 0, .seed = 1}, garments().train, 1, nullptr);
  const double weights = double(made->w1.size() + made->w2.size());
  const double biases = bytes_of(made->b1) + bytes_of(made->b2);
  const auto fp32 = arithmetic("Perceptron, fp32"), bf16 = arithmetic("Perceptron, bf16"),
             int8 = arithmetic("Perceptron, int8");
  CHECK(fp32.model_bytes == 4 * weights + biases);
  CHECK(bf16.model_bytes == 2 * weights + biases);
  CHECK(int8.model_bytes == bytes_of(made->q1) + bytes_of(made->q2) + bytes_of(made->scale) +
                                bytes_of(made->offset) + bytes_of(made->q_b2));
  CHECK(fp32.operations.multiplications == weights);
  CHECK(int8.operations.multiplications == weights + double(made->scale.size()));
  CHECK(2 * fp32.operations.multiplications ==
        (*family->make_problem({{"images", int64_t{1}}, {"mlp_epochs", int64_t{0}}}))->flop());
}

TEST_CASE(
    "the CNN weighs what the quantization lab's check says, and its products are its layers'") {
  for (const int64_t width : {64, 256}) {
    const Params params = {{"width", width}, {"train_epochs", int64_t{0}}};
    const Counted counts = counted(mixed::make_model("cnn", static_cast<int>(width) / 16, 1));
    const auto weight_of = [&](const char* kernel) {
      std::vector<ParamSpec> specs = quantnet::family_params();
      quantnet::narrow(kernel, &specs);
      const auto full = resolve_params(specs, params, "quantnet");
      REQUIRE(full);
      return (*quantnet::stored_net(quantnet::asked_of(*full), nullptr))->weight_bytes;
    };
    const auto fp32 = arithmetic("CNN, fp32", params), int8 = arithmetic("CNN, int8", params);
    CHECK(fp32.model_bytes == weight_of("quantnet.cpu.fp32"));
    CHECK(int8.model_bytes == weight_of("quantnet.cpu.int8_channel"));
    CHECK(fp32.operations.multiplications == counts.products);
    CHECK(fp32.working_bytes == 4 * counts.between);
    CHECK(int8.working_bytes == counts.between);
  }
}

TEST_CASE("what fits a microcontroller is flash and RAM, and what does not says by how much") {
  const Lab& lab = *find_lab("weightless");
  const chart::ScoreOptions options = app::score_options(lab);
  REQUIRE(options.devices.size() == 2);
  const auto fits = [&](const std::string& title, size_t device) {
    chart::ScoreRow row;
    const Params params = {{"luts", int64_t{2000}}, {"bits", int64_t{3}}};
    app::fill_arithmetic(network(title), &params, "", &row);
    return chart::fits_text(row, options.devices[device]);
  };
  CHECK(fits("LUT network", 0) == "fits");
  CHECK(fits("CNN, fp32", 0) == "no: RAM 3.06×");  // and its weights do
  CHECK(fits("CNN, fp32", 1) == "fits");
  CHECK(fits("CNN, int8", 0) == "fits");
  CHECK(fits("Perceptron, fp32", 1).starts_with("no: flash"));
  CHECK(fits("Perceptron, int8", 1) == "fits");
}

TEST_CASE("who answers: each network once, those of the lab in view first") {
  const auto quant = app::answerers(*find_lab("quant"));
  const auto weightless = app::answerers(*find_lab("weightless"));
  CHECK(quant.size() == weightless.size());
  CHECK(quant.front().kernels == std::vector<std::string>{"quantnet.cpu.fp32"});
  CHECK(weightless.front().title == "LUT network");
  CHECK(std::get<std::string>(weightless.front().params.at("from")) == "pixels");
  size_t recipes = 0;
  std::vector<std::string> kernels;
  for (const app::Answerer& one : quant) {
    CHECK(std::get<int64_t>(one.params.at("images")) == 1);
    kernels.insert(kernels.end(), one.kernels.begin(), one.kernels.end());
    // Another architecture than x86 has no recipe of a network whose rungs all are of x86.
    const bool is_here =
        test::kIsX86 || std::any_of(one.kernels.begin(), one.kernels.end(),
                                    [](const std::string& id) { return find_kernel(id); });
    recipes += one.lab->id == std::string("quant") && is_here ? 1 : 0;
  }
  CHECK(recipes == registered_recipes().size());
  std::sort(kernels.begin(), kernels.end());
  CHECK(std::adjacent_find(kernels.begin(), kernels.end()) == kernels.end());
}

namespace {

/// A worker whose networks learn next to nothing, in a moment.
Json ask(Worker& worker, int id, const std::vector<uint8_t>& input, bool trains) {
  const Params little = {
      {"luts", int64_t{100}},      {"bits", int64_t{1}},         {"candidates", int64_t{1}},
      {"epochs", int64_t{1}},      {"halve", int64_t{0}},        {"train_images", int64_t{500}},
      {"mlp_epochs", int64_t{1}},  {"train_epochs", int64_t{1}}, {"width", int64_t{16}},
      {"calibration", int64_t{4}}, {"model", std::string("mlp")}};
  Json request = {{"type", "inspect"}, {"id", id},         {"lab", "weightless"},
                  {"answers", true},   {"trains", trains}, {"input", input}};
  for (const app::Answerer& one : app::answerers(*find_lab("weightless"))) {
    const std::string& kernel = one.kernels.back();  // what any CPU runs
    const FamilyDesc* family = find_family(family_of(kernel));
    std::vector<ParamSpec> specs = family->params();
    if (family->narrow) family->narrow(kernel, &specs);
    Params params = one.params;
    for (const ParamSpec& spec : specs) {
      if (const auto found = little.find(spec.name); found != little.end())
        params[spec.name] = found->second;
    }
    if (const KernelDesc* found = find_kernel(kernel); found && family_of(kernel) == "mlp")
      params["dtype"] = std::string(found->dtypes);
    request["kernels"].push_back({{"kernel", kernel}, {"params", params_to_json(params)}});
  }
  worker.send(request);
  return worker.until("done", id);
}

std::vector<ModelAnswer> answers_of(const Worker& worker, int id) {
  for (const Json& line : worker.of_type("result")) {
    if (line.value("request", -1) != id || !line.contains("inspection")) continue;
    Inspection look;
    from_json(line["inspection"], look);
    CHECK(look.of == "answers");
    return look.answers;
  }
  return {};
}

}  // namespace

TEST_CASE("a worker asks every network: what is not trained says so, then all answer, at once") {
  Worker worker("RIDGE_WORKER");
  const uint8_t* image = garments().test.image(17);
  std::vector<uint8_t> input(image, image + kGarmentPixels);
  REQUIRE(ask(worker, 1, input, false)["status"] == "ok");
  for (const ModelAnswer& one : answers_of(worker, 1)) {
    INFO(one.kernel << ": " << one.why);
    CHECK_FALSE(one.prediction);
    CHECK((one.needs_training || one.why.find("needs avx") == 0));
  }
  REQUIRE(ask(worker, 2, input, true)["status"] == "ok");
  const auto trained = answers_of(worker, 2);
  REQUIRE(trained.size() > 20);
  const auto check = [&](const std::vector<ModelAnswer>& all) {
    for (const ModelAnswer& one : all) {
      INFO(one.kernel << ": " << one.why);
      CHECK_FALSE(one.needs_training);
      if (one.why.find("needs avx") == 0) continue;
      REQUIRE(one.prediction);
      CHECK(one.runner_up != one.prediction);
      CHECK(one.margin >= 0);
      CHECK(one.call_ns.has_value() == one.why.empty());
      CHECK((one.why.empty() || one.why == "emulated: it has no speed"));
      CHECK(one.start == (family_of(one.kernel) == "wisard" || family_of(one.kernel) == "bloom"
                              ? "encoded bits"
                              : "pixels"));
    }
  };
  check(trained);
  // A drawing: other pixels, other scores, and nothing is trained for it.
  std::reverse(input.begin(), input.end());
  REQUIRE(ask(worker, 3, input, false)["status"] == "ok");
  const auto drawn = answers_of(worker, 3);
  check(drawn);
  const auto phases = worker.of_type("phase");
  CHECK(std::count_if(phases.begin(), phases.end(),
                      [](const Json& line) { return line["request"] == 3; }) == 0);
  // The same input again: the same answers, by networks that kept nothing of the drawing.
  std::reverse(input.begin(), input.end());
  REQUIRE(ask(worker, 4, input, false)["status"] == "ok");
  const auto again = answers_of(worker, 4);
  size_t differ = 0;
  for (size_t i = 0; i < again.size(); ++i) {
    CHECK(again[i].prediction == trained[i].prediction);
    CHECK(again[i].score == trained[i].score);
    differ += drawn[i].score != trained[i].score ? 1 : 0;
  }
  CHECK(differ > again.size() / 2);
  CHECK(worker.longest_line() < 64 * 1024);
}

TEST_CASE("answers to nothing, or to an input of another size, are one sentence each") {
  Worker worker("RIDGE_WORKER");
  Json request = {{"type", "inspect"}, {"id", 1}, {"lab", "weightless"}, {"answers", true}};
  request["kernels"] = {{{"kernel", "weightless.cpu.naive"},
                         {"params", {{"images", 1}, {"from", "pixels"}, {"epochs", 0}}}}};
  worker.send(request);
  CHECK(worker.until("done", 1)["status"] == "failed");
  REQUIRE(worker.of_type("error").size() == 1);
  CHECK(worker.of_type("error")[0]["error"]["what"] == "there is no input to answer to");
  request["id"] = 2, request["input"] = {1, 2, 3};
  worker.send(request);
  CHECK(worker.until("done", 2)["status"] == "ok");
  CHECK(answers_of(worker, 2).front().why == "it takes no input of 3 bytes");
  // Two kernels, and no word of answers: inspect looks into one.
  request["id"] = 3, request["answers"] = false;
  request["kernels"].push_back(request["kernels"][0]);
  worker.send(request);
  CHECK(worker.until("done", 3)["status"] == "failed");
}

TEST_CASE("a kept model of another version, or a damaged one, is trained again with a word") {
  const Folder folder;
  const auto phases = [&](const char* what) {
    Worker worker("RIDGE_WORKER", {{"XDG_CACHE_HOME", folder.path.string()}});
    worker.send(
        {{"type", "inspect"},
         {"id", 1},
         {"lab", "weightless"},
         {"answers", true},
         {"trains", true},
         {"input", std::vector<int>(kGarmentPixels, 1)},
         {"kernels",
          {{{"kernel", "mlp.cpu.sgemm"}, {"params", {{"images", 1}, {"mlp_epochs", 6}}}}}}});
    REQUIRE(worker.until("done", 1)["status"] == "ok");
    const auto lines = worker.of_type("phase");
    return std::any_of(lines.begin(), lines.end(), [&](const Json& line) {
      return line.value("text", "").find(what) != std::string::npos;
    });
  };
  CHECK(phases("training the perceptron, once"));
  const auto kept = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(folder / "ridgepoint/models"))
      if (entry.path().filename().string().starts_with("mlp-v")) return entry.path();
    return std::filesystem::path();
  };
  const auto file = kept();
  REQUIRE_FALSE(file.empty());
  CHECK_FALSE(phases("training"));  // it is there
  std::string old = file.filename().string();
  old.replace(old.find("-v") + 2, 1, "1");
  std::filesystem::rename(file, file.parent_path() / old);
  CHECK(phases("the kept model is of another version: training the perceptron, once"));
  std::ofstream(file, std::ios::trunc) << "nothing";
  CHECK(phases("the kept model is damaged: training the perceptron, once"));
}
