// From a data type to an element type, in an edit that was built for one of them.
#define RIDGE_ONLY_DTYPE fp16
#include "common/harness/kernel/with_element.h"

#include <string>

#include "tests/catch.h"

namespace ridge {
namespace {

struct Bf16 {
  static constexpr DType kType = DType::bf16;
};
struct Fp16 {
  static constexpr DType kType = DType::fp16;
};

TEST_CASE("an edit has the one type it was built for, and refuses another with a sentence") {
  int calls = 0;
  const auto run = [&]<typename E>(E) -> Status {
    static_assert(E::kType == DType::fp16, "no other is ever instantiated");
    ++calls;
    return {};
  };
  CHECK(with_element<Bf16, Fp16>(DType::fp16, run).ok());
  CHECK(calls == 1);
  const Status refused = with_element<Bf16, Fp16>(DType::bf16, run);
  CHECK(!refused.ok());
  CHECK(std::string(refused.what) == "this edit was built for fp16 only");
  CHECK(!with_element<Bf16>(DType::fp16, run).ok());
  CHECK(calls == 1);
}

}  // namespace
}  // namespace ridge
