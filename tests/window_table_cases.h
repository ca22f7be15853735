// The published table in the centre. Part of window_test.cpp, in a file of its own.
#pragma once

#include <string>

#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;

TEST_CASE("the published table: shown by its button, run by its own, one line a row", "[window]") {
  Fixture f;
  REQUIRE(f.driver->click("view=Table"));
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

}  // namespace
}  // namespace ridge::test
