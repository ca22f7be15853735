// What a run keeps of looks inside a model, and which families have the hook.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/harness/kernel/registry.h"
#include "common/record/json.h"
#include "common/record/run.h"
#include "labs/lab.h"
#include "tests/catch.h"

using namespace ridge;

TEST_CASE("a run keeps the looks in order, and leaves out planes that fill no grid") {
  Run run;
  run.apply_line(R"({"ridgepoint":1,"from":"app","type":"inspect","id":3,"lab":"weightless",)"
                 R"("kernels":[{"kernel":"a.b.c","params":{}}],"input":4})");
  CHECK(run.series().empty());  // it measures nothing
  Inspection look;
  look.kernel = "a.b.c", look.of = "test", look.input = 4;
  look.planes.resize(5);
  for (InspectionPlane& plane : look.planes) {
    plane = {.name = "p",
             .group = "g",
             .unit = "",
             .rows = 2,
             .columns = 3,
             .values = {1, 2, 3, 4, 5, 6}};
  }
  look.planes[1].values.pop_back();
  look.planes[2].marks = {{6, 0, "outside"}};
  look.planes[3].rows = 1 << 30, look.planes[3].columns = 1 << 30;
  look.planes[4].high = look.planes[4].low;
  const Json line = {
      {"ridgepoint", 1}, {"type", "result"}, {"seq", 1}, {"request", 3}, {"inspection", look}};
  run.apply_line(dump_json(line));
  look.input = 5;
  run.apply_line(dump_json(
      {{"ridgepoint", 1}, {"type", "result"}, {"seq", 2}, {"request", 3}, {"inspection", look}}));
  REQUIRE(run.inspections().size() == 2);
  CHECK(run.inspections()[0].planes.size() == 1);
  CHECK(run.inspections()[0].input == 4);
  CHECK(run.inspections()[1].input == 5);
  CHECK(run.inspections()[0].request == 3);
}

TEST_CASE("families that a lab says can be looked into have the hook, and only they") {
  for (const Lab* lab : all_labs()) {
    for (const FamilyDesc* family : registered_families()) {
      const bool listed =
          std::any_of(lab->inspected.begin(), lab->inspected.end(),
                      [&](const char* name) { return std::string(name) == family->name; });
      const bool in_lab = std::any_of(lab->rungs.begin(), lab->rungs.end(), [&](const Rung& rung) {
        return family_of(rung.kernel) == family->name;
      });
      INFO(lab->id << " " << family->name);
      if (in_lab) CHECK(listed == (family->inspect != nullptr));
    }
  }
}
