// The published table in the centre. Part of window_test.cpp, in a file of its own.
#pragma once

#include <string>

#include "app/query/published.h"
#include "app/window/views/published_view.h"
#include "tests/program.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;

TEST_CASE("the published table: shown by its button, run by its own, one line a row", "[window]") {
  Fixture f;
  REQUIRE(f.driver->click("view=Published table"));
  CHECK(f.state.selection.view == find_view("table"));
  const size_t rows = find_lab("gemm")->tables.front().rows.size();
  CHECK(f.driver->shell().widgets().count("table:" + std::to_string(rows - 1)) == 1);
  CHECK(f.driver->shell().widgets().count("table:" + std::to_string(rows)) == 0);

  REQUIRE(f.driver->click("run_table"));
  const WorkRequest request = f.session.last(RequestType::run);
  REQUIRE(request.kernels.size() >= 2);
  for (const KernelRequest& one : request.kernels) {
    CHECK(one.params.at("n") == ParamValue(int64_t{4096}));  // the table's size, not the view's
  }
  REQUIRE(f.driver->click("view=Ladder"));
  CHECK(f.state.selection.view == find_view("ladder"));
}

TEST_CASE("a recorded row of the published table names its machine", "[window]") {
  auto run = Run::load(variable("RIDGE_SOURCE") + "/assets/recorded/gemm.h200.fp32_large.jsonl");
  REQUIRE(run);
  const auto shared = std::make_shared<Run>(*std::move(run));
  const std::vector<Recording> recordings = {{"/r/h200", "NVIDIA H200", "GEMM", shared, ""}};
  size_t recorded = 0;
  for (const app::PublishedRow& row :
       app::fill_table(find_lab("gemm")->tables.front(), Run(), 0, recordings, {})) {
    const bool is_recorded = row.source == app::PublishedRow::Source::recorded;
    recorded += is_recorded;
    CHECK(row.machine == (is_recorded ? "NVIDIA H200" : ""));
    CHECK(mark_of(row) == (is_recorded ? "on H200" : "missing"));
  }
  CHECK(recorded > 0);
}

}  // namespace
}  // namespace ridge::test
