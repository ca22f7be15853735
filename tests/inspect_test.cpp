// A look inside a model: what the worker answers to `inspect`, held against the definition, the naive rung,
// and counting by hand; how a run keeps it; and the command that prints it.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

#include "common/core/random.h"
#include "common/harness/kernel/registry.h"
#include "common/record/run.h"
#include "kernels/runtime/weightless/inspect.h"
#include "kernels/runtime/weightless/model_store.h"
#include "kernels/runtime/weightless/weightless.h"
#include "kernels/wisard/model.h"
#include "labs/lab.h"
#include "tests/program.h"
#include "tests/skip.h"
#include "tests/worker_process.h"

using namespace ridge;
using namespace ridge::test;

namespace {

/// A network that learns something in a moment, of synthetic garments, kept in a folder of its own. The
/// same in this process and in its workers.
struct Models {
  Folder folder;
  Models() {
    setenv("RIDGEPOINT_DATA", (folder / "none").c_str(), 1);
    setenv("XDG_CACHE_HOME", folder.path.c_str(), 1);
  }
};
const Params& small_network() {
  static const Models models;
  static const Params params = {{"luts", int64_t{200}},     {"bits", int64_t{2}},
                                {"candidates", int64_t{8}}, {"epochs", int64_t{1}},
                                {"halve", int64_t{0}},      {"train_images", int64_t{2000}}};
  return params;
}

std::shared_ptr<const weightless::LutNetwork> network() {
  auto found = weightless::stored_network(small_network(), nullptr);
  REQUIRE(found);
  return *found;
}

/// One for all cases: making its synthetic garments takes longer than the cases do.
Worker& the_worker() {
  small_network();  // its settings
  static Worker worker("RIDGE_WORKER");
  return worker;
}

Json look_at(const std::string& kernel, const Params& params, Json more = Json::object()) {
  more["type"] = "inspect";
  more["id"] = 1;
  more["lab"] = "weightless";
  more["kernels"] = {{{"kernel", kernel}, {"params", params_to_json(params)}}};
  return more;
}

Inspection answer(Worker& worker, const Json& request) {
  worker.send(request);
  Inspection found;
  const Json line = worker.until("result", 1);
  REQUIRE(line.is_object());
  REQUIRE(line.contains("inspection"));
  from_json(line["inspection"], found);
  CHECK(worker.until("done", 1)["status"] == "ok");
  return found;
}

Json refusal(Worker& worker, const Json& request) {
  worker.send(request);
  const Json error = worker.until("error", 1)["error"];
  CHECK(worker.until("done", 1)["status"] == "failed");
  return error;
}

/// The class that the naive rung finds, through its own launch.
int naive_class(const weightless::LutNetwork& net, const uint8_t* pixels) {
  const KernelDesc* kernel = find_kernel("weightless.cpu.naive");
  const LutModel model = {net.luts,
                          net.bits,
                          net.features(),
                          net.luts_per_class(),
                          net.thresholds.data(),
                          net.wiring.data(),
                          net.tables.data()};
  Shape shape;
  shape.dim[kLutImages] = 1;
  shape.dim[kLutFromPixels] = 1;
  shape.constants = &model;
  uint8_t found = 99;
  void* buffers[] = {const_cast<uint8_t*>(pixels), nullptr, nullptr, &found};
  REQUIRE(kernel->launch({.shape = shape, .buffers = buffers}).ok());
  return found;
}

bool bit_of(const weightless::LutNetwork& net, int lut, int pin, const uint8_t* pixels) {
  const int feature = net.wiring[size_t(lut * 6 + pin)];
  return pixels[feature / net.bits] > net.thresholds[size_t(feature)];
}

}  // namespace

TEST_CASE("the prediction is the naive rung's, on test images and on what was drawn") {
  const auto net = network();
  Worker& worker = the_worker();
  const uint64_t key = random_key(5);
  std::vector<int> found(10);
  for (uint64_t i = 0; i < 20; ++i) {
    const auto image = int64_t(random_below(key, i, uint32_t(garments().test.count())));
    const uint8_t* pixels = garments().test.image(image);
    std::vector<int> drawn(pixels, pixels + 784);
    if (i % 2 != 0) std::reverse(drawn.begin(), drawn.end());  // no image of the set
    const std::vector<uint8_t> bytes(drawn.begin(), drawn.end());
    const Inspection look =
        answer(worker, look_at("weightless.cpu.mux_portable", small_network(),
                               i % 2 != 0 ? Json{{"input", drawn}} : Json{{"input", image}}));
    INFO("image " << image);
    REQUIRE(look.prediction);
    CHECK(*look.prediction == naive_class(*net, bytes.data()));
    CHECK(look.of == (i % 2 != 0 ? "drawn" : "test"));
    CHECK(look.label.has_value() == (i % 2 == 0));
    if (look.label) CHECK(*look.label == garments().test.labels[size_t(image)]);
    CHECK(look.note.find("synthetic") != std::string::npos);
    REQUIRE(look.call_ns);
    CHECK(*look.call_ns > 0);
    const InspectionPlane* votes = look.plane("votes");
    REQUIRE(votes);
    REQUIRE(votes->values.size() == 200);
    for (size_t c = 0; c < 10; ++c) {
      const auto row = votes->values.begin() + std::ptrdiff_t(c) * 20;
      CHECK(look.scores[c] == std::accumulate(row, row + 20, 0));
    }
    ++found[size_t(*look.prediction)];
  }
  CHECK(std::count(found.begin(), found.end(), 0) < 9);  // it tells some apart
}

TEST_CASE("a LUT: the entry that is addressed, its pins, and who looks at a pixel") {
  const auto net = network();
  Worker& worker = the_worker();
  const uint8_t* pixels = garments().test.image(7);
  for (const int lut : {0, 37, 199}) {
    const Inspection look = answer(
        worker, look_at("weightless.cpu.naive", small_network(), {{"input", 7}, {"unit", lut}}));
    int address = 0;
    for (int pin = 0; pin < 6; ++pin) address |= bit_of(*net, lut, pin, pixels) << pin;
    const InspectionPlane* table = look.plane("table");
    REQUIRE(table);
    REQUIRE(table->values.size() == 64);
    for (int a = 0; a < 64; ++a)
      CHECK(table->values[size_t(a)] == int(net->tables[size_t(lut)] >> a & 1));
    REQUIRE(table->marks.size() == 1);
    CHECK(table->marks[0].cell == address);
    CHECK(look.plane("votes")->values[size_t(lut)] == table->values[size_t(address)]);
    const InspectionPlane* pins = look.plane("pins");
    REQUIRE(pins);
    REQUIRE(pins->marks.size() == 6);
    for (int pin = 0; pin < 6; ++pin) {
      const PlaneMark& mark = pins->marks[size_t(pin)];
      CHECK(mark.cell == net->wiring[size_t(lut * 6 + pin)] / net->bits);
      CHECK(mark.value == int(bit_of(*net, lut, pin, pixels)));
      CHECK(mark.label.back() == (bit_of(*net, lut, pin, pixels) ? '1' : '0'));
    }
  }
  const int place = net->wiring[600] / net->bits;
  const Inspection look =
      answer(worker, look_at("weightless.cpu.naive", small_network(), {{"place", place}}));
  std::vector<int64_t> expected;
  for (int lut = 0; lut < net->luts; ++lut) {
    const auto pin = net->wiring.begin() + lut * 6;
    if (std::any_of(pin, pin + 6, [&](int f) { return f / net->bits == place; }))
      expected.push_back(lut);
  }
  CHECK(look.lookers == expected);
  CHECK(look.unit == expected.front());
  CHECK(look.of == "model");
}

TEST_CASE("wiring: every pin is counted once, for all and for its class") {
  const auto net = network();
  Worker& worker = the_worker();
  const Inspection look = answer(worker, look_at("weightless.cpu.naive", small_network()));
  std::vector<std::vector<int>> counts(11, std::vector<int>(784));
  for (size_t pin = 0; pin < net->wiring.size(); ++pin) {
    const size_t pixel = net->wiring[pin] / size_t(net->bits);
    ++counts[0][pixel];
    ++counts[1 + pin / 6 / size_t(net->luts_per_class())][pixel];
  }
  std::vector<const InspectionPlane*> planes;
  for (const InspectionPlane& plane : look.planes)
    if (plane.group == "wiring") planes.push_back(&plane);
  REQUIRE(planes.size() == 11);
  for (size_t i = 0; i < 11; ++i) {
    CHECK(planes[i]->values == counts[i]);
    CHECK(planes[i]->high >= 1);
  }
  CHECK_FALSE(look.prediction);
  CHECK(look.scores.empty());
}

TEST_CASE("the first that is wrong, from an image on and round the set") {
  const auto net = network();
  const ImageSet& test = garments().test;
  const Inspection look = answer(the_worker(), look_at("weightless.cpu.naive", small_network(),
                                                       {{"input", 50}, {"wrong", true}}));
  int64_t expected = 50;
  while (weightless::predict_one(*net, test.image(expected)) == test.labels[size_t(expected)])
    ++expected;
  CHECK(look.input == expected);
  CHECK(look.prediction != look.label);
  // Six images that it gets right but the third; and then all.
  Garments six;
  six.test.pixels.assign(test.pixels.begin(), test.pixels.begin() + 6 * kGarmentPixels);
  for (int i = 0; i < 6; ++i)
    six.test.labels.push_back(uint8_t(weightless::predict_one(*net, test.image(i))));
  const uint8_t right = six.test.labels[2];
  six.test.labels[2] = uint8_t((right + 1) % 10);
  for (const int64_t from : {0, 2, 3, 5}) {
    const auto found = weightless::inspect_network(*net, six, {.input = from, .wrong = true});
    REQUIRE(found);
    CHECK(found->input == 2);
  }
  six.test.labels[2] = right;
  const auto none = weightless::inspect_network(*net, six, {.input = 1, .wrong = true});
  REQUIRE(!none);
  CHECK(none.error().what.find("right") != std::string::npos);
}

TEST_CASE("a mental image is what counting the images gives") {
  // Seven images of two classes, every pixel its own pattern; bits are pixel > its median.
  ImageSet set;
  for (int i = 0; i < 7; ++i) {
    for (int p = 0; p < 784; ++p)
      set.pixels.push_back(uint8_t(mix_bits(uint64_t(i * 784 + p)) & 255));
    set.labels.push_back(i < 4 ? 3 : 8);
  }
  std::vector<int32_t> all(7);
  std::iota(all.begin(), all.end(), 0);
  const wisard::Wisard plain = wisard::train_wisard(set, all, 2, 5, 0, 3);
  const auto rows = weightless::encode_rows(set.pixels.data(), 7, plain.thresholds);
  const auto bit = [&](int64_t image, int feature) {
    return double(rows.row(image)[feature / 64] >> (feature % 64) & 1);
  };
  for (const auto& [c, first, end] : {std::tuple{3, 0, 4}, std::tuple{8, 4, 7}}) {
    const std::vector<double> image = wisard::mental_image(plain, c);
    for (int p = 0; p < 784; ++p) {
      double sum = 0;
      for (int i = first; i < end; ++i) sum += bit(i, 2 * p) + bit(i, 2 * p + 1);
      if (std::abs(image[size_t(p)] - sum / (2.0 * (end - first))) > 1e-12) FAIL("pixel " << p);
    }
  }
  for (const double share : wisard::mental_image(plain, 0)) CHECK(share == 0);  // never seen
  // Bleached: of each RAM only the addresses that two or more of the four images share.
  wisard::Wisard bleached = plain;
  bleached.bleach = 1;
  const std::vector<double> image = wisard::mental_image(bleached, 3);
  std::vector<double> expected(784);
  const WisardModel model = bleached.model();
  std::vector<double> with(1568), counted(1568);
  for (int ram = 0; ram < model.rams; ++ram) {
    std::map<uint32_t, int> seen_here;
    for (int i = 0; i < 4; ++i) ++seen_here[ram_address(&model, ram, rows.row(i))];
    for (int i = 0; i < 4; ++i) {
      if (seen_here[ram_address(&model, ram, rows.row(i))] < 2) continue;
      for (int t = 0; t < 5; ++t) {
        const int feature = model.order[ram * 5 + t];
        with[size_t(feature)] += bit(i, feature);
        ++counted[size_t(feature)];
      }
    }
  }
  for (size_t f = 0; f < 1568; ++f)
    if (counted[f] > 0) expected[f / 2] += with[f] / counted[f] / 2;
  for (int p = 0; p < 784; ++p)
    if (std::abs(image[size_t(p)] - expected[size_t(p)]) > 1e-12) FAIL("bleached, pixel " << p);
}

TEST_CASE("WiSARD through the worker: ten pictures, votes, and what training saw of an address") {
  const Params params = {{"tuple", int64_t{6}},
                         {"bits", int64_t{1}},
                         {"bleach", int64_t{2}},
                         {"train_images", int64_t{500}}};
  small_network();  // its data
  std::vector<int32_t> which(500);
  std::iota(which.begin(), which.end(), 0);
  const wisard::Wisard trained = wisard::train_wisard(garments().train, which, 1, 6, 2, 1);
  Worker& worker = the_worker();
  const Inspection model = answer(worker, look_at("wisard.cpu.packed", params));
  for (int c = 0; c < 10; ++c) {
    const InspectionPlane& plane = model.planes[size_t(c)];
    CHECK(plane.name == kGarmentNames[c]);
    const auto expected = wisard::mental_image(trained, c);
    for (size_t p = 0; p < 784; ++p)
      if (std::abs(plane.values[p] * plane.step - expected[p]) > 0.00051) FAIL("pixel " << p);
  }
  const Inspection look =
      answer(worker, look_at("wisard.cpu.packed", params, {{"input", 11}, {"unit", 9}}));
  const auto rows = weightless::encode_rows(garments().test.image(11), 1, trained.thresholds);
  int scores[10];
  CHECK(look.prediction == wisard::predict_one(trained, rows.row(0), scores));
  const WisardModel ram = trained.model();
  const InspectionPlane *votes = look.plane("votes"), *counts = look.plane("seen");
  REQUIRE(votes);
  REQUIRE(counts);
  for (int c = 0; c < 10; ++c) {
    CHECK(look.scores[size_t(c)] == scores[c]);
    const auto row = votes->values.begin() + c * ram.rams;
    CHECK(std::accumulate(row, row + ram.rams, 0) == scores[c]);
    CHECK(counts->values[size_t(c)] == seen(&ram, c, 9, ram_address(&ram, 9, rows.row(0))));
    const bool marked = std::any_of(counts->marks.begin(), counts->marks.end(),
                                    [&](const PlaneMark& mark) { return mark.cell == c; });
    CHECK(marked == (counts->values[size_t(c)] > 2));
  }
}

TEST_CASE("attention through the worker: a head's map, and a query's scores, weights and softmax") {
  Worker& worker = the_worker();
  const Params params = {{"sequence", int64_t{200}}, {"d", int64_t{16}}};
  const auto sum_of = [](const InspectionPlane& plane) {
    return std::accumulate(plane.values.begin(), plane.values.end(), 0) * plane.step;
  };
  const Inspection head = answer(worker, look_at("attention.cpu.stored", params));
  CHECK(head.of == "model");
  CHECK(head.inputs == 200);
  REQUIRE(head.plane("attention map"));
  CHECK(head.plane("attention map")->rows == 64);
  CHECK(sum_of(*head.plane("attention map")) == Approx(64).epsilon(0.01));  // a row adds up to 1
  for (const char* causal : {"no", "yes"}) {
    Params masked = params;
    masked["causal"] = std::string(causal);
    const Inspection look =
        answer(worker, look_at("attention.cpu.stored", masked, {{"input", 99}}));
    INFO(causal);
    CHECK(look.of == "test");
    CHECK(look.input == 99);
    CHECK(look.classes.empty());
    const int keys = std::string(causal) == "yes" ? 100 : 200, blocks = (keys + 63) / 64;
    const InspectionPlane *scores = look.plane("scores"), *weights = look.plane("weights"),
                          *steps = look.plane("online softmax");
    REQUIRE(scores);
    REQUIRE(weights);
    REQUIRE(steps);
    CHECK(scores->rows == blocks);
    CHECK(scores->columns == 64);
    CHECK(sum_of(*weights) == Approx(1).epsilon(0.02));
    // The key with the highest score has the highest weight.
    const auto highest = [](const InspectionPlane& plane) {
      return std::max_element(plane.values.begin(), plane.values.end()) - plane.values.begin();
    };
    CHECK(highest(*scores) == highest(*weights));
    CHECK(std::ssize(steps->marks) == blocks + 1);  // and three passes
    CHECK(steps->values[size_t(blocks) - 1] == steps->values[size_t(blocks)]);
  }
  CHECK(refusal(worker, look_at("attention.cpu.stored", params, {{"input", 200}}))["what"] ==
        "there is no query 200");
  CHECK(refusal(worker, look_at("attention.cpu.stored", params, {{"input", {1, 2, 3}}}))["what"] ==
        "a query is picked, not drawn");
}

TEST_CASE("a long sequence fits a line, and a short one has what it has") {
  Worker& worker = the_worker();
  for (const int64_t sequence : {int64_t{1}, int64_t{50}, int64_t{20'000}}) {
    INFO(sequence);
    const Params params = {{"sequence", sequence}, {"d", int64_t{8}}};
    const Inspection head = answer(worker, look_at("attention.cpu.stored", params));
    REQUIRE(head.plane("attention map"));
    CHECK(head.plane("attention map")->rows == std::min<int64_t>(64, sequence));
    const Inspection look =
        answer(worker, look_at("attention.cpu.stored", params, {{"input", sequence - 1}}));
    for (const char* group : {"scores", "weights", "online softmax"}) {
      INFO(group);
      const InspectionPlane* plane = look.plane(group);
      REQUIRE(plane);
      CHECK(plane->values.size() == size_t(plane->rows) * size_t(plane->columns));
      CHECK(plane->low < plane->high);
    }
  }
  CHECK(worker.longest_line() < 64 * 1024);
}

TEST_CASE("what cannot be looked at is one sentence that says what, where, and what to do") {
  const Params& params = small_network();
  const char* naive = "weightless.cpu.naive";
  Worker& worker = the_worker();
  const int64_t many = garments().test.count();
  const auto expect = [&](const Json& request, const char* what, const char* hint, int code = 64) {
    const Json error = refusal(worker, request);
    INFO(dump_json(error));
    CHECK(error["code"] == code);
    CHECK(error["what"].get<std::string>().find(what) != std::string::npos);
    CHECK(error["hint"].get<std::string>().find(hint) != std::string::npos);
  };
  expect(look_at(naive, params, {{"input", many}}), "is not there",
         std::to_string(many - 1).c_str());
  expect(look_at(naive, params, {{"input", -1}}), "not a whole number", "");
  expect(look_at(naive, params, {{"input", "shirt"}}), "not a whole number", "");
  expect(look_at(naive, params, {{"input", std::vector<int>(783)}}), "783 bytes", "784");
  expect(look_at(naive, params, {{"input", std::vector<int>(785)}}), "785 bytes", "784");
  expect(look_at(naive, params, {{"input", std::vector<int>(784, 256)}}), "256", "0 to 255");
  expect(look_at(naive, params, {{"input", Json::array()}}), "empty", "leave it out");
  expect(look_at(naive, params, {{"unit", 200}}), "LUT 200", "0 to 199");
  expect(look_at(naive, params, {{"place", 784}}), "pixel 784", "0 to 783");
  expect(look_at(naive, {{"luts", int64_t{25}}}), "25 LUTs", "20 or 30");
  expect(look_at("bloom.cpu.counting", {}), "no model", "", 69);
  Json two = look_at(naive, params);
  two["kernels"].push_back(two["kernels"][0]);
  expect(two, "not 2", "one kernel");
  // It goes on after all that.
  CHECK(answer(worker, look_at(naive, params, {{"input", many - 1}})).input == many - 1);
}

TEST_CASE("more votes than a line has room for are said, not cut off") {
  Worker& worker = the_worker();
  const Inspection look = answer(
      worker, look_at("weightless.cpu.naive",
                      {{"luts", int64_t{30000}}, {"epochs", int64_t{0}}, {"bits", int64_t{2}}},
                      {{"input", 3}, {"unit", 29999}}));
  CHECK(look.plane("votes") == nullptr);
  CHECK(look.unavailable.at("votes").find("30000") != std::string::npos);
  CHECK(look.prediction);
  CHECK(look.plane("table"));
  CHECK(worker.longest_line() < 64 * 1024);
}

TEST_CASE("ridgepoint inspect prints the decision, saves it, and its lines keep to the schema") {
  const Folder folder;
  std::vector<std::string> args = {
      "inspect", "weightless.cpu.naive", "--input", "17", "--unit", "5",
      "--out",   folder / "look.jsonl"};
  for (const auto& [name, value] : small_network()) {
    args.insert(args.end(), {"--set", name + "=" + std::to_string(std::get<int64_t>(value))});
  }
  const Outcome text = Program(variable("RIDGE_BIN"), args).finish();
  INFO(text.err);
  REQUIRE(text.code == 0);
  const int expected = weightless::predict_one(*network(), garments().test.image(17));
  const std::string line = text.out.substr(0, text.out.find("<- prediction"));
  CHECK(line.substr(line.rfind('\n')).find(kGarmentNames[expected]) != std::string::npos);
  CHECK(text.out.find("pin 5: row ") != std::string::npos);
  args.push_back("--json");
  const Outcome json = Program(variable("RIDGE_BIN"), args).finish();
  CHECK(json.json()["inspection"]["prediction"] == expected);
  const auto run = Run::load(folder / "look.jsonl");
  REQUIRE(run);
  REQUIRE(run->inspections().size() == 2);
  CHECK(run->inspections()[0].prediction == expected);
  CHECK(run->requests().back().type == RequestType::inspect);
  // Then what every network answers: this one, and that others are not trained yet.
  const Inspection& answers = run->inspections()[1];
  CHECK(answers.of == "answers");
  CHECK(answers.bytes == run->inspections()[0].plane("image")->values);
  REQUIRE(answers.answers.size() > 20);
  int untrained = 0;
  for (const ModelAnswer& one : answers.answers) {
    INFO(one.kernel << ": " << one.why);
    untrained += one.needs_training ? 1 : 0;
    if (family_of(one.kernel) != "weightless") continue;
    CHECK(one.prediction == expected);
    CHECK(one.call_ns > 0);
    CHECK(one.start == "pixels");
  }
  CHECK(untrained > 10);
  CHECK(text.out.find("not trained yet. --train trains them first, once.") != std::string::npos);
  expect_schemas(" --every-field" + schema_argument("transcript", folder / "look.jsonl"));
  const Outcome wrong = Program(variable("RIDGE_BIN"), {"inspect", "mlp.cpu.sgemm"}).finish();
  CHECK(wrong.code == 69);
  CHECK(std::count(wrong.err.begin(), wrong.err.end(), '\n') == 1);
}
