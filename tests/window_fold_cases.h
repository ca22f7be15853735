// Expert rungs, folded under one line. Part of window_test.cpp, in a file of its own.
#pragma once

#include <algorithm>
#include <string>

#include "app/window/shell/settings.h"
#include "app/window/views/chart_rows.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;

/// A worker with a GPU, for as long as the test runs.
struct WithGpu {
  WithGpu() { FakeSession::has_gpu = true; }
  ~WithGpu() { FakeSession::has_gpu = false; }
};

bool asks_for(const WorkRequest& request, const std::string& kernel) {
  return std::any_of(request.kernels.begin(), request.kernels.end(),
                     [&](const KernelRequest& one) { return one.kernel == kernel; });
}

size_t fold_row(const Fixture& f) {
  for (size_t i = 0; i < f.state.ladder.rows.size(); ++i) {
    if (fold_at(f.state, i).count > 0) return i;
  }
  FAIL("no fold");
  return 0;
}

TEST_CASE("expert rungs stand under one line, in the rail and in the ladder; a click or X opens",
          "[window]") {
  WithGpu gpu;
  Fixture f(1600, 1900);  // the whole rail
  const std::string line = "fold:" + std::to_string(fold_row(f));
  const std::string expert = "rung:gemm.cuda.persistent";
  REQUIRE(f.driver->find(line));
  CHECK(f.driver->find(expert) == nullptr);
  CHECK(ladder_rows(f.state).rows.size() == f.state.ladder.rows.size() - 6 + 1);

  REQUIRE(f.driver->click(line));
  CHECK(f.state.view.show_experts);
  CHECK(f.driver->find(expert));
  CHECK(ladder_rows(f.state).rows.size() == f.state.ladder.rows.size());
  f.driver->type('x');
  CHECK(f.driver->find(expert) == nullptr);
  const std::string in_chart = std::string("chart:") + kFoldRow + ":-1";
  REQUIRE(f.driver->click(in_chart));
  CHECK(f.state.view.show_experts);
}

TEST_CASE("a run measures what is shown, and the fold says how many have results", "[window]") {
  WithGpu gpu;
  Fixture f;
  f.run_all();
  CHECK_FALSE(asks_for(f.session.last(RequestType::run), "gemm.cuda.tuned"));
  CHECK(asks_for(f.session.last(RequestType::run), "gemm.cuda.wide_tile"));
  const size_t row = fold_row(f);
  CHECK(fold_text(fold_at(f.state, row)) == "6 expert rungs");
  select_rung(f.state, "gemm.cuda.tuned");
  perform(f.state, "run_selected");
  f.session.measure(f.session.last(RequestType::run), 0, 1e3);
  f.session.finish(f.session.last(RequestType::run));
  f.driver->frames(3);
  f.driver->type('x');
  CHECK(fold_text(fold_at(f.state, row)) == "6 expert rungs, 1 result");
  f.driver->type('x');
  f.run_all();
  CHECK(asks_for(f.session.last(RequestType::run), "gemm.cuda.tuned"));
  CHECK(fold_text(fold_at(f.state, row)) == "6 expert rungs, 6 results");
}

TEST_CASE("selecting an expert rung opens the fold; closing it selects the rung before",
          "[window]") {
  WithGpu gpu;
  Fixture f;
  select_rung(f.state, "gemm.cuda.wide_tile");
  f.driver->frames();
  CHECK_FALSE(f.state.view.show_experts);
  f.driver->type(']');
  CHECK(f.state.selection.rung == "gemm.cuda.persistent");
  CHECK(f.state.view.show_experts);
  f.driver->type(']');
  f.driver->type('x');
  CHECK_FALSE(f.state.view.show_experts);
  CHECK(f.state.selection.rung == "gemm.cuda.wide_tile");
}

TEST_CASE("whether expert rungs are shown is remembered", "[window]") {
  TemporaryFolder folder;
  Fixture f;
  f.state.settings.path = folder.path + "/settings.json";
  f.driver->type('x');
  State later;
  later.settings.path = f.state.settings.path;
  load_settings(&later);
  CHECK(later.view.show_experts);
}

}  // namespace
}  // namespace ridge::test
