// Parameters and requests: what is filled in, what is refused, and in which words.
#include "common/record/params.h"

#include <nlohmann/json.hpp>

#include "common/record/request.h"
#include "tests/catch.h"

using namespace ridge;

// ---- parameters ----------------------------------------------------------------------------------

namespace {

std::vector<ParamSpec> gemm_specs() {
  const auto whole = [](const char* name, int64_t max, int64_t fallback, const char* same_as) {
    return ParamSpec{name, "", false, {}, 1, max, fallback, same_as};
  };
  return {whole("k", 65536, 512, "m"), whole("m", 4096, 512, "n"), whole("n", 65536, 512, ""),
          ParamSpec{"dtype", "", true, {"fp32", "bf16"}, 1, 1, std::string("fp32"), ""}};
}

std::string refusal(const Params& given) {
  const Result<Params> resolved = resolve_params(gemm_specs(), given, "gemm");
  REQUIRE(!resolved.ok());
  CHECK(resolved.error().code == ErrorCode::usage);
  return resolved.error().sentence();
}

}  // namespace

TEST_CASE("assignments become parameters") {
  const Result<Params> params = parse_params({"n=1024", "dtype=bf16", "m=-3", "tag=7b", "n=1024"});
  REQUIRE(params.ok());
  CHECK(to_string(*params) == "dtype=bf16 m=-3 n=1024 tag=7b");
  CHECK(param_int(*params, "n") == 1024);
  CHECK(param_int(*params, "tag", 9) == 9);
  CHECK(param_text(*params, "dtype") == "bf16");
  CHECK(param_text(*params, "n", "none") == "none");
  for (const char* wrong : {"n", "=4", "n=", ""}) {
    CHECK(parse_params({wrong}).error().code == ErrorCode::usage);
  }
  CHECK(parse_params({"n=1024", "n=2"}).error().code == ErrorCode::usage);
}

TEST_CASE("parameters are filled in from others, then from defaults") {
  const auto resolved = [](const Params& given) {
    const Result<Params> params = resolve_params(gemm_specs(), given, "gemm");
    REQUIRE(params.ok());
    return to_string(*params);
  };
  CHECK(resolved({}) == "dtype=fp32 k=512 m=512 n=512");
  CHECK(resolved({{"n", int64_t{64}}}) == "dtype=fp32 k=64 m=64 n=64");
  CHECK(resolved({{"m", int64_t{7}}}) == "dtype=fp32 k=7 m=7 n=512");

  std::vector<ParamSpec> circle = gemm_specs();
  circle[2].same_as = "k";
  CHECK(resolve_params(circle, {}, "gemm").ok());
}

TEST_CASE("a wrong parameter is named with its range") {
  CHECK(refusal({{"n", int64_t{0}}}) ==
        "parameter n of gemm: n = 0 is below 1; choose a whole number from 1 to 65536");
  CHECK(refusal({{"n", int64_t{100000}}}).find("n = 100000 is above 65536") != std::string::npos);
  CHECK(refusal({{"n", std::string("big")}}).find("n = big is not a whole number") !=
        std::string::npos);
  CHECK(refusal({{"n", std::string("1e3")}}).find("n = 1e3") != std::string::npos);
  CHECK(refusal({{"n", int64_t{8192}}}).find("m = 8192 (copied from n) is above 4096") !=
        std::string::npos);
  CHECK(refusal({{"dtype", std::string("fp8")}}) ==
        "parameter dtype of gemm: dtype = fp8 is not one of its choices; choose from fp32, bf16");
  CHECK(refusal({{"dtype", int64_t{32}}}).find("dtype = 32") != std::string::npos);
  CHECK(refusal({{"q", int64_t{1}}}) ==
        "parameter q of gemm: gemm has no parameter q; choose from k, m, n, dtype");
}

// ---- requests ------------------------------------------------------------------------------------

TEST_CASE("requests come back from their line") {
  WorkRequest request;
  request.type = RequestType::compare;
  request.id = 12;
  request.lab = "gemm";
  request.kernels = {{"gemm.cpu.a", {{"n", int64_t{64}}}}, {"gemm.cpu.b", {}}};
  request.cache = CacheMode::cold;
  request.margin = 0.01;
  request.device = 1;
  request.pairs = {{0, 1}, {1, 0}};
  const Json line = to_line(request);
  CHECK(line["ridgepoint"] == 1);
  CHECK(line["from"] == "app");
  CHECK(line["limit_s"].is_null());
  const Result<WorkRequest> back = work_request_from(line);
  REQUIRE(back.ok());
  CHECK(dump_json(to_line(*back)) == dump_json(line));
  CHECK(back->margin == 0.01);
  CHECK(back->pairs == request.pairs);
  CHECK(!back->limit_s);
  CHECK(to_string(back->kernels[0].params) == "n=64");
}

TEST_CASE("a request that makes no sense is refused") {
  const auto refused = [](const char* text) {
    const Result<WorkRequest> request = work_request_from(Json::parse(text));
    return !request.ok() && request.error().code == ErrorCode::usage;
  };
  const auto run_with = [&](const std::string& field) {
    const std::string text =
        R"({"type": "run", "id": 1, "kernels": [{"kernel": "a"}], )" + field + "}";
    return refused(text.c_str());
  };
  CHECK(!run_with(R"("colour": "blue")"));
  CHECK(!run_with(R"("limit_s": 2, "mode": "live", "cache": "cold")"));
  CHECK(run_with(R"("mode": "fast")"));
  CHECK(run_with(R"("cache": 3)"));
  CHECK(run_with(R"("limit_s": 0)"));
  CHECK(run_with(R"("limit_s": "long")"));
  CHECK(run_with(R"("margin": -0.1)"));
  CHECK(run_with(R"("device": -1)"));
  CHECK(run_with(R"("device": 0.5)"));
  CHECK(refused(R"({"type": "run", "id": 1})"));
  CHECK(refused(R"({"type": "run", "id": 1, "kernels": "all"})"));
  CHECK(refused(R"({"type": "run", "id": 1, "kernels": [7]})"));
  CHECK(refused(R"({"type": "run", "id": 1, "kernels": [{"kernel": ""}]})"));
  CHECK(refused(R"({"type": "run", "id": 1, "kernels": [{"kernel": "a", "params": 3}]})"));
  CHECK(refused(R"({"type": "compare", "id": 1, "kernels": [{"kernel": "a"}]})"));
  CHECK(refused(R"({"type": "quit"})"));
  CHECK(refused(R"({"id": 3})"));
  CHECK(refused("[]"));
  CHECK(!refused(R"({"type": "probe", "id": 1})"));
}

TEST_CASE("a parameter of an odd kind reaches the check of ranges as text") {
  const char* text =
      R"({"type": "run", "id": 1, "kernels": [{"kernel": "a", "params": {"n": 1.5}}]})";
  const Result<WorkRequest> request = work_request_from(Json::parse(text));
  REQUIRE(request.ok());
  CHECK(refusal(request->kernels[0].params).find("n = 1.5 is not a whole number") !=
        std::string::npos);
}

TEST_CASE("a problem's size is the parameter that says so, else the one that others copy") {
  std::vector<ParamSpec> specs(3);
  specs[0].name = "batch";
  specs[1].name = "luts";
  specs[2].name = "m";
  CHECK(size_param(specs).empty());
  specs[2].same_as = "batch";
  CHECK(size_param(specs) == "batch");
  specs[1].is_size = true;
  CHECK(size_param(specs) == "luts");

  const Params params = {{"luts", int64_t{2000}},
                         {"m", int64_t{2000}},
                         {"threads", int64_t{2}},
                         {"batch", int64_t{64}}};
  CHECK(size_text(params, "luts") == "luts = 2000, batch = 64");
  CHECK(size_text(params, "") == "batch = 64, luts = 2000, m = 2000");
}

TEST_CASE("copies of parameters share one map until one of them is changed") {
  const Params one = {{"n", int64_t{64}}};
  Params other = one;
  CHECK(&one.map() == &other.map());
  other["n"] = int64_t{128};
  CHECK(one.at("n") == ParamValue(int64_t{64}));
  CHECK(&one.map() != &other.map());
  other.erase("n");
  CHECK(other == Params());
  CHECK(one < Params{{"n", int64_t{65}}});
  MapPool<ParamValue> pool;
  Params first = {{"n", int64_t{1}}}, second = {{"n", int64_t{1}}}, third = {{"n", int64_t{2}}};
  for (Params* params : {&first, &second, &third}) pool.share(params);
  CHECK(&first.map() == &second.map());
  CHECK(&first.map() != &third.map());
}
