// The view Inside, with a fake worker that answers when the test says so: what is asked while somebody picks
// and draws, and that a saved run shows the same.
#include <numeric>

#include "app/query/networks.h"
#include "app/window/inspect/inspect_view.h"
#include "app/window/views/view.h"
#include "tests/window_fixture.h"

using namespace ridge;
using namespace ridge::test;
using window::find_view;

namespace {

constexpr int kSide = 28;

InspectionPlane plane(const char* name, const char* group, int rows, int columns, int high) {
  InspectionPlane made{.name = name, .group = group, .unit = "u", .rows = rows, .columns = columns};
  made.high = high;
  made.values.resize(size_t(rows * columns));
  for (size_t i = 0; i < made.values.size(); ++i) made.values[i] = int(i) % (high + 1);
  return made;
}

/// What a worker with 40 LUTs would say; a class's score is the ink in its rows of the picture.
Inspection look_of(const WorkRequest& request) {
  Inspection look;
  look.request = request.id;
  look.kernel = request.kernels[0].kernel;
  look.params = *resolve_params(FakeSession::info(look.kernel).params, request.kernels[0].params,
                                "weightless");
  look.of = "model", look.data = "Fashion-MNIST", look.inputs = 100;
  look.classes = {"T-shirt", "trouser", "pullover", "dress", "coat",
                  "sandal",  "shirt",   "sneaker",  "bag",   "boot"};
  look.unit_name = "LUT", look.units = 40, look.score = "LUTs that say yes", look.score_most = 1000;
  look.unit = request.inspect.unit.value_or(0), look.place = request.inspect.place;
  if (look.place) look.lookers = {5, 17};
  if (!look.lookers.empty() && !request.inspect.unit) look.unit = 5;
  InspectionPlane pins = plane("LUT", "pins", kSide, kSide, 1);
  pins.values.clear();
  for (int i = 0; i < 6; ++i) pins.marks.push_back({i * 29, i % 2, "pin " + std::to_string(i)});
  look.planes = {plane("LUT", "table", 8, 8, 1), pins};
  const bool is_drawn = !request.inspect.bytes.empty();
  if (!is_drawn && !request.inspect.input) {
    for (const std::string& name : look.classes) {
      look.planes.push_back(plane(name.c_str(), "wiring", kSide, kSide, 9));
      std::fill(look.planes.back().values.begin(), look.planes.back().values.end(), 4);
    }
    return look;
  }
  look.of = is_drawn ? "drawn" : "test";
  InspectionPlane image = plane("picture", "image", kSide, kSide, 255);
  if (is_drawn) {
    image.values.assign(request.inspect.bytes.begin(), request.inspect.bytes.end());
  } else {
    look.input = request.inspect.wrong ? 40 : *request.inspect.input;
    look.label = 3;
    std::fill(image.values.begin(), image.values.end(), int(*look.input));
  }
  for (int c = 0; c < 10; ++c) {
    const auto from = image.values.begin() + c * 2 * kSide;
    look.scores.push_back(std::accumulate(from, from + 2 * kSide, 0) / 56.0);
  }
  look.prediction = std::max_element(look.scores.begin(), look.scores.end()) - look.scores.begin();
  look.call_ns = 1000;
  look.planes.push_back(image);
  look.planes.push_back(plane("votes", "votes", 10, 4, 1));
  return look;
}

struct Inside : Fixture {
  static float prepare() {
    FakeSession::lab = "weightless";
    return 1800;
  }
  Inside() : Fixture(prepare()) {
    window::select_rung(state, "weightless.cpu.naive");
    window::perform(state, "inspect");
    driver->frames(4);
  }
  ~Inside() { FakeSession::lab = "gemm"; }

  int asked() const { return session.count(RequestType::inspect); }
  /// Answers the open request, and lets the window ask what it asks next.
  void answer() {
    const WorkRequest request = session.last(RequestType::inspect);
    session.tell("result", {{"request", request.id}, {"inspection", look_of(request)}});
    session.finish(request);
    driver->frames(11);
  }
  void answer_all() {
    answer();  // the model
    answer();  // the first image
  }
};

}  // namespace

TEST_CASE("Inside asks for the model, then for an image; nothing while it is not looked at",
          "[window]") {
  Inside f;
  REQUIRE(f.asked() == 1);
  CHECK_FALSE(f.session.last(RequestType::inspect).inspect.input);
  CHECK(f.session.last(RequestType::inspect).kernels[0].kernel == "weightless.cpu.naive");
  f.driver->frames(25);
  CHECK(f.asked() == 1);  // one at a time
  f.answer();
  REQUIRE(f.asked() == 2);
  CHECK(f.session.last(RequestType::inspect).inspect.input == 0);
  f.answer();
  f.driver->frames(25);
  CHECK(f.asked() == 2);
  for (const char* widget :
       {"inspect_picture", "score:3", "votes:3", "gallery:bag", "unit_table"}) {
    INFO(widget);
    CHECK(f.driver->find(widget));
  }
  window::perform(f.state, "ladder");
  f.driver->frames(3);
  window::pick_input(f.state, 1);
  f.driver->frames(20);
  CHECK(f.asked() == 2);
}

TEST_CASE("images are stepped through, and the worker finds one that is wrong", "[window]") {
  Inside f;
  f.answer_all();
  REQUIRE(f.driver->click("inspect_previous"));
  f.driver->frames(11);
  CHECK(f.session.last(RequestType::inspect).inspect.input == 99);  // round the set
  f.answer();
  REQUIRE(f.driver->click("inspect_next"));
  f.driver->frames(11);
  CHECK(f.session.last(RequestType::inspect).inspect.input == 0);
  f.answer();
  REQUIRE(f.driver->click("inspect_wrong"));
  f.driver->frames(11);
  CHECK(f.session.last(RequestType::inspect).inspect.input == 1);
  CHECK(f.session.last(RequestType::inspect).inspect.wrong);
  f.answer();
  const int asked = f.asked();
  f.driver->frames(20);
  CHECK(f.asked() == asked);
  CHECK(f.state.inspecting.asked.input == 40);  // what the worker found
  REQUIRE(f.driver->click("inspect_next"));
  f.driver->frames(11);
  CHECK(f.session.last(RequestType::inspect).inspect.input == 41);
  CHECK_FALSE(f.session.last(RequestType::inspect).inspect.wrong);
}

TEST_CASE("strokes of the mouse change the scores; a saved run shows the same", "[window]") {
  Inside f;
  f.answer_all();
  REQUIRE(f.driver->click("inspect_draw"));
  REQUIRE(f.driver->click("inspect_clear"));
  f.driver->frames(11);
  f.answer();
  CHECK(window::shown_input(f.state)->of == "drawn");
  f.driver->frames(11);
  if (f.state.inspecting.request)
    f.answer();  // the copy of the image was sent before it was cleared
  const std::vector<double> before = window::shown_input(f.state)->scores;
  CHECK(*std::max_element(before.begin(), before.end()) == 0);
  const int asked = f.asked();
  const window::Area picture = *f.driver->find("inspect_picture");
  // Along the third row from the top: the ink of class 1.
  const float y = picture.y + picture.h * 3 / kSide;
  f.driver->drag_from(picture.x + picture.w * 0.2f, y, picture.w * 0.6f, 0);
  f.driver->frames(20);
  CHECK(f.asked() == asked + 1);  // a stroke of many frames: one under way, the rest waits for it
  f.answer();
  f.answer();
  CHECK_FALSE(f.state.inspecting.request);
  const Inspection drawn = *window::shown_input(f.state);
  CHECK(drawn.prediction == 1);
  CHECK(drawn.plane("image")->values ==
        std::vector<int>(f.state.inspecting.canvas.begin(), f.state.inspecting.canvas.end()));
  CHECK(f.session.last(RequestType::inspect).inspect.bytes == f.state.inspecting.canvas);
  REQUIRE(f.driver->click("brush=erase"));
  f.driver->drag_from(picture.x + 1, y, picture.w - 2, 0);
  CHECK(
      std::accumulate(f.state.inspecting.canvas.begin(), f.state.inspecting.canvas.end(), 0) <
      std::accumulate(drawn.plane("image")->values.begin(), drawn.plane("image")->values.end(), 0) /
          4);

  const TemporaryFolder folder;
  REQUIRE(f.session.save(folder.path + "/run.jsonl"));
  auto replay = app::Session::replay(folder.path + "/run.jsonl");
  REQUIRE(replay);
  window::State state;
  state.sessions.shown = replay->get();
  window::open_lab(state, "weightless");
  window::select_rung(state, "weightless.cpu.mux_avx512");  // the model is its family's
  window::perform(state, "inspect");
  f.driver.reset();
  window::Headless driver(state, 1800, 1000);
  driver.frames(5);
  const auto all = window::recorded_inputs(state);
  REQUIRE(all.size() >= 3);
  CHECK(driver.find("inspect_picture"));
  CHECK(driver.find("gallery:bag"));
  CHECK(window::shown_input(state)->scores == all.back()->scores);
  while (window::shown_input(state)->scores != drawn.scores &&
         state.inspecting.recorded != size_t{0})
    REQUIRE(driver.click("inspect_previous"));
  CHECK(window::shown_input(state)->scores == drawn.scores);
  CHECK(window::shown_input(state)->plane("image")->values == drawn.plane("image")->values);
  CHECK_FALSE(window::perform(state, "inspect_draw"));
  CHECK(state.notice.text.find("saved run") != std::string::npos);
  CHECK_FALSE(window::perform(state, "inspect_wrong"));
}

TEST_CASE("a click on a vote shows that LUT, one on a pixel who looks there", "[window]") {
  Inside f;
  f.answer_all();
  const window::Area votes = *f.driver->find("votes:3");
  f.driver->press_at(votes.x + votes.w * 0.9f, votes.y + votes.h / 2);
  f.driver->frames(11);
  CHECK(f.session.last(RequestType::inspect).inspect.unit == 3 * 4 + 3);
  f.answer();
  REQUIRE(f.driver->click("inspect_unit_on"));
  f.driver->frames(11);
  CHECK(f.session.last(RequestType::inspect).inspect.unit == 16);
  f.answer();
  const window::Area bag = *f.driver->find("gallery:bag");
  f.driver->press_at(bag.x + bag.w * 2.5f / kSide, bag.y + bag.h * 1.5f / kSide);
  f.driver->frames(11);
  CHECK(f.session.last(RequestType::inspect).inspect.place == kSide + 2);
  CHECK_FALSE(f.session.last(RequestType::inspect).inspect.unit);
  f.answer();
  REQUIRE(f.driver->click("inspect_unit_on"));  // among those that look there: 5, 17
  f.driver->frames(11);
  CHECK(f.session.last(RequestType::inspect).inspect.unit == 17);
}

TEST_CASE("a parameter of the model asks anew; a unit that the new one has not is forgotten",
          "[window]") {
  Inside f;
  f.answer_all();
  window::select_unit(f.state, 39);
  f.driver->frames(11);
  f.answer();
  window::set_param(f.state, "luts", int64_t{500});
  f.driver->frames(11);
  CHECK_FALSE(f.session.last(RequestType::inspect).inspect.input);  // the model first
  WorkRequest request = f.session.last(RequestType::inspect);
  Inspection smaller = look_of(request);
  smaller.units = 20;
  f.session.tell("result", {{"request", request.id}, {"inspection", smaller}});
  f.session.finish(request);
  f.driver->frames(11);
  request = f.session.last(RequestType::inspect);
  CHECK(request.inspect.input);
  CHECK_FALSE(request.inspect.unit);
  CHECK(std::get<int64_t>(request.kernels[0].params.at("luts")) == 500);
}

TEST_CASE("what goes wrong is said and asked again only when somebody says so", "[window]") {
  Inside f;
  const WorkRequest request = f.session.last(RequestType::inspect);
  f.session.tell("phase", {{"request", request.id},
                           {"series", 0},
                           {"phase", "prepare"},
                           {"text", "training"},
                           {"progress", 0.4},
                           {"left_s", 5}});
  f.driver->frames(3);
  CHECK(f.state.run().series().empty());
  f.driver->key(compat::Key::escape);
  CHECK(f.session.cancelled == std::vector<int64_t>{request.id});
  f.session.finish(request, "cancelled");
  f.driver->frames(25);
  CHECK(f.asked() == 1);
  CHECK(f.state.inspecting.problem == "Cancelled.");
  window::perform(f.state, "gains");
  f.driver->frames(4);
  window::perform(f.state, "inspect");
  f.driver->frames(11);
  REQUIRE(f.asked() == 2);  // broken off, it goes on when the person returns
  f.driver->key(compat::Key::escape);
  f.session.finish(f.session.last(RequestType::inspect), "cancelled");
  f.driver->frames(25);
  REQUIRE(f.driver->click("nothing"));  // Try again
  f.driver->frames(11);
  REQUIRE(f.asked() == 3);
  const Error error{ErrorCode::usage, "25 LUTs are no multiple of 10", "luts", "choose 20"};
  f.session.tell("error", {{"request", f.session.last(RequestType::inspect).id}, {"error", error}});
  f.session.finish(f.session.last(RequestType::inspect), "failed");
  f.driver->frames(25);
  CHECK(f.asked() == 3);
  CHECK(f.state.inspecting.problem.find("25 LUTs") != std::string::npos);
  f.session.lose("it crashed");
  window::inspect_again(f.state);
  f.driver->frames(11);
  CHECK(f.asked() == 4);  // a click starts it again
}

TEST_CASE("nothing is asked while something is measured, nor of a worker that was lost",
          "[window]") {
  Inside f;
  f.answer_all();
  f.driver->key(compat::Key::f5, true);
  const int asked = f.asked();
  window::pick_input(f.state, 1);
  f.driver->frames(25);
  CHECK(f.asked() == asked);
  f.session.finish(f.session.last(RequestType::run));
  f.driver->frames(20);
  CHECK(f.asked() == asked + 1);
  f.session.lose("it crashed");
  f.driver->frames(3);
  window::pick_input(f.state, 1);
  f.driver->frames(25);
  CHECK(f.asked() == asked + 1);
  CHECK(f.driver->find("inspect_picture"));  // what was seen stays
}

namespace {

/// What a worker says that has the first half of the networks: they see the class of the first lit pixel.
Inspection answers_of(const WorkRequest& request) {
  Inspection look;
  look.request = request.id, look.of = "answers", look.kernel = request.kernels[0].kernel;
  look.bytes.assign(request.inspect.bytes.begin(), request.inspect.bytes.end());
  const auto lit = std::find_if(look.bytes.begin(), look.bytes.end(), [](int v) { return v > 0; });
  for (size_t i = 0; i < request.kernels.size(); ++i) {
    ModelAnswer one;
    one.kernel = request.kernels[i].kernel, one.params = request.kernels[i].params;
    if (i < request.kernels.size() / 2 || request.inspect.trains) {
      one.prediction = (lit - look.bytes.begin()) / (2 * kSide) % 10, one.runner_up = 9;
      one.score = 120, one.margin = 20, one.unit = "LUTs that say yes";
      one.call_ns = 2500, one.calls = 9, one.start = "pixels";
    } else {
      one.needs_training = true, one.why = "not trained yet";
    }
    look.answers.push_back(one);
  }
  return look;
}

}  // namespace

TEST_CASE("every network answers to what is drawn: asked once a picture, after the selected one",
          "[window]") {
  Inside f;
  f.answer_all();
  const auto answer = [&] {
    const WorkRequest request = f.session.last(RequestType::inspect);
    REQUIRE(request.inspect.answers);
    f.session.tell("result", {{"request", request.id}, {"inspection", answers_of(request)}});
    f.session.finish(request);
    f.driver->frames(11);
  };
  window::pick_input(f.state, 1);  // the first image of this worker is blank
  f.driver->frames(11);
  f.answer();
  const int asked = f.asked();
  REQUIRE(f.driver->click("inspect_answers"));
  f.driver->frames(11);
  REQUIRE(f.asked() == asked + 1);
  const WorkRequest first = f.session.last(RequestType::inspect);
  CHECK_FALSE(first.inspect.trains);
  CHECK(first.inspect.bytes == std::vector<uint8_t>(size_t(kSide * kSide), 1));
  REQUIRE(first.kernels.size() == find_lab("weightless")->score_card->networks.size());
  CHECK(std::get<int64_t>(first.kernels[0].params.at("images")) == 1);
  CHECK(std::get<std::string>(first.kernels[0].params.at("from")) == "pixels");
  answer();
  f.driver->frames(25);
  CHECK(f.asked() == asked + 1);
  // What is not trained says so, and a click trains it.
  REQUIRE(f.driver->click("inspect_train"));
  f.driver->frames(11);
  CHECK(f.session.last(RequestType::inspect).inspect.trains);
  answer();
  CHECK_FALSE(f.driver->find("inspect_train"));
  f.driver->frames(25);
  CHECK(f.asked() == asked + 2);
  // An empty drawing asks nothing of them; a stroke does, once the selected network has answered.
  REQUIRE(f.driver->click("inspect_draw"));
  REQUIRE(f.driver->click("inspect_clear"));
  f.driver->frames(11);
  while (f.state.inspecting.request && !f.session.last(RequestType::inspect).inspect.answers)
    f.answer();
  CHECK_FALSE(f.state.inspecting.request);
  const window::Area picture = *f.driver->find("inspect_picture");
  f.driver->drag_from(picture.x + picture.w * 0.2f, picture.y + picture.h * 7 / kSide,
                      picture.w * 0.6f, 0);
  f.driver->frames(11);
  while (f.state.inspecting.request && !f.session.last(RequestType::inspect).inspect.answers)
    f.answer();
  REQUIRE(f.session.last(RequestType::inspect).inspect.bytes == f.state.inspecting.canvas);
  answer();
  CHECK(window::shown_input(f.state)->of == "drawn");  // its own look, not the answers
  const auto table =
      app::answer_table(*f.state.selection.lab, f.state.run(), f.state.inspecting.canvas,
                        window::shown_input(f.state)->classes, std::nullopt);
  CHECK(table.rows[0].answer->prediction == 2);
  CHECK(table.cells[0][1] == "pullover");
  CHECK(table.cells[0][4] == "2.50 µs, from pixels");
  CHECK(table.summary.find(" networks say pullover.") != std::string::npos);
  // Cancelled, it is said, and the selected network's own look stands.
  REQUIRE(f.driver->click("inspect_train"));
  f.driver->frames(11);
  f.driver->key(compat::Key::escape);
  f.session.finish(f.session.last(RequestType::inspect), "cancelled");
  f.driver->frames(25);
  CHECK(f.state.inspecting.answers_problem == "Cancelled.");
  CHECK(f.state.inspecting.problem.empty());
}

TEST_CASE("figures of a model's layers are bars, in place of a unit that it has not", "[window]") {
  Inside f;
  const WorkRequest request = f.session.last(RequestType::inspect);
  Inspection look = look_of(request);
  InspectionPlane felt = plane("scores", "sensitivity", 1, 3, 600);
  for (int i = 0; i < 3; ++i) felt.marks.push_back({i, i == 1, "layer " + std::to_string(i)});
  InspectionPlane histogram = plane("layer 1", "activations", 16, 64, 3);
  histogram.marks = {{15 * 64 + 40, 1, "largest: 8.47, chosen"}};
  look.planes = {histogram, felt};
  f.session.tell("result", {{"request", request.id}, {"inspection", look}});
  f.session.finish(request);
  f.driver->frames(11);
  CHECK(f.driver->find("measure:sensitivity"));
  CHECK_FALSE(f.driver->find("inspect_unit_on"));
  const auto picture = f.driver->find("gallery:layer 1");
  REQUIRE(picture);
  CHECK(picture->w > 2 * picture->h);  // a histogram lies
}

TEST_CASE("rungs and labs without a model say so, and lead to one", "[window]") {
  Inside f;
  f.answer_all();
  window::select_rung(f.state, "mlp.cpu.sgemm");
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("inspect_picture"));
  REQUIRE(f.driver->click("nothing"));
  CHECK(f.state.selection.rung == "wisard.cpu.hash_map");
  window::open_lab(f.state, "gemm");
  f.driver->frames(3);
  CHECK(f.state.selection.view == find_view("ladder"));
  CHECK_FALSE(window::perform(f.state, "inspect"));
  CHECK(f.state.notice.text == "This lab has no model to look into.");
}

TEST_CASE("a saved run without looks says what it takes", "[window]") {
  const TemporaryFolder folder;
  {
    Inside f;
    REQUIRE(f.session.save(folder.path + "/run.jsonl"));
  }
  auto replay = app::Session::replay(folder.path + "/run.jsonl");
  REQUIRE(replay);
  window::State state;
  state.sessions.shown = replay->get();
  window::open_lab(state, "weightless");
  window::select_rung(state, "weightless.cpu.naive");
  window::perform(state, "inspect");
  window::Headless driver(state, 1800, 1000);
  driver.frames(5);
  CHECK_FALSE(driver.find("inspect_picture"));
  CHECK_FALSE(driver.find("inspect_next"));
  CHECK(driver.triangles() > 100);
}

namespace {

/// What the attention family answers: a head's map, or a query's scores and softmax; no pictures, no classes.
Inspection attention_look(const WorkRequest& request) {
  Inspection look;
  look.request = request.id;
  look.kernel = request.kernels[0].kernel;
  look.of = request.inspect.input ? "test" : "model";
  look.inputs = 512, look.input_name = "query", look.unit_name = "block", look.units = 8;
  if (!request.inspect.input) {
    look.planes = {plane("512 queries", "attention map", 64, 64, 9)};
    return look;
  }
  look.input = request.inspect.input;
  InspectionPlane steps = plane("block by block", "online softmax", 1, 9, 1000);
  for (int i = 0; i < 9; ++i)
    steps.marks.push_back({i, i == 0, "block " + std::to_string(i) + ": maximum 2.6, sum 10.1"});
  look.planes = {plane("64 keys a row", "scores", 8, 64, 9),
                 plane("each adds up", "weights", 8, 64, 9), steps};
  return look;
}

struct InsideAttention : Fixture {
  static float prepare() {
    FakeSession::lab = "attention";
    return 1600;
  }
  InsideAttention() : Fixture(prepare()) {
    window::select_rung(state, "attention.cpu.stored");
    window::perform(state, "inspect");
    driver->frames(4);
  }
  ~InsideAttention() { FakeSession::lab = "gemm"; }
  void answer() {
    const WorkRequest request = session.last(RequestType::inspect);
    session.tell("result", {{"request", request.id}, {"inspection", attention_look(request)}});
    session.finish(request);
    driver->frames(11);
  }
};

}  // namespace

TEST_CASE("a model without pictures: its planes are drawn, with the controls that apply",
          "[window]") {
  InsideAttention f;
  f.answer();
  f.answer();
  for (const char* widget : {"gallery:512 queries", "gallery:64 keys a row", "gallery:each adds up",
                             "measure:online softmax", "inspect_next"}) {
    INFO(widget);
    const auto area = f.driver->find(widget);
    REQUIRE(area);
    CHECK(area->w > 20);
    CHECK(area->h > 10);
  }
  for (const char* widget :
       {"inspect_wrong", "inspect_draw", "inspect_picture", "inspect_unit_on", "unit_table"}) {
    INFO(widget);
    CHECK_FALSE(f.driver->find(widget));
  }
  CHECK_FALSE(window::perform(f.state, "inspect_wrong"));
  const int asked = f.session.count(RequestType::inspect);
  const window::Area map = *f.driver->find("gallery:512 queries");
  f.driver->press_at(map.x + map.w / 2, map.y + map.h / 2);  // no place of an input
  f.driver->frames(11);
  CHECK(f.session.count(RequestType::inspect) == asked);
  REQUIRE(f.driver->click("inspect_next"));
  f.driver->frames(11);
  CHECK(f.session.last(RequestType::inspect).inspect.input == 1);
}

TEST_CASE("a group without a description is drawn under its own name", "[window]") {
  InsideAttention f;
  const WorkRequest request = f.session.last(RequestType::inspect);
  Inspection look = attention_look(request);
  look.planes = {plane("new", "something new", 4, 4, 9)};
  f.session.tell("result", {{"request", request.id}, {"inspection", look}});
  f.session.finish(request);
  f.driver->frames(11);
  CHECK(f.driver->find("gallery:new"));
  CHECK(f.driver->find("gallery_head:something new"));
}
